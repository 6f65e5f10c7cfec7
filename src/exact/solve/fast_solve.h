// A triangular system by pairs of doubles, or by plain doubles, with a bound for each component.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "src/exact/machine/fast_counts.h"
#include "src/exact/machine/host.h"
#include "src/exact/machine/page_places.h"
#include "src/exact/machine/scratch.h"
#include "src/exact/solve/diagonal_block.h"
#include "src/exact/solve/residuals.h"
#include "src/exact/solve/row_norms.h"
#include "src/exact/solve/solve_kernels.h"
#include "src/exact/solve/triangular.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/values/quotient.h"

namespace reprosum::exact {

// What makes an approximate solution more accurate.
template <class T>
struct Correction {
  const ResidualKernel<T>& residual;
  const SolveKernel<T>& plain;
};

// Right sides other than b: each known within `off`.
struct OtherRight {
  const double *value, *off;
};

template <class T, bool kCertified, bool kPair>
class FastSolve {
 public:
  FastSolve(const Kernels* kernels, const SolveKernels& all, const SolveKernel<T>& loops,
            const Triangular<T>& system, View<T> b)
      : FastSolve(kernels, all, loops, system, b, nullptr, nullptr) {}
  // Its numbers may be elsewhere, so many of them.
  static std::int64_t numbers(std::int64_t n) { return 8 * (n + 16) + 4 * kPage; }
  FastSolve(const Kernels* kernels, const SolveKernels& all, const SolveKernel<T>& loops,
            const Triangular<T>& system, View<T> b, const OtherRight* other, double* memory)
      : kernels_(kernels),
        all_(all),
        loops_(loops),
        system_(system),
        b_(b),
        other_(other),
        n_(system.n),
        by_rows_(system.a.column == 1),
        rounded_(static_cast<std::size_t>(n_)),
        float_sizes_(kFloatSized ? rounded_.size() + 16 : 0) {
    const std::int64_t length = n_ + 16;
    x1_ = memory != nullptr
              ? memory
              : scratch_.take(kCertified && kPair ? 2 * numbers(n_) + 6 * length : numbers(n_));
    x2_ = x1_ + length;
    sizes_of_x_ = x2_ + length;
    anchors_ = sizes_of_x_ + length;
    std::fill_n(x1_, 4 * length, 0.0);
    sums_ = place(anchors_ + length, 1);
    low_ = place(sums_ + length, 2);
    sizes_ = place(low_ + length, 3);
    for (double* const p : {sums_, low_, sizes_}) std::fill_n(p, length, 0.0);
    norms_.keep_in(place(sizes_ + length, 3));  // columns go into sizes or norms
    norms_.begin(length);
    // Small beside A: with the anchors of adjust(), M <= 24 A.
    const auto n = static_cast<double>(n_ + 16);
    if (kPair)
      block_.shift = std::ldexp(1.0, -std::ilogb(384 * pair_error(n)) - 1);
    else
      block_.shift = 0x1p51 / static_cast<double>(additions(n_) + 16);
    // Corrections need few of their bits; less of their errors then goes into A.
    if (other_ != nullptr) block_.shift *= 0x1p-4;
  }

  // Writes the solution to b, if every component is certain. `sizes`, guesses at the rows' sums of
  // magnitudes, may be null; only certified pairs look at `correction`.
  bool run(const double* sizes, const Correction<T>* correction) {
    if (sizes != nullptr) {
      std::copy_n(sizes, n_, sizes_);
      adjust();
    } else {
      guess();
    }
    for (int attempt = 1; attempt <= kAttempts; ++attempt) {
      open_ = 0;
      block_.estimates = kCertified && attempt == 3;
      by_norms_ = attempt == 1 && !by_rows_ && loops_.columns_by_norms != nullptr;
      const std::int64_t done = solve(attempt == kAttempts, attempt == 1 && sizes == nullptr);
      const bool foreseen = done < n_;
      if (foreseen) {
        foresee(done);
        open_ = 0;
        by_norms_ = false;  // A is to be as close as it can be where it grows
        solve(false, false);
      }
      if (open_ == 0 && !block_.estimates) return write();
      const bool first = attempt == 1 && !foreseen;
      const bool again = first || (attempt < kAttempts && !anchored());
      if constexpr (kPair && kCertified) {
        if (!again && !block_.estimates && correct(*correction)) {
          ++fast_counts().corrected;
          return write();
        }
      }
      adjust();
    }
    return false;
  }

