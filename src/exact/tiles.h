// Tiles of a product of matrices as sums of two doubles, for gemm: who splits, and why it is right.
#pragma once

#include <cstdint>

#include "src/exact/pairs.h"
#include "src/exact/solves.h"

namespace reprosum::exact {

// Doubles. The depth is cut into blocks of at most kDepth. Let N be the largest norm of a row of A
// over a block, and g the least integer with N (1 + 2^-18) <= 2^(g + 26); for a column of B, h with
// 2^(h + 27). a is cut into a0, a rounded to a multiple of 2^g, and a1 = a - a0, exact, |a1| <=
// 2^(g - 1); b alike with h. Over a block:
//  - All partial sums of a0 * b0 are multiples of 2^(g + h) and, by Cauchy and Schwarz, at most
//    |a0| |b0| <= 2^(g + 26 + h + 27): they fit 53 bits, so `high` is exact, in any order.
//  - `low`, the sum of a0 * b1 + a1 * b by 2 * kDepth fma's, is off by at most 2 * kDepth * u *
//    (1 + 2^-40) times the sum of |a0 b1| + |a1 b|, u = 2^-53, and by 2^-1074 for each underflow.
// Blocks are added up: high exactly as a sum of two, whose lower part goes into low. Each block
// rounds low twice, each time by at most u times (sum of |a0 b1| + |a1 b| + blocks * u * sum of
// |a0 b0|), all of them over the whole depth.
//
// Floats are doubles whose products are exact: only `high` is computed, as a rounded sum of kDepth
// fma's, off by at most kDepth * u * (1 + 2^-40) times the sum of |a b|.
inline constexpr std::int64_t kDepth = 128;
inline constexpr int kBitsOfA = 26, kBitsOfB = 27;

// Computes tiles of `rows` x `columns` for packed operands. Packed A has, for each l, `rows` a0 and
// then, if `split`, `rows` a1; packed B has, for each l and column, b0, b1 and b, or b alone.
// high and low (column-major, ld) take the block's sums: are set by the first one.
// @pre 0 < depth <= kDepth, finite operands, and the default floating-point environment
struct TileKernel {
  std::int64_t rows, columns;
  void (*run)(std::int64_t depth, const double* a, const double* b, bool first, double* high,
              double* low, std::int64_t ld);
};

// Products with a vector, for gemv. x is cut as above into x0 and x1 for each block of columns, and
// a by `anchor`, 1.5 * 2^52 times the unit of a0; who calls sees to it that high is exact. x_parts
// has x0, x1 and x one after the other, each of `depth`; floats are not cut and have x alone.
template <class T>
struct StripKernel {
  // kStripRows rows whose elements lie side by side, `stride` apart: high and low are the sums of
  // kRowBlock elements at a time, added up as blocks above; largest is that of |a|, of all rows.
  void (*rows)(std::int64_t depth, const T* a, std::int64_t stride, const double* x_parts,
               double anchor, double* high, double* low, double* largest);
  // count <= kStripHeight rows of one column block, of at most kColumnBlock columns `stride` apart,
  // from column `begin` of `depth`. high and low are added to as blocks are.
  void (*columns)(std::int64_t count, std::int64_t begin, std::int64_t end, std::int64_t depth,
                  const T* a, std::int64_t stride, const double* x_parts, double anchor,
                  double* high, double* low, double* largest);
};
inline constexpr std::int64_t kStripRows = 4, kRowBlock = 512;
inline constexpr std::int64_t kStripHeight = 256, kColumnBlock = 64;

struct TileKernels {
  int lanes;
  TileKernel split, whole;
  StripKernel<double> strip;
  StripKernel<float> float_strip;
  PairTile pair;
  SolveKernel<double> solve;
  SolveKernel<float> float_solve, plain_solve;
};

// For kernels of `lanes` doubles; null where there are none.
const TileKernels* tile_kernels(int lanes);

}  // namespace reprosum::exact
