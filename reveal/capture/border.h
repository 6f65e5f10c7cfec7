// The size from which on an order is wrong.
#pragma once

#include <cstdint>

#include "reveal/target.h"
#include "spec/order.h"

namespace reprosum::reveal {

// A mismatch at one size says that sizes below it may be wrong as well: two leaves that change
// places from n = 5,001 on show once in a hundred vectors. Searches between a size up to which each
// one is tried, `tried_to`, and `wrong`, with data made for the tree of each size that it looks at:
// bisects, looks at all sizes below what it has found, and at some down to `tried_to`. Where the
// wrong ones have no border, it is the first one above `tried_to`.
std::int64_t first_wrong(Target& target, const Call& context, const spec::Order& order,
                         std::int64_t tried_to, std::int64_t wrong, std::uint64_t seed);

}  // namespace reprosum::reveal