  // For other right sides: solves once. A component is -x1 within sizes_of_x / shift.
  struct Bounded {
    const double *x1, *sizes_of_x;
    double shift;
  };
  Bounded solve_once() {
    std::fill_n(anchors_, n_, 0.0);
    solve(true, false);
    return {x1_, sizes_of_x_, block_.shift};
  }
  // The sizes of the last attempt, from which a further solve takes the rows' sums of magnitudes.
  const double* sizes() const { return sizes_; }

 private:
  static constexpr bool kFloatSized = !kPair && !Format<T>::kDouble;
  static constexpr std::int64_t kGroup = 4 * kRows, kChunk = 1024;
  // Anchors are a guess at first, then follow the sizes of the attempt before. Where errors far
  // above a component made those of no use, the third is for sizes alone.
  static constexpr int kAttempts = !kPair ? 1 : kCertified ? 5 : 2;

  // Where columns are read, while sums of their rows are stored.
  double* place(double* from, std::int64_t quarters) const {
    return by_rows_ ? from : behind(system_.a.first, quarters, from);
  }

  // From the right side alone.
  void guess() {
    if (!kPair) return;
    std::fill_n(anchors_, n_, anchor_of(exponent_of(largest_right() * 0x1p6)));
  }
  double largest_right() const {
    double most = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
      const double size = std::fabs(static_cast<double>(b_.at(i, 0)));
      most = size > most ? size : most;
    }
    return most;
  }
  // From the first steps too, whose sizes have outgrown that: as if they went on to grow like it,
  // with as much room as adjust() leaves.
  void foresee(std::int64_t done) {
    double most = 0;
    for (std::int64_t step = 0; step < done; ++step) {
      const double size = sizes_[row_of(step)];
      most = size > most ? size : most;
    }
    const int start = exponent_of(largest_right()), now = exponent_of(most);
    for (std::int64_t step = 0; step < n_; ++step) {
      const std::int64_t grown = std::max(now - start, 0) * step / done;
      const std::int64_t exponent = std::min<std::int64_t>(start + 3 + grown, 900);
      anchors_[row_of(step)] = anchor_of(static_cast<int>(exponent));
    }
  }
  bool anchored() const {
    for (std::int64_t i = 0; i < n_; ++i)
      if (!(sizes_[i] <= kAnchored * anchors_[i])) return false;
    return true;
  }
  bool write() {
    for (std::int64_t i = 0; i < n_; ++i) b_.at(i, 0) = rounded_[static_cast<std::size_t>(i)];
    fast_counts().tried += n_;
    fast_counts().settled += settled_;
    return true;
  }

  // What X leaves of b is L (x - X): a solution of that by plain doubles, with its bounds, makes X
  // more accurate, and most components certain. X is then as good as the residuals let it be, or
  // taken for another round. Components that are known to be zero stay so.
  bool correct(const Correction<T>& correction) {
    constexpr int kRounds = 3;
    const std::int64_t length = n_ + 16;
    double* const residual = x1_ + numbers(n_);
    double* const off = residual + length;
    const OtherRight right{residual, off};
    std::int64_t before = open_ + 1;
    for (int round = 0; round < kRounds && open_ < before; ++round) {
      before = open_;
      residuals_of<T>(kernels_, correction.residual, system_, {b_.first, b_.row, b_.column},
                      {x1_, x2_, sizes_}, off + length, residual, off);
      FastSolve<T, true, false> plain(kernels_, all_, correction.plain, system_, b_, &right,
                                      off + 5 * length);
      take(plain.solve_once());
      if (open_ == 0) return true;
    }
    return false;
  }

