// Tiles of a product of matrices as sums of two doubles, for gemm: who splits, and why it is right.
#pragma once

#include <cstdint>

#include "src/exact/machine/prefetch.h"

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

// Products of a matrix and a vector, for gemv. Strips are kStripRows rows whose elements lie side
// by side, or up to kStripHeight rows of columns whose elements do; `stride` is between rows, or
// columns.
//
// Doubles: high + low as anchored_strips.h has it, false where its premise does not hold. x is
// scaled. `lead` elements, or rows, come before the first vector: so that loads may be aligned.
// `rows` sets high and low, and may run blocks of kRowBlock elements; `columns`, for at most
// kColumnBlock columns and kTallStripHeight rows, adds to them; `room` is for kStripRoom doubles
// more than twice the rows.
struct AnchoredStrips {
  bool (*rows)(std::int64_t depth, std::int64_t lead, const double* a, std::int64_t stride,
               const double* x, double* high, double* low);
  // The same of far_rows rows.
  std::int64_t far_rows;
  bool (*rows_together)(std::int64_t depth, std::int64_t lead, const double* a, std::int64_t stride,
                        const double* x, double* high, double* low);
  bool (*columns)(std::int64_t count, std::int64_t lead, std::int64_t begin, std::int64_t end,
                  Ask ask, const double* a, std::int64_t stride, const double* x, double* room,
                  double* high, double* low);
};
// Floats: sums in double, of kWideRowBlock elements or kWideColumnBlock columns at a time; largest
// becomes that of |a|, if it was smaller. `rows` sets the sums, `columns` adds to them.
struct WideStrips {
  void (*rows)(std::int64_t depth, const float* a, std::int64_t stride, const double* x,
               double* sums, double* largest);
  void (*columns)(std::int64_t count, std::int64_t begin, std::int64_t end, const float* a,
                  std::int64_t stride, const double* x, double* sums, double* largest);
};
inline constexpr std::int64_t kStripRows = 4, kMostStripRows = 8, kRowBlock = 4096,
                              kWideRowBlock = 512;
inline constexpr std::int64_t kStripHeight = 1024, kColumnBlock = 512, kWideColumnBlock = 64;
inline constexpr std::int64_t kTallStripHeight = 4 * kStripHeight, kStripRoom = 1072;

struct TileKernels {
  int lanes;
  TileKernel split, whole;
  AnchoredStrips anchored;
  WideStrips wide;
};

// For kernels of `lanes` doubles; null where there are none.
const TileKernels* tile_kernels(int lanes);

}  // namespace reprosum::exact
