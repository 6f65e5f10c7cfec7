// Eight rows of a triangular system, from the sums of what precedes them to their components.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/exact/solve/solves.h"
#include "src/exact/sums/pairs.h"
#include "src/exact/values/nearest.h"

namespace reprosum::exact {

inline constexpr std::int64_t kRows = kSolveColumns;  // of a diagonal block

// A diagonal block in the order of its steps, and the sums of its rows (solves.h).
// element[k * kRows + r] is that of row r in the column of step k; inverses are 1 / diagonal,
// rounded.
struct DiagonalBlock {
  double element[kRows * kRows], diagonal[kRows], inverse[kRows];
  double sum[kRows], low[kRows], size[kRows], anchor[kRows];
  double shift;    // how many times the bounds of errors go into sizes
  bool estimates;  // errors do not count: for sizes that nothing is proven with
  double x1[kRows], x2[kRows], width[kRows];  // X, and its `size` (solves.h)
  double rounded[kRows];                      // NaN where that is not certain
  bool all_certain;                           // of the last steps that were run
};

// A row's sum as its component sees it, less than infinite: V / d is q + q2 but for
// w = m * gain + base + what of q and q2 is rounded.
struct RowBounds {
  double gain[kRows], base[kRows];
};

// The components of steps [begin, until) one after the other, each off the sums of the rows after
// it, but for the last. What waits for the component before it is short: from one to the next, the
// sums S wait for a subtraction (of M), q and an fma, and the sizes for two fmas.
template <class T, bool kCertified, bool kPair>
[[gnu::always_inline]] inline void run_chain(DiagonalBlock& block, int begin, int until,
                                             const RowBounds& bounds, double* s, double* l,
                                             double* m, double* q, double* q2, double* w) {
  const double from_q = kPair ? 0x1p-103 : 0x1p-51;
  const double size_of_q = 1 + 0x1p-40 + (kPair ? 0 : block.shift * from_q);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    if (r < begin - 1) continue;
    if (r >= until) break;
    double y1 = block.x1[r], y2 = block.x2[r], width = block.width[r];
    if (r >= begin) {
      const double d = block.diagonal[r], i = block.inverse[r];
      const double high = kPair ? s[r] - block.anchor[r] : s[r];
      q[r] = high * i;
      double rest = bounds.base[r];
      if constexpr (kPair) {
        q2[r] = (__builtin_fma(-q[r], d, high) + l[r]) * i;
        rest = __builtin_fma(std::fabs(q2[r]), 0x1p-51, rest);
        y1 = q[r] + q2[r];
      } else {
        q2[r] = 0;
        y1 = q[r];
      }
      rest = __builtin_fma(std::fabs(q[r]), from_q, rest);
      w[r] = __builtin_fma(m[r], bounds.gain[r], rest);
      y2 = 0;
      if constexpr (kCertified) {
        if constexpr (kPair) two_sum(q[r], q2[r], y1, y2);
        // As shift * w + |y1| (1 + 2^-40), but soon after m.
        const double known = kPair ? std::fabs(y1) * size_of_q + block.shift * rest
                                   : std::fabs(y1) * size_of_q + block.shift * bounds.base[r];
        width = __builtin_fma(m[r], block.shift * bounds.gain[r], known);
        if (block.estimates) width = std::min(width, 2 * std::fabs(y1));
      } else {
        // All within w rounds alike, and so does y1.
        y1 = static_cast<double>(static_cast<T>(y1));
        width = std::fabs(y1);
      }
      block.x1[r] = y1;
      block.x2[r] = y2;
      block.width[r] = width;
      if (r + 1 == until) break;
    }
#pragma GCC unroll 8
    for (int k = r + 1; k < kRows; ++k) {
      const double a = block.element[r * kRows + k], t = __builtin_fma(-a, y1, s[k]);
      if (kPair) {
        const double rest = __builtin_fma(-a, y1, s[k] - t);
        l[k] += kCertified ? __builtin_fma(-a, y2, rest) : rest;
      }
      s[k] = t;
      m[k] = __builtin_fma(std::fabs(a), width, m[k]);
    }
  }
}