  // From what the sums of magnitudes came out as. Squares may overflow where those do not.
  void adjust() {
    for (std::int64_t i = 0; i < n_; ++i)
      if (sizes_[i] > 0 && std::isfinite(sizes_[i]))
        anchors_[i] = anchor_of(exponent_of(sizes_[i] * 8));
  }
  // Most that a running sum of floats has seen after `step` others: rows have 4 lanes or 8.
  std::int64_t additions(std::int64_t step) const {
    return !kPair && by_rows_ ? (step + 3) / 4 : step;
  }
  static int exponent_of(double value) {
    const int field = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff;
    return std::clamp(field - 1022, -900, 900);
  }

  // X + d for d within a bound of the true error, and the rounding test of it. X + d is y1 + y2,
  // but for what the sum of its lower parts is rounded by.
  template <class Solution>
  void take(const Solution& d) {
    open_ = 0;
    const double back = (1 + 0x1p-40) / d.shift;
    double grown = 1 + 0x1p-20;
    for (std::int64_t i = 0; i < n_; ++i) {
      if (sizes_of_x_[i] == 0) continue;
      const double low = -x2_[i] - d.x1[i];
      double y1, y2;
      two_sum(-x1_[i], low, y1, y2);
      const double w = d.sizes_of_x[i] * back + std::fabs(low) * 0x1p-52 + 0x1p-1000;
      const double size = system_.unit ? 1 : std::fabs(static_cast<double>(system_.a.at(i, i)));
      T tested;
      const bool certain = nearest_of(y1, y2, w, tested) & (size >= 0x1p-900) & (size <= 0x1p900);
      if (certain)
        rounded_[static_cast<std::size_t>(i)] = tested;
      else
        ++open_;
      x1_[i] = -y1;
      x2_[i] = -y2;
      const double ratio = std::fabs(y1) / sizes_of_x_[i];
      grown = ratio > grown ? ratio : grown;
    }
    // What A was made with may have become too small.
    for (std::int64_t i = 0; i < n_; ++i) sizes_[i] *= grown;
  }

  std::int64_t row_of(std::int64_t step) const { return system_.lower ? step : n_ - 1 - step; }

  // Gives how many steps it took: not all if `tries` and the anchors have become too small.
  std::int64_t solve(bool last, bool tries) {
    settled_ = 0;
    any_ = false;
    if (!by_rows_) {
      for (std::int64_t i = 0; i < n_; ++i) begin(i, sums_[i], low_[i], sizes_[i], anchors_[i]);
    }
    if (by_norms_) norms_.begin(n_);
    for (std::int64_t step = 0; step < n_; step += kRows) {
      const int count = static_cast<int>(std::min(kRows, n_ - step));
      prefetch_block(step + kRows);
      if (by_rows_) sum_rows(step, count);
      for (std::int64_t k = step; by_norms_ && k < step + count; ++k)
        norms_.add_to(row_of(k), sizes_[row_of(k)]);
      if (!solve_at_once(step, count)) {
        load_block(step, count);
        solve_block(step, count, last);
      }
      if (kPair && kCertified && tries && outgrown(step, count)) return step + count;
      if (by_norms_) note_sizes(step, count);
      if (!by_rows_) take_off(step, count);
    }
    return n_;
  }
  bool outgrown(std::int64_t step, int count) const {
    bool any = false;
    for (std::int64_t k = step; k < step + count; ++k)
      any = any | (sizes_[row_of(k)] > kAnchored * anchors_[row_of(k)]);
    return any && step + count < n_;
  }

