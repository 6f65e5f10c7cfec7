// Sums of floats, or of products of floats, in double whose bound costs no operation.
//
// As in capped_strips.h: terms are scaled by 2^s, s = 1024 - exponent, at least 0 and at most 1022.
// They go two at a time: w = v1 + v2 rounded, for products w = a1 b1 + a2 b2 rounded once since one
// product is exact (48 bits); then t = S + 2^s w rounded, by one fma, for the running sum S of a
// lane. Unscaled nothing of that overflows and, multiples of 2^-298, nothing underflows. Infinities
// and NaN among the terms leave one in their lane, and so does a t that overflows. So where a lane
// comes out finite all its S were, and |2^s w| <= |t exactly| + |S| < 2^1025: w is off by at most
// 2^971 2^-s, t by 2^970, together 1.5 * 2^970 for each term; a term that is alone errs by 2^970.
// (Not so for four terms: two of their sums could be large, and cancel, and t would not tell.)
// Scaled back, without error, the kCappedChains * 8 lanes, or 4 times as many as chains, are at
// most X = 2^(1024 - s) each. They are put together by additions that are off by at most u times
// the lanes that are in them: 7 * 8 by 8 X u, 4 by 16 X u, 2 by 32 X u, one by 64 X u: 640 X u in
// all, 1280 * 2^970 * 2^-s. `error` is (1.5 n + 1280) * 1.01 * 2^(970 - s); the rest of it is for
// the rounding of the ends, and of 1.5 n.
#pragma once

#include <cstdint>

#include "src/exact/machine/prefetch.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

inline constexpr std::int64_t kCappedChains = 8, kCappedLanesOfSum = kCappedChains * 4;

// The kernels of Kernels::capped_sum and capped_dot, by vectors of four. Processors with vectors of
// eight use them as well, since eight floats take two operations to convert. @pre AVX2 and FMA
void capped_sum(const float* x, std::int64_t n, int exponent, Bracket<float>& out);
void capped_dot(const float* x, const float* y, std::int64_t n, int exponent, Bracket<float>& out);

}  // namespace reprosum::exact