// Steps [begin, count) of a block that `step` others precede (or additions of a running sum, where
// those are fewer), and how many are done after them: it stops at one that is not certain, if
// `stop` or if it may be zero. What stands for that in the block when it goes on is taken off the
// rows below.
//
// The sum V = S - M + L is off by at most E: what solves.h says for `step` + 16 steps, and, if X is
// only an approximation of x, A / shift for it. With i = inverse, d = diagonal and H = S - M, q =
// H i rounded twice and H - q d, of at most 2^-51.9 |H|, rounded once: off by 2^-104.9 |H|. That
// plus L is off by u times it; its product with i, q2, by 2.02 u |q2| more. So V / d is q + q2 but
// for E |i| (1 + 2^-50) + 2^-103 |q| + 2^-51 |q2|; what underflows is below 2^-1000, before the
// division and after it. Without pairs q alone, off by 2^-51.9 |q| for its roundings, is enough.
//
// Certified: X = x1 + x2 is q + q2, as a sum without error; without pairs it is q. The true x is
// within w of it, so `size` |x1| (1 + 2^-40) + shift * w covers both uses of it: A bounds the
// partial sums, and A / shift the sum of |a| w, E's part of which has a hundredth to spare for
// roundings. Otherwise X is the rounded component itself.
template <class T, bool kCertified, bool kPair>
[[gnu::always_inline]] inline int run_block(DiagonalBlock& block, int begin, int count,
                                            std::int64_t step, bool stop) {
  const double from_size = 1.01 / block.shift;
  const double spread = kCertified ? from_size : 0;
  RowBounds bounds;
  double fine[kRows];  // zero, or NaN
  for (int r = 0; r < kRows; ++r) {
    const auto n = static_cast<double>(step + r + 16);
    const double over = std::fabs(block.inverse[r]) * (1 + 0x1p-40);
    const double e = kPair ? pair_error(n) * block.anchor[r] : 0;
    bounds.gain[r] = ((kPair ? 0 : n * 0x1.01p-53) + spread) * over;
    bounds.base[r] = (e + 0x1p-1000) * over + 0x1p-1000;
    const double size = std::fabs(block.diagonal[r]);
    fine[r] = (size >= 0x1p-900) & (size <= 0x1p900) ? 0 : std::numeric_limits<double>::quiet_NaN();
  }
  double s[kRows], l[kRows], m[kRows], q[kRows] = {}, q2[kRows] = {}, w[kRows] = {};
  for (int until = count;;) {
    for (int r = 0; r < kRows; ++r) s[r] = block.sum[r], l[r] = block.low[r], m[r] = block.size[r];
    run_chain<T, kCertified, kPair>(block, begin, until, bounds, s, l, m, q, q2, w);
    double least[kRows], most[kRows];
    T rounded[kRows];
    for (int r = 0; r < kRows; ++r) {
      bool within = true;
      if (kPair) within = m[r] <= kAnchored * block.anchor[r];
      if (!kPair && sizeof(T) == 4) within = m[r] >= kLeastFloatSize;
      const double wide = within ? w[r] + fine[r] : std::numeric_limits<double>::quiet_NaN();
      ends_of<T>(q[r], q2[r], wide, least[r], most[r]);
    }
    nearest_of_ends(least, most, rounded);
    for (int r = 0; r < kRows; ++r) block.rounded[r] = static_cast<double>(rounded[r]);
    block.all_certain = true;
    for (int r = begin; r < until; ++r)
      block.all_certain = block.all_certain & (block.rounded[r] == block.rounded[r]);
    int last = until;
    for (int r = begin; r < until && !block.all_certain; ++r) {
      if (block.rounded[r] == block.rounded[r] || !(stop || m[r] == 0)) continue;
      last = r + 1;
      break;
    }
    if (last < until) {
      until = last;
      continue;
    }
    for (int r = 0; r < kRows; ++r) block.sum[r] = s[r], block.low[r] = l[r], block.size[r] = m[r];
    return until;
  }
}

}  // namespace reprosum::exact
