// Large sizes that a library may tell from others.
#pragma once

#include <cstdint>
#include <vector>

#include "reveal/check/random_data.h"

namespace reprosum::reveal {

// Sizes above `every_to` up to n_max, where each one cannot be tried: in each decade one of every
// residue modulo 1024, as far as the elements last; powers of 2, 3, 5 and 10, three and five times
// a power of two, Fibonacci's numbers, and the neighbours of all these; multiples of 1,000, 10,000
// and so on. The sum of all sizes is not much more than `elements`. Ascending.
std::vector<std::int64_t> far_sizes(std::int64_t every_to, std::int64_t n_max,
                                    std::int64_t elements, FastRandom& random);

}  // namespace reprosum::reveal
