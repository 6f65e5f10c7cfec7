// Sums of floats, or of products of floats, in double whose bound costs no operation.
//
// As in capped_strips.h: terms are scaled by 2^s, s = 1024 - exponent, by which they and their
// exact products (48 bits; s is not negative) stay exact. An addition that does not overflow errs
// by at most 2^970, one that does leaves an infinity or a NaN in its lane, as do infinities and NaN
// among the terms, and as does a factor that overflows as it is scaled. So lanes that come out
// finite err by at most 2^970 for each term. Scaled back, without error, the kCappedChains * 8
// lanes, or 4 times as many as chains, are at most X = 2^exponent each. They are put together by
// additions that are off by at most u times the lanes that are in them: 7 * 8 by 8 X u, 4 by 16 X
// u, 2 by 32 X u, one by 64 X u: 640 X u in all, 1280 * 2^970 * 2^-s. `error` is (n + 1280) * 1.01
// * 2^(970 - s); the rest of it is for the rounding of the ends.
#pragma once

#include <cstdint>

#include "src/exact/kernels.h"

namespace reprosum::exact {

inline constexpr std::int64_t kCappedChains = 8, kCappedLanesOfSum = kCappedChains * 4;

// The kernels of Kernels::capped_sum and capped_dot, by vectors of four (capped_strips.h says for
// which processors). @pre AVX2 and FMA
void capped_sum(const float* x, std::int64_t n, int exponent, Bracket<float>& out);
void capped_dot(const float* x, const float* y, std::int64_t n, int exponent, Bracket<float>& out);
// By vectors of eight, which is slower for two conversions of each term. @pre AVX512F
void capped_sum_of_eight(const float* x, std::int64_t n, int exponent, Bracket<float>& out);

}  // namespace reprosum::exact
