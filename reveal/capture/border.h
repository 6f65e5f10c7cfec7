// The size from which on an order is wrong.
#pragma once

#include <cstdint>

#include "reveal/target.h"
#include "spec/order.h"

namespace reprosum::reveal {

// Finds the first wrong size between `tried_to`, up to which each size is tried, and `wrong`. Sizes
// below a mismatch may be wrong as well: two leaves that change places from n = 5,001 on show once
// in a hundred vectors. So each size gets data made for its tree. The search bisects, looks at all
// sizes close below the one that it found, and at some down to `tried_to`. If the wrong sizes have
// no border, the result is the first one above `tried_to`.
std::int64_t first_wrong(Target& target, const Call& context, const spec::Order& order,
                         std::int64_t tried_to, std::int64_t wrong, std::uint64_t seed);

}  // namespace reprosum::reveal
