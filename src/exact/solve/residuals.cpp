#include "src/exact/solve/residuals.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "src/exact/machine/host.h"
#include "src/exact/solve/solves.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/sums/pairs.h"
#include "src/exact/values/nearest.h"

namespace reprosum::exact {
namespace {

constexpr std::int64_t kRows = kSolveColumns;  // of a diagonal block

// A diagonal block in the order of its steps: element[k * kRows + r] is that of row r in the column
// of step k, zero above the diagonal.
struct Block {
  double element[kRows * kRows], x1[kRows], x2[kRows];
  double right[kRows], anchor[kRows], high[kRows], mid[kRows], low[kRows], size[kRows];
  double ratio, error;
  double residual[kRows], off[kRows];
};

// The block's own products, then what all of a row adds up to: b + (S - M) and that plus (S2 - M2)
// are sums of two without error. The rounding of every later sum is counted.
[[gnu::always_inline]] inline void finish(Block& block) {
  double s[kRows], m[kRows], l[kRows], anchor2[kRows];
  for (int r = 0; r < kRows; ++r) {
    anchor2[r] = block.anchor[r] * block.ratio;
    s[r] = block.anchor[r] + block.high[r];
    m[r] = anchor2[r] + block.mid[r];
    l[r] = block.low[r];
  }
  for (int k = 0; k < kRows; ++k) {
    const double x1 = block.x1[k], x2 = block.x2[k];
    for (int r = 0; r < kRows; ++r) {
      const double a = block.element[k * kRows + r];
      const double p = a * x1, e = __builtin_fma(a, x1, -p);
      const double s1 = s[r] + p, q = p - (s1 - s[r]);
      const double m1 = m[r] + q, r1 = q - (m1 - m[r]);
      const double m2 = m1 + e, r2 = e - (m2 - m1);
      const double m3 = __builtin_fma(a, x2, m2), r3 = __builtin_fma(a, x2, -(m3 - m2));
      s[r] = s1;
      m[r] = m3;
      l[r] += (r1 + r2) + r3;
    }
  }
  for (int r = 0; r < kRows; ++r) {
    double s1, t1, s2, t2;
    two_sum(block.right[r], s[r] - block.anchor[r], s1, t1);
    two_sum(s1, m[r] - anchor2[r], s2, t2);
    const double rest = t1 + t2, all = rest + l[r], sum = s2 + all;
    double off = block.error * anchor2[r] +
                 (std::fabs(rest) + std::fabs(all) + std::fabs(sum)) * 0x1p-52 + 0x1p-1000;
    off = block.size[r] <= kAnchored * block.anchor[r] ? off
                                                       : std::numeric_limits<double>::quiet_NaN();
    block.residual[r] = sum;
    block.off[r] = off;
  }
}

// M for a row whose sum of magnitudes is at most `size`.
double anchor_for(double size) {
  const int field = static_cast<int>(std::bit_cast<std::uint64_t>(size * 4) >> 52) & 0x7ff;
  return anchor_of(std::clamp(field - 1022, -800, 900));
}

template <class T>
class Residuals {
 public:
  Residuals(const ResidualKernel<T>& loops, const Triangular<T>& system, View<const T> b,
            const Approximation& x, double* memory)
      : loops_(loops),
        system_(system),
        b_(b),
        x_(x),
        n_(system.n),
        by_rows_(system.a.column == 1),
        anchors_(memory),
        high_(anchors_ + n_ + 16),
        mid_(high_ + n_ + 16),
        low_(mid_ + n_ + 16) {
    block_.ratio = residual_ratio(n_);
    block_.error = residual_error(static_cast<double>(n_));
  }

  void run(const Kernels* kernels, double* residual, double* off) {
    for (std::int64_t i = 0; i < n_; ++i) anchors_[i] = anchor_for(size_of(i));
    if (!by_rows_) sum_columns();
    Block* const block = &block_;
    for (std::int64_t step = 0; step < n_; step += kRows) {
      const int count = static_cast<int>(std::min(kRows, n_ - step));
      load(step, count);
      if (by_rows_) sum_rows(step, count);
      run_vectorized(lanes_of(kernels), [=]() REPROSUM_INLINED { finish(*block); });
      for (int r = 0; r < count; ++r) {
        residual[row_of(step + r)] = block_.residual[r];
        off[row_of(step + r)] = block_.off[r];
      }
    }
  }

 private:
  static constexpr std::int64_t kChunk = 256;  // rows that stay in the first cache

