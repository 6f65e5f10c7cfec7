// Eight rows of a triangular system, from the sums of what precedes them to their components.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "src/exact/nearest.h"
#include "src/exact/pairs.h"
#include "src/exact/solves.h"

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
  double rounded[kRows];
  bool certain[kRows];
};

// Steps [begin, count) of a block that `step` others precede (or additions of a running sum, where
// those are fewer), and how many are done after them: it
// stops at one that is not certain, if `stop` or if it may be zero. What stands for that in the
// block when it goes on is taken off the rows below.
//
// The sum V = S - M + L is off by at most E: what solves.h says for `step` + 16 steps, and, if X is
// only an approximation of x, A / shift for it. With i = inverse, d = diagonal and H = S - M, q =
// H i rounded twice and H - q d, of at most 2^-51.9 |H|, rounded once: off by 2^-104.9 |H|. That
// plus L is off by u times it; its product with i, q2, by 2.02 u |q2| more. So V / d is q + q2 but
// for E |i| (1 + 2^-50) + 2^-103 |q| + 2^-51 |q2|; what underflows is below 2^-1000, before the
// division and after it.
//
// Certified: X = x1 + x2 is q + q2, as a sum without error; without pairs x2, below 2^-53 |x1|, is
// dropped. The true x is within w of it, so `size` |x1| (1 + 2^-40) + shift * w covers both uses of
// it: A bounds the partial sums, and A / shift the sum of |a| w. Otherwise X is the rounded
// component itself.
template <class T, bool kCertified, bool kPair>
[[gnu::always_inline]] inline int run_block(DiagonalBlock& block, int begin, int count,
                                            std::int64_t step, bool stop) {
  double s[kRows], l[kRows], m[kRows], e[kRows];
  for (int r = 0; r < kRows; ++r) {
    const auto n = static_cast<double>(step + r + 16);
    s[r] = block.sum[r];
    l[r] = block.low[r];
    m[r] = block.size[r];
    e[r] = kPair ? pair_error(n) * block.anchor[r] + 0x1p-1000 : n * 0x1.01p-53;
  }
  const double from_size = 1.01 / block.shift;
  int done = begin;
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    if (r < begin - 1) continue;
    if (r >= count) break;
    double y1 = block.x1[r], y2 = block.x2[r], width = block.width[r];
    if (r >= begin) {
      const double d = block.diagonal[r], i = block.inverse[r];
      const double high = kPair ? s[r] - block.anchor[r] : s[r], q = high * i;
      const double left = __builtin_fma(-q, d, high), rest = kPair ? left + l[r] : left;
      const double q2 = rest * i;
      const double x1 = q + q2;
      const double spread = kCertified ? from_size : 0;
      const double off =
          kPair ? __builtin_fma(m[r], spread, e[r]) : __builtin_fma(m[r], e[r] + spread, 0x1p-1000);
      // What does not wait for `m` comes first.
      double w = std::fabs(q) * 0x1p-103 + std::fabs(q2) * 0x1p-51 + 0x1p-1000;
      if (kCertified && !kPair) w += std::fabs(x1) * 0x1p-52;
      w = __builtin_fma(off, std::fabs(i) * (1 + 0x1p-40), w);
      const double size = std::fabs(d);
      bool fine = (size >= 0x1p-900) & (size <= 0x1p900);
      if (kPair) fine &= m[r] <= kAnchored * block.anchor[r];
      if (!kPair && sizeof(T) == 4) fine &= m[r] >= kLeastFloatSize;
      T tested;
      y1 = x1;
      y2 = 0;
      if (kCertified) {
        if (kPair) two_sum(q, q2, y1, y2);
        fine &= nearest_of(y1, y2, w, tested);
        width = __builtin_fma(block.shift, w, std::fabs(y1) * (1 + 0x1p-40));
        if (block.estimates) width = std::min(width, 2 * std::fabs(y1));
      } else {
        fine &= nearest_of(q, q2, w, tested);
        // All within w rounds alike, and so does x1.
        y1 = static_cast<double>(static_cast<T>(x1));
        width = std::fabs(y1);
      }
      block.x1[r] = y1;
      block.x2[r] = y2;
      block.width[r] = width;
      block.rounded[r] = static_cast<double>(tested);
      block.certain[r] = fine;
      done = r + 1;
      if (!fine && (stop || m[r] == 0)) break;
    }
#pragma GCC unroll 8
    for (int k = r + 1; k < kRows; ++k) {
      const double a = -block.element[r * kRows + k], t = __builtin_fma(a, y1, s[k]);
      if (kPair) {
        const double rest = __builtin_fma(a, y1, s[k] - t);
        l[k] += kCertified ? __builtin_fma(a, y2, rest) : rest;
      }
      s[k] = t;
      m[k] = __builtin_fma(std::fabs(a), width, m[k]);
    }
  }
  for (int r = 0; r < kRows; ++r) block.sum[r] = s[r], block.low[r] = l[r], block.size[r] = m[r];
  return done;
}

}  // namespace reprosum::exact
