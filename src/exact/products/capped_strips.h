// Sums of products of floats in double, for gemv, whose bound costs no operation: who computes
// them, and why it is right.
//
// Let x be scaled by a power of two, without error, so that the partial sums of a x stay below
// 2^1024 where they are expected to, but not much below. A running sum that starts at 0 and takes
// products by fma (48 bits, exact; multiples of 2^-1074 by the scale) then errs by at most 2^970
// with each addition that does not overflow: half a unit in the last place of the largest double.
// One that overflows leaves an infinity or a NaN in the sum for good, as do infinities and NaN
// among the elements. So a sum that comes out finite proves its bound, whatever its elements are.
// How far below 2^1024 the sums stay is not part of the proof: the larger the scale, the closer the
// bound.
//
// Blocks of kCappedBlock elements of a row, or kCappedColumns, are brought back to their size, S
// to S * back, and added up, by one fma: off by at most u = 2^-53 times the total so far. With b
// running sums for each lane (of a row kCappedMostChains for each block at most), of lanes that
// there are 8 of at most, k products and X = 2^1024 * back: the lanes' totals are at most b X each,
// and
//     k * 2^970 * back + 8 (1 + 2 + ... + b) u X + 7 * 8 b u X
// bounds the error of a row, the last for seven additions of lanes.
//
// Columns are swept kCappedWidth at a time, or far_width, over strips that are long: memory gives
// pages of a column faster than pieces of them. The running sums of a strip stay in the
// second-level cache. The last group of a block adds its sums where they belong. Columns that share
// a set of the first-level cache, some 4096 bytes apart, are to leave a way of it free, so their
// number is less than 8 while the matrix is near; farther off more of them hide more of the wait
// (AMD family 25, model 17: eight take 0.93 of the time of six at 9 MB, and 1.05 at 4 MB), and
// lines of the next ones are asked for, or the next lines of the same ones (prefetch.h). A matrix
// that itself lies in that cache, and whose columns lie near one another, is cut into tiles of as
// many rows as the registers have sums for: these are then loaded and stored once for
// kCappedColumns columns.
#pragma once

#include <cstdint>

#include "src/exact/machine/prefetch.h"
#include "src/exact/machine/room.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

inline constexpr std::int64_t kCappedBlock = 512, kCappedLanes = 4, kCappedRows = 8;
inline constexpr std::int64_t kCappedFewRows = 4, kCappedMostChains = 2;
inline constexpr std::int64_t kCappedWidth = 6, kCappedColumns = 20 * kCappedWidth;
inline constexpr std::int64_t kCappedHeight = 4096;
// Bytes of a matrix up to which near_rows at a time are faster, up to which columns are not asked
// for in advance, and up to which they are cut into tiles if they lie that near one another.
inline constexpr std::int64_t kCappedNear = std::int64_t{6} << 20;
inline constexpr std::int64_t kCappedNearColumns = std::int64_t{14} << 20;
inline constexpr std::int64_t kCappedTiled = std::int64_t{5} << 18, kCappedTiledStride = 4096;

// @pre the default floating-point environment
struct CappedStrips {
  // How many rows of a matrix of at most kCappedNear bytes are summed together, and how many
  // columns of a larger one.
  std::int64_t near_rows, far_width;
  // Sums of `groups` times `together` rows (kCappedFewRows, near_rows or kCappedRows) whose
  // elements lie side by side.
  void (*rows)(std::int64_t together, std::int64_t groups, std::int64_t depth, const float* a,
               std::int64_t stride, const double* x, double back, double* sums);
  // Adds the products of columns [begin, end) of `depth`, kCappedColumns at most, to the sums of
  // `count` rows, kCappedHeight at most; kCappedWidth or far_width columns together.
  void (*columns)(std::int64_t together, std::int64_t count, std::int64_t begin, std::int64_t end,
                  std::int64_t depth, Ask ask, const float* a, std::int64_t stride, const double* x,
                  double back, double* sums);
  // The same by tiles.
  void (*tiles)(std::int64_t count, std::int64_t begin, std::int64_t end, const float* a,
                std::int64_t stride, const double* x, double back, double* sums);
};

// Those for AVX2 and FMA are also for processors with longer vectors that convert four floats as
// fast as they multiply, while they multiply. Others do not: there eight in two operations and one
// fma take less time than four and four.
extern const CappedStrips kAvx2CappedStrips;
extern const CappedStrips kAvx512CappedStrips;  // needs AVX512F

}  // namespace reprosum::exact
