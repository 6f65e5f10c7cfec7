// Sums of products of floats in double, for gemv, whose bound costs no operation: who computes
// them, and why it is right.
//
// Let x be scaled by a power of two, without error, so that the partial sums of a x stay below
// 2^1024 where they are expected to, but not much below. A running sum that starts at 0 and takes
// products by fma (48 bits, exact; multiples of 2^-1074 by the scale) then errs by at most 2^970
// with each addition that does not overflow: half a unit in the last place of the largest double.
// One that overflows leaves an infinity or a NaN in the sum for good, as do infinities and NaN
// among the elements. So a sum that comes out finite proves its bound, whatever its elements are.
//
// Blocks of kCappedBlock elements of a row, or kCappedColumns, are brought back to their size, S
// to S * back, and added up, by one fma: off by at most u = 2^-53 times the total so far. With b
// blocks, of lanes that there are 4 of at most, k products and X = 2^1024 * back: the lanes' totals
// are at most b X each, and
//     k * 2^970 * back + 4 (1 + 2 + ... + b) u X + 3 * 4 b u X
// bounds the error of a row, the last for three additions of lanes.
#pragma once

#include <cstdint>

namespace reprosum::exact {

inline constexpr std::int64_t kCappedBlock = 512, kCappedColumns = 128, kCappedLanes = 4;

// @pre AVX2 and FMA, and the default floating-point environment
struct CappedStrips {
  // Sums of `rows` rows (4 or 8) whose elements lie side by side.
  static void rows(std::int64_t rows, std::int64_t depth, const float* a, std::int64_t stride,
                   const double* x, double back, double* sums);
  // Adds the products of columns [begin, end), kCappedColumns at most, to the sums of `count` rows,
  // kStripHeight at most.
  static void columns(std::int64_t count, std::int64_t begin, std::int64_t end, const float* a,
                      std::int64_t stride, const double* x, double back, double* sums);
};

}  // namespace reprosum::exact
