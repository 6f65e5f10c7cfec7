// Sums that are made in a buffer: the update starts at +0, alpha acts in it, the output is added
// last.
#pragma once

#include "spec/order.h"

namespace reprosum::reveal {

// Whether some sum of a plain order starts at, or ends with, a +0: a buffer's first value may be
// it.
bool has_zero_start(const spec::Order& plain);

// The plain order without these +0.
spec::Order without_zero_start(const spec::Order& plain);

// An update order with +0 in place of its output, and the output added to the result.
spec::Order behind_buffer(const spec::Order& update);

}  // namespace reprosum::reveal
