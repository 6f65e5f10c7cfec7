// Sums made in a buffer: the update starts at +0, alpha acts in it, the output is added at last.
#pragma once

#include <optional>

#include "spec/order.h"

namespace reprosum::reveal {

// The plain sum without the +0 at its root, which may be a buffer's first value; nullopt if it has
// none.
std::optional<spec::Schema> buffered_sum(const spec::Schema& plain);

// An update with +0 in place of its output, and the output added to the result.
spec::Schema behind_buffer(const spec::Schema& update);

// The same for orders: whether some sum of a plain order starts at a +0.
bool has_zero_start(const spec::Order& plain);
spec::Order without_zero_start(const spec::Order& plain);
spec::Order behind_buffer(const spec::Order& update);
// The update with +0 in place of its output: what happens in the buffer.
spec::Order from_zero(spec::Order update);

}  // namespace reprosum::reveal