  std::int64_t row_of(std::int64_t step) const { return system_.lower ? step : n_ - 1 - step; }
  double diagonal(std::int64_t i) const {
    return system_.unit ? 1 : static_cast<double>(system_.a.at(i, i));
  }
  // The sum of the row's |a x1|. The product of the diagonal is rounded here, so the sum is raised
  // a little.
  double size_of(std::int64_t i) const {
    return (x_.sizes[i] + std::fabs(diagonal(i) * x_.x1[i])) * (1 + 0x1p-20);
  }

  void load(std::int64_t step, int count) {
    std::fill_n(block_.element, kRows * kRows, 0.0);
    for (int r = 0; r < kRows; ++r) {
      const bool there = r < count;
      const std::int64_t i = row_of(step + (there ? r : 0));
      for (int k = 0; there && k < r; ++k)
        block_.element[k * kRows + r] = static_cast<double>(system_.a.at(i, row_of(step + k)));
      if (there) block_.element[r * kRows + r] = diagonal(i);
      block_.x1[r] = there ? x_.x1[i] : 0;
      block_.x2[r] = there ? x_.x2[i] : 0;
      block_.right[r] = there ? static_cast<double>(b_.at(i, 0)) : 0;
      block_.anchor[r] = anchors_[i];
      block_.size[r] = size_of(i);
      block_.high[r] = by_rows_ ? 0 : high_[i] - anchors_[i];
      block_.mid[r] = by_rows_ ? 0 : mid_[i] - anchors_[i] * block_.ratio;
      block_.low[r] = by_rows_ ? 0 : low_[i];
    }
  }

  // All columns before a block's, off its rows.
  void sum_rows(std::int64_t step, int count) {
    if (step == 0) return;
    const std::int64_t before = system_.lower ? 0 : n_ - step;  // the first of these columns
    const std::int64_t top = system_.lower ? step : n_ - step - count;
    for (std::int64_t first = 0; first < count; first += kSolveRows) {
      // The last rows may begin before their turn; only new ones are kept.
      const std::int64_t from = std::min(top + first, n_ - kSolveRows);
      double high[kSolveRows], mid[kSolveRows], low[kSolveRows];
      loops_.rows(step, system_.a.first + from * system_.a.row + before, system_.a.row,
                  x_.x1 + before, x_.x2 + before, anchors_ + from, block_.ratio, high, mid, low);
      for (std::int64_t i = top + first; i < std::min(top + first + kSolveRows, top + count); ++i) {
        const std::int64_t r = system_.lower ? i - top : top + count - 1 - i;
        block_.high[r] = high[i - from];
        block_.mid[r] = mid[i - from];
        block_.low[r] = low[i - from];
      }
    }
  }

  // Every block of columns off the rows after it.
  void sum_columns() {
    for (std::int64_t i = 0; i < n_; ++i) {
      high_[i] = anchors_[i];
      mid_[i] = anchors_[i] * block_.ratio;
      low_[i] = 0;
    }
    for (std::int64_t chunk = 0; chunk < n_; chunk += kChunk) {
      const std::int64_t end = std::min(chunk + kChunk, n_);
      for (std::int64_t step = 0; step + kRows < end; step += kRows) {
        const std::int64_t begin = std::max(chunk, step + kRows);
        const std::int64_t column = system_.lower ? step : n_ - step - kRows;
        const std::int64_t from = system_.lower ? begin : n_ - end;
        loops_.columns(end - begin,
                       system_.a.first + from * system_.a.row + column * system_.a.column,
                       system_.a.column, x_.x1 + column, x_.x2 + column, high_ + from, mid_ + from,
                       low_ + from);
      }
    }
  }

  const ResidualKernel<T>& loops_;
  const Triangular<T>& system_;
  const View<const T> b_;
  const Approximation& x_;
  const std::int64_t n_;
  const bool by_rows_;
  double *anchors_, *high_, *mid_, *low_;  // of each row M, S, S2 and L
  Block block_ = {};
};

}  // namespace

template <class T>
void residuals_of(const Kernels* kernels, const ResidualKernel<T>& loops,
                  const Triangular<T>& system, View<const T> b, const Approximation& x,
                  double* memory, double* residual, double* off) {
  Residuals<T>(loops, system, b, x, memory).run(kernels, residual, off);
}

template void residuals_of(const Kernels*, const ResidualKernel<float>&, const Triangular<float>&,
                           View<const float>, const Approximation&, double*, double*, double*);
template void residuals_of(const Kernels*, const ResidualKernel<double>&, const Triangular<double>&,
                           View<const double>, const Approximation&, double*, double*, double*);

}  // namespace reprosum::exact
