#include "src/exact/fast_trsv.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <vector>

#include "src/exact/fast_counts.h"
#include "src/exact/float_bits.h"
#include "src/exact/host.h"
#include "src/exact/nearest.h"
#include "src/exact/quotient.h"
#include "src/exact/scratch.h"
#include "src/exact/tiles.h"

namespace reprosum::exact {
namespace {

constexpr std::int64_t kRows = kSolveColumns;  // of a diagonal block

// A diagonal block in the order of its steps, and the sums of its rows (solves.h). element[k *
// kRows
// + r] is that of row r in the column of step k; inverses are 1 / diagonal, rounded.
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
      const double high = s[r] - block.anchor[r], q = high * i;
      const double rest = __builtin_fma(-q, d, high) + l[r], q2 = rest * i;
      const double x1 = q + q2;
      double off = kPair ? e[r] : e[r] * m[r] + 0x1p-1000;
      if (kCertified) off += m[r] * from_size;
      double w = off * (std::fabs(i) * (1 + 0x1p-40)) + std::fabs(q) * 0x1p-103 +
                 std::fabs(q2) * 0x1p-51 + 0x1p-1000;
      const double size = std::fabs(d);
      bool fine = (size >= 0x1p-900) & (size <= 0x1p900);
      if (kPair) fine &= m[r] <= kAnchored * block.anchor[r];
      T tested;
      y1 = x1;
      y2 = 0;
      if (kCertified) {
        if (kPair)
          two_sum(q, q2, y1, y2);
        else
          w += std::fabs(x1) * 0x1p-52;
        fine &= nearest_of(y1, y2, w, tested);
        width = std::fabs(y1) * (1 + 0x1p-40) + block.shift * w;
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

template <class T, bool kCertified, bool kPair>
class FastSolve {
 public:
  FastSolve(const Kernels* kernels, const SolveKernel<T>& loops, const Triangular<T>& system,
            View<T> b)
      : kernels_(kernels),
        loops_(loops),
        system_(system),
        b_(b),
        n_(system.n),
        by_rows_(system.a.column == 1),
        rounded_(static_cast<std::size_t>(n_)) {
    const std::int64_t length = n_ + 16;
    x1_ = scratch_.take(7 * length);
    x2_ = x1_ + length;
    sizes_of_x_ = x2_ + length;
    anchors_ = sizes_of_x_ + length;
    sums_ = anchors_ + length;
    low_ = sums_ + length;
    sizes_ = low_ + length;
    std::fill_n(x1_, 7 * length, 0.0);
    // Small beside A: with the anchors of adjust(), M <= 24 A.
    const auto n = static_cast<double>(n_ + 16);
    if (kPair)
      block_.shift = std::ldexp(1.0, -std::ilogb(384 * pair_error(n)) - 1);
    else
      block_.shift = 0x1p51 / static_cast<double>(additions(n_) + 16);
  }

  bool run() {
    guess();
    for (int attempt = 1; attempt <= kAttempts; ++attempt) {
      open_ = 0;
      block_.estimates = kCertified && attempt == 3;
      solve(attempt == kAttempts);
      if (open_ == 0 && !block_.estimates) {
        for (std::int64_t i = 0; i < n_; ++i) b_.at(i, 0) = rounded_[static_cast<std::size_t>(i)];
        fast_counts().tried += n_;
        fast_counts().settled += settled_;
        return true;
      }
      adjust();
    }
    return false;
  }

 private:
  static constexpr std::int64_t kGroup = 4 * kRows, kChunk = 256;
  // Anchors are a guess at first, then follow the sizes of the attempt before. Where errors far
  // above a component made those of no use, the third is for sizes alone.
  static constexpr int kAttempts = !kPair ? 1 : kCertified ? 5 : 2;

  // From the right side alone.
  void guess() {
    if (!kPair) return;
    double most = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
      const double size = std::fabs(static_cast<double>(b_.at(i, 0)));
      most = size > most ? size : most;
    }
    std::fill_n(anchors_, n_, anchor_of(exponent_of(most * 0x1p6)));
  }
  // From what the sums of magnitudes came out as.
  void adjust() {
    for (std::int64_t i = 0; i < n_; ++i)
      if (sizes_[i] > 0) anchors_[i] = anchor_of(exponent_of(sizes_[i] * 8));
  }
  // Most that a running sum of floats has seen after `step` others: rows have 4 lanes or 8.
  std::int64_t additions(std::int64_t step) const {
    return !kPair && by_rows_ ? (step + 3) / 4 : step;
  }
  static int exponent_of(double value) {
    const int field = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff;
    return std::clamp(field - 1022, -900, 900);
  }

  std::int64_t row_of(std::int64_t step) const { return system_.lower ? step : n_ - 1 - step; }

  void solve(bool last) {
    settled_ = 0;
    any_ = false;
    if (!by_rows_) {
      for (std::int64_t i = 0; i < n_; ++i) begin(i, sums_[i], low_[i], sizes_[i], anchors_[i]);
    }
    for (std::int64_t step = 0; step < n_; step += kRows) {
      const int count = static_cast<int>(std::min(kRows, n_ - step));
      load_block(step, count);
      if (by_rows_) sum_rows(step, count);
      solve_block(step, count, last);
      if (!by_rows_) take_off(step, count);
    }
  }

  // A row's sum with nothing in it but its right side.
  void begin(std::int64_t i, double& sum, double& low, double& size, double base) const {
    const auto b = static_cast<double>(b_.at(i, 0));
    sum = base + b;
    low = kPair ? b - (sum - base) : 0;
    size = std::fabs(b);
  }

  void load_block(std::int64_t step, int count) {
    for (int r = 0; r < kRows; ++r) {
      const bool there = r < count;
      const std::int64_t i = row_of(step + (there ? r : 0));
      for (int k = 0; k < r; ++k)
        block_.element[k * kRows + r] =
            there ? static_cast<double>(system_.a.at(i, row_of(step + k))) : 0;
      block_.diagonal[r] = !there || system_.unit ? 1 : static_cast<double>(system_.a.at(i, i));
      block_.anchor[r] = anchors_[i];
      block_.sum[r] = there ? sums_[i] : 0;
      block_.low[r] = there ? low_[i] : 0;
      block_.size[r] = there ? sizes_[i] : 0;
    }
    for (int r = 0; r < kRows; ++r) block_.inverse[r] = 1 / block_.diagonal[r];
  }

  // All that is solved, off the block's rows.
  void sum_rows(std::int64_t step, int count) {
    const std::int64_t solved = system_.lower ? 0 : n_ - step;  // its first
    const std::int64_t top = system_.lower ? step : n_ - step - count;
    for (std::int64_t first = 0; first < count; first += kSolveRows) {
      // The last rows may begin before their turn; only new ones are kept.
      const std::int64_t from = std::min(top + first, n_ - kSolveRows);
      double high[kSolveRows] = {}, low[kSolveRows] = {}, sizes[kSolveRows] = {};
      if (step > 0)
        loops_.rows(step, system_.a.first + from * system_.a.row + solved, system_.a.row,
                    solved_from(solved), anchors_ + from, high, low, sizes);
      for (std::int64_t i = top + first; i < std::min(top + first + kSolveRows, top + count); ++i) {
        const std::int64_t r = system_.lower ? i - top : top + count - 1 - i, k = i - from;
        double& sum = block_.sum[r];
        begin(i, sum, block_.low[r], block_.size[r], anchors_[i] + (step > 0 ? high[k] : 0));
        block_.low[r] += step > 0 ? low[k] : 0;
        block_.size[r] += step > 0 ? sizes[k] : 0;
      }
    }
  }

  // The block's components, off the rows of its group; those of a complete group, off all rows to
  // come, of which kChunk at a time stay in the cache.
  void take_off(std::int64_t step, int count) {
    const std::int64_t next = step + count, group = step / kGroup * kGroup;
    const std::int64_t end = std::min(group + kGroup, n_);
    if (next < end) return take_off_rows(step, next, end);
    for (std::int64_t from = end; from < n_; from += kChunk)
      for (std::int64_t block = group; block < end; block += kRows)
        take_off_rows(block, from, std::min(from + kChunk, n_));
  }

  // kRows components from `step` on, off the rows of steps [begin, end).
  void take_off_rows(std::int64_t step, std::int64_t begin, std::int64_t end) {
    const std::int64_t column = system_.lower ? step : n_ - step - kRows;
    const std::int64_t from = system_.lower ? begin : n_ - end;
    loops_.columns(end - begin, system_.a.first + from * system_.a.row + column * system_.a.column,
                   system_.a.column, solved_from(column), sums_ + from, low_ + from, sizes_ + from);
  }

  Solved solved_from(std::int64_t i) const {
    return {x1_ + i, kPair && kCertified ? x2_ + i : nullptr, sizes_of_x_ + i};
  }

  void solve_block(std::int64_t step, int count, bool last) {
    // Beyond these, another try with better anchors costs less than exact sums.
    const bool settles = !kCertified && (last || settled_ < 8 + n_ / 32);
    int done = 0;
    DiagonalBlock* const block = &block_;
    int* const end = &done;
    const std::int64_t before = additions(step);
    for (int begin = 0; begin < count; begin = done) {
      run_vectorized(kernels_, [=]() REPROSUM_INLINED {
        *end = run_block<T, kCertified, kPair>(*block, begin, count, before, settles);
      });
      for (int r = begin; r < done; ++r) {
        if (!block_.certain[r] && !is_zero(step, r)) {
          if (settles)
            settle(step, r);
          else
            ++open_;
        }
        const std::int64_t i = row_of(step + r);
        sizes_[i] = block_.size[r];
        x1_[i] = -block_.x1[r];
        x2_[i] = -block_.x2[r];
        sizes_of_x_[i] = block_.width[r];
        any_ = any_ || block_.width[r] != 0;
        rounded_[static_cast<std::size_t>(i)] = static_cast<T>(block_.rounded[r]);
      }
    }
  }

  void set(int r, T value) {
    block_.rounded[r] = block_.x1[r] = static_cast<double>(value);
    block_.x2[r] = 0;
    block_.width[r] = std::fabs(block_.x1[r]);
  }

  // Is the component zero for all its terms are? Their sum is then +0 if the right side is, over
  // the diagonal; the true solution is +0. Sizes that vanish may come of products too small.
  bool is_zero(std::int64_t step, int r) {
    const double d = block_.diagonal[r];
    const std::int64_t i = row_of(step + r);
    if (block_.size[r] != 0 || d == 0 || !std::isfinite(d)) return false;
    if (!kCertified && std::signbit(b_.at(i, 0))) return false;
    for (std::int64_t before = 0; any_ && before < step + r; ++before) {
      const std::int64_t j = row_of(before);
      if (system_.a.at(i, j) != 0 && sizes_of_x_[j] != 0) return false;
    }
    set(r, kCertified ? T(0) : std::copysign(T(0), static_cast<T>(d)));
    return true;
  }

  void settle(std::int64_t step, int r) {
    const std::int64_t i = row_of(step + r), solved = system_.lower ? 0 : i + 1;
    const Accumulator<double> sum =
        residual<T>(kernels_, step + r, b_.at(i, 0),
                    system_.a.first + i * system_.a.row + solved * system_.a.column,
                    system_.a.column, rounded_.data() + solved, 1);
    set(r, system_.unit ? sum.rounded<T>(Rounding::nearest_even)
                        : rounded_quotient(sum, system_.a.at(i, i)));
    ++settled_;
  }

  const Kernels* kernels_;
  const SolveKernel<T>& loops_;
  const Triangular<T>& system_;
  const View<T> b_;
  const std::int64_t n_;
  const bool by_rows_;
  std::vector<T> rounded_;
  Scratch scratch_;
  // X with the other sign and its sizes; for each row the anchor and S, L and A.
  double *x1_, *x2_, *sizes_of_x_, *anchors_, *sums_, *low_, *sizes_;
  DiagonalBlock block_ = {};
  std::int64_t open_ = 0, settled_ = 0;  // components left undecided, and by exact sums
  bool any_ = false;                     // a component that is not zero
};

template <class T, bool kCertified, bool kPair>
bool solve_with(const Kernels* kernels, const SolveKernel<T>& loops, const Triangular<T>& system,
                View<T> b) {
  try {
    return FastSolve<T, kCertified, kPair>(kernels, loops, system, b).run();
  } catch (const std::bad_alloc&) {
    return false;  // from the constructor, before anything was written
  }
}

template <class T, bool kCertified>
bool solve_fast(const Kernels* kernels, const Triangular<T>& system, View<T> b) {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  const TileKernels* const tiles = kernels != nullptr ? tile_kernels(kernels->lanes) : nullptr;
  if (tiles == nullptr || system.n > kMost) return false;
  if (system.a.row != 1 && system.a.column != 1) return false;
  if constexpr (sizeof(T) == 8) {
    return solve_with<T, kCertified, true>(kernels, tiles->solve, system, b);
  } else {
    return solve_with<T, kCertified, false>(kernels, tiles->plain_solve, system, b) ||
           (kCertified && solve_with<T, true, true>(kernels, tiles->float_solve, system, b));
  }
}

}  // namespace

template <class T>
bool substitute_fast(const Kernels* kernels, const Triangular<T>& system, View<T> b) {
  return solve_fast<T, false>(kernels, system, b);
}
template <class T>
bool solve_certified_fast(const Kernels* kernels, const Triangular<T>& system, View<T> b) {
  return solve_fast<T, true>(kernels, system, b);
}

template bool substitute_fast(const Kernels*, const Triangular<float>&, View<float>);
template bool substitute_fast(const Kernels*, const Triangular<double>&, View<double>);
template bool solve_certified_fast(const Kernels*, const Triangular<float>&, View<float>);
template bool solve_certified_fast(const Kernels*, const Triangular<double>&, View<double>);

}  // namespace reprosum::exact
