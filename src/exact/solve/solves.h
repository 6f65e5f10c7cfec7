// The sums that trsv takes off its right sides as vector loops: what they compute, and its bounds.
#pragma once

#include <cstdint>

#include "src/exact/sums/pairs.h"

namespace reprosum::exact {

// Numbers that are known as X = x1 + x2, each with a `size` of at least |x1|; |x2| <= 2^-53 |x1|.
// Where x2 is null, it is zero.
struct Solved {
  const double *x1, *x2, *size;
  const float* float_size;  // of what solves floats plainly, else unused
};

// Sums b_i - (a_i1 X_1 + a_i2 X_2 + ...), in one of two ways.
//
// As pairs: S - M + L of pairs.h, whose r becomes fma(a, x2, r) before it goes into L; and, for the
// bound, A = fma(|a|, size, A), which started with |b_i|. Where A <= kAnchored * M in the end,
// every partial sum was small enough. With e as there, a step's r is off by at most 2^(e-106), and
// by 1.5 times that more for x2: |a x2| <= 2^-54 2^e. All |r| of n steps add up to at most (n +
// 1/2) * 2^(e-53), as all |a x2| do to 2^-54 2^e; so a rounding of any sum of them is at most (n +
// 1) * 2^(e-106). Each loop adds the r's of few steps, and these sums to L:
//  - columns: 8 steps, 62 * 2^(e-106) with their own roundings, and n / 8 sums of growing size:
//    together (n^2 / 16 + 9 n) * 2^(e-106).
//  - rows: n / lanes steps in each lane, and at last the lanes: at most (n^2 / 8 + 11 n + 7) *
//    2^(e-106) with 4 lanes or 8.
// A diagonal block adds b and at most 7 more steps to L itself: (9 n + 50) * 2^(e-106). So, with n
// increased by 16, the sum is off by at most
//     pair_error(n) * M, that is (n^2 / 8 + 20 n + 64) * 2^(e-106).
//
// By norms, which takes an operation less for each element: of kNormColumns columns at a time, rows
// have N, the sum of a^2, in place of their part of A. That part is at most sqrt(N Z), Z the sum of
// those columns' size^2 (Cauchy and Schwarz): with more columns, errors that spread grow faster by
// it than they do. Roundings are less than the part 2^-40 of N; squares that underflow take less
// than 2^-1060 from it. Sizes are taken to be kLeastNormed at least, if not zero, so that theirs do
// not underflow. A grows by
//     kNormRoundings * sqrt(N) * sqrt(Z) + kLeastNormed * the sum of sizes.
//
// Plainly, for floats: a x1 are rounded into a sum S, x2 is left out, M and L are zero; S is off by
// at most (n + 1) * 2^-53 * A (1 + 2^-40). Rows need only count the additions of one lane, n / 4 at
// most, the 4 for lanes and b, and those of the block: the errors of lanes are to their own A.
inline double pair_error(double n) { return (n * n / 8 + 20 * n + 64) * (0.67 * 0x1p-106); }

inline constexpr std::int64_t kNormColumns = 128;
inline constexpr double kLeastNormed = 0x1p-500, kNormRoundings = 1 + 0x1p-20;

// The first try at floats has A's products in float, from sizes that are 2^-16 larger and at least
// 2^-126, and their sums of up to kFloatSizes of them: each is off by less than that. Products that
// vanish are below 2^-149, which A >= kLeastFloatSize does not feel.
inline constexpr std::int64_t kFloatSizes = 64;
inline constexpr double kLeastFloatSize = 0x1p-100;
inline float float_size_of(double size) {
  const double larger = size * (1 + 0x1p-16);
  return size == 0 ? 0 : static_cast<float>(larger < 0x1p-126 ? 0x1p-126 : larger);
}

// To take products off, x1 and x2 are given with the other sign.
template <class T>
struct SolveKernel {
  // kSolveRows rows whose `depth` elements, a multiple of 8, lie side by side, `stride` apart: sums
  // from b_i = 0 on, in lanes that each begin with M, and have S - M added up exactly: high.
  void (*rows)(std::int64_t depth, const T* a, std::int64_t stride, Solved x, const double* anchors,
               double* high, double* low, double* sizes);
  // kSolveColumns columns, `stride` apart, of `count` rows: goes on with S, L and A of each row,
  // which have room for 8 more.
  void (*columns)(std::int64_t count, const T* a, std::int64_t stride, Solved x, double* sums,
                  double* low, double* sizes);
  // The same with N in place of A, and without a look at sizes. May be null.
  void (*columns_by_norms)(std::int64_t count, const T* a, std::int64_t stride, Solved x,
                           double* sums, double* low, double* norms);
};
inline constexpr std::int64_t kSolveRows = 4, kSolveColumns = 8;
// A += root * sqrt(N) + more, and N = 0, for `count` rows and up to 7 after them.
using AddNorms = void (*)(std::int64_t count, double root, double more, double* norms,
                          double* sizes);

// kSolveColumns rows on the diagonal. In the order of steps, row r's element of column k is
// a[r * down + k * across]; in that order too, or backward if `reversed`, are the numbers of the
// rows: S, L, A and M of what is solved, then what comes out. Plainly, L, M and x2 are not looked
// at; pairs have no float_size.
template <class T>
struct BlockOfRows {
  const T* a;
  std::int64_t down, across;
  bool unit, reversed;
  const double *sums, *low, *sizes, *anchors;
  double additions, shift;  // before these rows; how many times the bounds of errors go into sizes
  double *x1, *x2, *size_of_x, *size;
  float* float_size;
  T* rounded;
};
// What run_block (diagonal_block.h) does with them if all are certain; if not, false, and nothing
// is written.
template <class T>
struct BlockKernel {
  bool (*rounded)(const BlockOfRows<T>& block);
  bool (*certified)(const BlockOfRows<T>& block);
};

}  // namespace reprosum::exact