  // A row's sum with nothing in it but its right side.
  void begin(std::int64_t i, double& sum, double& low, double& size, double base) const {
    const double b = other_ != nullptr ? other_->value[i] : static_cast<double>(b_.at(i, 0));
    sum = base + b;
    low = kPair ? b - (sum - base) : 0;
    size = std::fabs(b);
    if (other_ != nullptr) size += block_.shift * other_->off[i];
  }

  // Its lines lie apart, and nothing else of them was read before.
  void prefetch_block(std::int64_t step) const {
    if (step + kRows > n_) return;
    const std::int64_t begin = row_of(step), end = row_of(step + kRows - 1);
    for (std::int64_t k = step; k < step + kRows; ++k) {
      const std::int64_t i = row_of(k);
      __builtin_prefetch(by_rows_ ? &system_.a.at(i, begin) : &system_.a.at(begin, i));
      __builtin_prefetch(by_rows_ ? &system_.a.at(i, end) : &system_.a.at(end, i));
    }
  }

  // Where all components of a whole block are certain.
  bool solve_at_once(std::int64_t step, int count) {
    if (count < kRows || other_ != nullptr || block_.estimates) return false;
    const std::int64_t way = system_.lower ? 1 : -1, top = row_of(step);
    const std::int64_t first = system_.lower ? top : top - kRows + 1;  // in memory
    BlockOfRows<T> block = {};
    block.a = &system_.a.at(top, top);
    block.down = way * system_.a.row;
    block.across = way * system_.a.column;
    block.unit = system_.unit;
    block.reversed = !system_.lower;
    block.sums = sums_ + first;
    block.low = low_ + first;
    block.sizes = sizes_ + first;
    block.anchors = anchors_ + first;
    block.additions = static_cast<double>(additions(step));
    block.shift = block_.shift;
    block.x1 = x1_ + first;
    block.x2 = x2_ + first;
    block.size_of_x = sizes_of_x_ + first;
    block.size = sizes_ + first;
    if (kFloatSized) block.float_size = float_sizes_.data() + first;
    block.rounded = rounded_.data() + first;
    const BlockKernel<T>& kernel = block_kernel();
    if (!(kCertified ? kernel.certified : kernel.rounded)(block)) return false;
    any_ = true;
    return true;
  }
  // Plain doubles only solve for other right sides, which are not rounded.
  const BlockKernel<T>& block_kernel() const {
    if constexpr (Format<T>::kDouble)
      return all_.block;
    else
      return kPair ? all_.float_block : all_.plain_block;
  }

