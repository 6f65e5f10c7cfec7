// What a library makes of the two factors of a product before anything is added. Matrix units and
// emulations take parts of them; that is no order of additions, so it is named and refused.
#pragma once

#include <cstdint>

#include "reveal/refused.h"
#include "reveal/target.h"

namespace reprosum::reveal {

// Throws Refused unknown_arithmetic if factors are rounded to fewer bits than their format has
// (TF32, BF16). Anything else passes, sums that are none, too.
void check_factor_width(Target& target, const Call& context);

// Throws Refused directed_rounding if products are rounded otherwise than to nearest, ties to even
// (rounding.h), and unknown_arithmetic if the product of two factors is not the rounded one (it is
// put together from parts of them, as BF16x9 does), or if a factor is lost beside a larger one
// whose product is zero (factors in fixed point, as emulated double precision has them).
// @pre small integers add up.
void check_products(Target& target, const Call& context, std::uint64_t seed);

}  // namespace reprosum::reveal