  void load_block(std::int64_t step, int count) {
    const T* const corner = &system_.a.at(row_of(step), row_of(step));
    const std::int64_t way = system_.lower ? 1 : -1;
    const std::int64_t down = way * system_.a.row, across = way * system_.a.column;
    if (count == kRows) {
#pragma GCC unroll 8
      for (int k = 0; k < kRows; ++k) {
#pragma GCC unroll 8
        for (int r = k + 1; r < kRows; ++r)
          block_.element[k * kRows + r] = static_cast<double>(corner[r * down + k * across]);
      }
    } else {
      for (int k = 0; k < kRows; ++k)
        for (int r = k + 1; r < kRows; ++r)
          block_.element[k * kRows + r] =
              r < count ? static_cast<double>(corner[r * down + k * across]) : 0;
    }
    const std::int64_t top = row_of(step);
    for (int r = 0; r < kRows; ++r) {
      const bool there = r < count;
      const std::int64_t i = there ? top + way * r : top;
      block_.diagonal[r] =
          !there || system_.unit ? 1 : static_cast<double>(corner[r * (down + across)]);
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
        const std::int64_t k = i - from;
        begin(i, sums_[i], low_[i], sizes_[i], anchors_[i] + (step > 0 ? high[k] : 0));
        low_[i] += step > 0 ? low[k] : 0;
        sizes_[i] += step > 0 ? sizes[k] : 0;
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
    if (!by_norms_ || !norms_.complete()) return;
    norms_.add_to_all(all_.add_norms, system_.lower ? end : 0, n_ - end, sizes_);
    by_norms_ = !norms_.spread();
  }

  // kRows components from `step` on, off the rows of steps [begin, end).
  void take_off_rows(std::int64_t step, std::int64_t begin, std::int64_t end) {
    const std::int64_t column = system_.lower ? step : n_ - step - kRows;
    const std::int64_t from = system_.lower ? begin : n_ - end;
    const auto columns = by_norms_ ? loops_.columns_by_norms : loops_.columns;
    columns(end - begin, system_.a.first + from * system_.a.row + column * system_.a.column,
            system_.a.column, solved_from(column), sums_ + from, low_ + from,
            by_norms_ ? norms_.of(from) : sizes_ + from);
  }
  void note_sizes(std::int64_t step, int count) {
    for (std::int64_t k = step; k < step + count; ++k)
      norms_.note(sizes_of_x_[row_of(k)], std::fabs(x1_[row_of(k)]));
    norms_.end_block();
  }

  Solved solved_from(std::int64_t i) const {
    return {x1_ + i, kPair && kCertified ? x2_ + i : nullptr, sizes_of_x_ + i,
            kFloatSized ? float_sizes_.data() + i : nullptr};
  }

  void solve_block(std::int64_t step, int count, bool last) {
    // Beyond these, another try with better anchors costs less than exact sums.
    const bool settles = !kCertified && (last || settled_ < 8 + n_ / 32);
    int done = 0;
    DiagonalBlock* const block = &block_;
    int* const end = &done;
    const std::int64_t before = additions(step);
    for (int begin = 0; begin < count; begin = done) {
      run_vectorized(lanes_of(kernels_), [=]() REPROSUM_INLINED {
        *end = run_block<T, kCertified, kPair>(*block, begin, count, before, settles);
      });
      keep(step, begin, done);
      for (int r = begin; r < done && !block_.all_certain; ++r) {
        if (block_.rounded[r] == block_.rounded[r]) continue;
        if (!is_zero(step, r)) {
          if (!settles) {
            ++open_;
            continue;
          }
          settle(step, r);
        }
        keep(step, r, r + 1);
      }
    }
  }

  // Stores the results of steps [begin, end) of the block.
  void keep(std::int64_t step, int begin, int end) {
    const std::int64_t way = system_.lower ? 1 : -1, top = row_of(step);
    double any = 0;
    for (int r = begin; r < end; ++r) {
      const std::int64_t i = top + way * r;
      sizes_[i] = block_.size[r];
      x1_[i] = -block_.x1[r];
      if (kPair) x2_[i] = -block_.x2[r];
      sizes_of_x_[i] = block_.width[r];
      if (kFloatSized) float_sizes_[static_cast<std::size_t>(i)] = float_size_of(block_.width[r]);
      any += block_.width[r];
      rounded_[static_cast<std::size_t>(i)] = static_cast<T>(block_.rounded[r]);
    }
    any_ = any_ || any != 0;
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
  const SolveKernels& all_;
  const SolveKernel<T>& loops_;
  const Triangular<T>& system_;
  const View<T> b_;
  const OtherRight* const other_;
  const std::int64_t n_;
  const bool by_rows_;
  std::vector<T> rounded_;
  std::vector<float> float_sizes_;  // as sizes_of_x_
  Scratch scratch_;
  // X with the other sign and its sizes; for each row the anchor and S, L and A.
  double *x1_, *x2_, *sizes_of_x_, *anchors_, *sums_, *low_, *sizes_;
  RowNorms norms_;
  bool by_norms_ = false;
  DiagonalBlock block_ = {};
  std::int64_t open_ = 0, settled_ = 0;  // components left undecided, and by exact sums
  bool any_ = false;                     // a component that is not zero
};

}  // namespace reprosum::exact
