#include "src/exact/fast_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "src/exact/column_bounds.h"
#include "src/exact/fast_counts.h"
#include "src/exact/float_bits.h"
#include "src/exact/float_environment.h"
#include "src/exact/host.h"
#include "src/exact/nearest.h"
#include "src/exact/quotient.h"
#include "src/exact/scratch.h"
#include "src/exact/tiles.h"
#include "src/exact/triangular.h"
#include "src/exact/workers.h"

namespace reprosum::exact {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Left-looking in blocks of columns. A block starts as its columns of A, rows in the order that the
// pivots so far give them, as pairs high + low. Each earlier block of L then brings its rows of U:
// a triangle of L makes sums into entries of U, the rest of L and those entries are subtracted from
// the rows below. At the diagonal the block is factored in halves, down to kNarrow columns. An
// entry is rounded once its sum is complete, if all numbers within the radius of its column
// (ColumnBounds) round alike, and otherwise from an exact sum; so no order of work shows. Finished
// entries of U and L stand in `high`. A itself keeps the numbers that the block started from, which
// exact sums need, until the block is stored. Workers share the rows of an update, which is most of
// the work; all roundings are the calling thread's.
template <class T>
class FastFactor {
 public:
  FastFactor(const Kernels* kernels, const TileKernels& tiles, std::int64_t m, std::int64_t n,
             View<T> a, std::int64_t* pivots, std::int64_t block, int workers)
      : kernels_(kernels),
        tiles_(tiles),
        tile_rows_(kSplit ? tiles.pair.rows : tiles.whole.rows),
        tile_columns_(kSplit ? tiles.pair.columns : tiles.whole.columns),
        m_(m),
        n_(n),
        block_(block),
        workers_(workers),
        ld_((m + tile_rows_ + 7) / 8 * 8 + 8),
        a_(a),
        pivots_(pivots),
        bounds_(block + kPad),
        original_(static_cast<std::size_t>(m)),
        block_start_(original_.size()),
        panel_start_(original_.size()),
        rounded_(original_.size() + 8) {
    const std::int64_t pairs = ld_ * (block + kPad), packed_b = block * (block + kPad);
    const std::int64_t packed_a = tile_rows_ * block * workers;
    high_ = scratch_.take(2 * pairs + packed_a + packed_b + block * block);
    low_ = high_ + pairs;
    packed_a_ = low_ + pairs;
    packed_b_ = packed_a_ + packed_a;
    triangle_ = packed_b_ + packed_b;
    std::iota(original_.begin(), original_.end(), 0);
    row_.resize(static_cast<std::size_t>(std::min(m, n)));
    column_.resize(row_.size());
  }

  // Products that are worth a thread's start.
  static constexpr std::int64_t kShare = 500'000;

  std::int64_t run() {
    for (first_ = 0; first_ < n_; first_ += block_) {
      width_ = std::min(block_, n_ - first_);
      load();
      for (std::int64_t k = 0; k < std::min(first_, m_); k += block_) {
        const std::int64_t depth = std::min(block_, m_ - k);
        for (std::int64_t j = 0; j < depth; ++j)
          for (std::int64_t i = 0; i < depth; ++i)
            triangle_[i + j * depth] = static_cast<double>(a_.at(k + i, k + j));
        solve(k, depth, 0, width_, triangle_, depth);
        if (k + depth < m_)
          update(View<const T>{&a_.at(k + depth, k), a_.row, a_.column}, k + depth, m_, k, depth, 0,
                 width_);
      }
      factor_columns(0, width_);
      store();
    }
    return info_;
  }

 private:
  static constexpr bool kSplit = Format<T>::kDouble;
  static constexpr std::int64_t kNarrow = 8, kShort = 16, kPad = 8;
  static_assert(kShort - 1 <= ColumnBounds::kSingles && kNarrow <= kShort);

  double* high(std::int64_t i, std::int64_t c) { return high_ + i + c * ld_; }
  double* low(std::int64_t i, std::int64_t c) { return low_ + i + c * ld_; }
  double radius(std::int64_t c) const { return poisoned_ ? kNan : bounds_.radius(c); }

  void load() {
    std::fill_n(low_, ld_ * (block_ + kPad), 0.0);
    std::fill_n(high_ + ld_ * width_, ld_ * (block_ + kPad - width_), 0.0);
    for (std::int64_t c = 0; c < width_; ++c) {
      double* const to = high(0, c);
      double most = 0;
      for (std::int64_t i = 0; i < m_; ++i) {
        to[i] = static_cast<double>(a_.at(original_[static_cast<std::size_t>(i)], first_ + c));
        const double size = std::fabs(to[i]);
        most = size > most ? size : most;
      }
      std::fill(to + m_, to + ld_, 0.0);
      bounds_.start(c, most);
    }
    std::iota(block_start_.begin(), block_start_.end(), 0);
    std::iota(panel_start_.begin(), panel_start_.end(), 0);
    panel_ = 0;
  }

  void store() {
    const std::int64_t pivots = std::min(first_ + width_, m_);
    const auto swap_in = [&](std::int64_t j, std::int64_t c) {
      std::swap(a_.at(j, c), a_.at(pivots_[j] - 1, c));
    };
    if (a_.row <= a_.column) {
      for (std::int64_t c = 0; c < first_; ++c)
        for (std::int64_t j = first_; j < pivots; ++j) swap_in(j, c);
    } else {
      for (std::int64_t j = first_; j < pivots; ++j)
        for (std::int64_t c = 0; c < first_; ++c) swap_in(j, c);
    }
    for (std::int64_t c = 0; c < width_; ++c) {
      const double* const from = high(0, c);
      T* const to = &a_.at(0, first_ + c);
      const std::int64_t step = a_.row;
      for (std::int64_t i = 0; i < m_; ++i) to[i * step] = static_cast<T>(from[i]);
    }
  }

  // The entry's sum over k < depth, exactly.
  Accumulator<double> exact(std::int64_t i, std::int64_t c, std::int64_t depth) {
    ++fast_counts().settled;
    for (std::int64_t k = 0; k < depth; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (k < first_)
        row_[at] = a_.at(block_start_[static_cast<std::size_t>(i)], k);
      else if (k < first_ + panel_)
        row_[at] = static_cast<T>(*high(panel_start_[static_cast<std::size_t>(i)], k - first_));
      else
        row_[at] = static_cast<T>(*high(i, k - first_));
      column_[at] = static_cast<T>(*high(k, c));
    }
    return residual<T>(kernels_, depth, original(i, c), row_.data(), 1, column_.data(), 1);
  }
  T original(std::int64_t i, std::int64_t c) const {
    return a_.at(original_[static_cast<std::size_t>(i)], first_ + c);
  }
  // +0 less zeros is +0.
  bool plainly_zero(std::int64_t i, std::int64_t c) const {
    const T value = original(i, c);
    return !poisoned_ && bounds_.untouched(c) && is_zero(value) && !std::signbit(value);
  }
  T settled(std::int64_t i, std::int64_t c, std::int64_t depth) {
    if (plainly_zero(i, c)) return T(0);
    return exact(i, c, depth).template rounded<T>(Rounding::nearest_even);
  }

  // Rows [k, k + depth) of columns [begin, end), all blocks before k subtracted, become entries of
  // U. `lower` is the unit triangle of L in these rows.
  void solve(std::int64_t k, std::int64_t depth, std::int64_t begin, std::int64_t end,
             const double* lower, std::int64_t ld) {
    if (depth <= kShort) {
      for (std::int64_t c = begin; c < end; c += 8)
        solve_short(k, depth, c, std::min<std::int64_t>(8, end - c), lower, ld);
      return;
    }
    const std::int64_t half = (depth / 2 + kShort - 1) / kShort * kShort;
    solve(k, half, begin, end, lower, ld);
    update(View<const double>{lower + half, 1, ld}, k + half, k + depth, k, half, begin, end);
    solve(k + half, depth - half, begin, end, lower + half * (ld + 1), ld);
  }

  // Up to 8 columns side by side, each row by single products.
  void solve_short(std::int64_t k, std::int64_t depth, std::int64_t begin, std::int64_t columns,
                   const double* lower, std::int64_t ld) {
    alignas(64) double highs[kShort * 8], lows[kShort * 8];
    for (std::int64_t q = 0; q < 8; ++q) {
      for (std::int64_t r = 0; r < depth; ++r) {
        highs[8 * r + q] = *high(k + r, begin + q);
        lows[8 * r + q] = *low(k + r, begin + q);
      }
    }
    ColumnBounds::Eight bounds = bounds_.eight(begin);
    for (std::int64_t r = 0; r < depth; ++r) {
      if (r > 0)
        tiles_.pair.subtract_row(depth - r, lower + r + (r - 1) * ld, highs + 8 * (r - 1),
                                 highs + 8 * r, lows + 8 * r);
      double* const row = highs + 8 * r;
      if (!round_eight(row, lows + 8 * r, columns, bounds)) {
        for (std::int64_t q = 0; q < columns; ++q) {
          if (row[q] == row[q]) continue;
          // The exact sum looks entries of U up where they belong.
          bounds_.set_sum(begin + q, bounds.sum[q]);
          for (std::int64_t above = 0; above < r; ++above)
            *high(k + above, begin + q) = highs[8 * above + q];
          row[q] = static_cast<double>(settled(k + r, begin + q, k + r));
        }
      }
      for (std::int64_t q = 0; q < 8; ++q) bounds.sum[q] += std::fabs(row[q]);
    }
    for (std::int64_t q = 0; q < columns; ++q) {
      bounds_.set_sum(begin + q, bounds.sum[q]);
      for (std::int64_t r = 0; r < depth; ++r) *high(k + r, begin + q) = highs[8 * r + q];
    }
    fast_counts().tried += depth * columns;
  }

  // Rounds eight sums side by side; those that are not certain become NaN. False if one of the
  // first `columns` may be among them.
  bool round_eight(double* h, const double* l, std::int64_t columns,
                   const ColumnBounds::Eight& bounds) const {
    double missing = 0;
    double* const missing_at = &missing;
    const ColumnBounds::Eight* const of = &bounds;
    const bool poisoned = poisoned_;
    run_vectorized(kernels_, [=]() REPROSUM_INLINED {
      double least[8], most[8];
      T rounded[8];
      for (int q = 0; q < 8; ++q) {
        double off = ColumnBounds::radius_of(of->most[q], of->sum[q], of->low[q], of->off[q]);
        off = poisoned ? kNan : off;
        ends_of<T>(h[q], l[q], off, least[q], most[q]);
      }
      nearest_of_ends(least, most, rounded);
      for (int q = 0; q < 8; ++q) h[q] = static_cast<double>(rounded[q]);
      double zero[8];
      for (int q = 0; q < 8; ++q) zero[q] = h[q] - h[q];
      for (int q = 0; q < 4; ++q) zero[q] += zero[q + 4];
      *missing_at = (zero[0] + zero[1]) + (zero[2] + zero[3]);
    });
    return missing == 0 && columns == 8;
  }

  // Subtracts L's columns k .. k + depth, in `l` from row `from` on, times U's rows from rows
  // [from, to) of columns [begin, end). Tiles reach beyond them: what they subtract there is zero.
  template <class S>
  void update(View<const S> l, std::int64_t from, std::int64_t to, std::int64_t k,
              std::int64_t depth, std::int64_t begin, std::int64_t end) {
    if (from >= to) return;
    double anchors[kMostFactorBlock + kPad];
    bool needed[kMostFactorBlock + kPad] = {};
    const std::int64_t wide = tile_columns_;
    for (std::int64_t c = begin; c < end; c += wide) {
      double* const out = packed_b_ + (c - begin) * depth;
      for (std::int64_t q = 0; q < wide; ++q) {
        double sum = 0;
        anchors[c - begin + q] = 1.5;
        if (c + q >= end) {
          for (std::int64_t r = 0; r < depth; ++r) out[r * wide + q] = 0;
          continue;
        }
        const double* const u = high(k, c + q);
        for (std::int64_t r = 0; r < depth; ++r) {
          out[r * wide + q] = -u[r];
          sum += std::fabs(u[r]);
        }
        if (sum == 0) continue;
        needed[c - begin] = true;
        anchors[c - begin + q] = ColumnBounds::anchor(sum);
        bounds_.add_block(c + q, depth, sum, anchors[c - begin + q], !kSplit);
      }
    }
    // Tiles of rows are a worker's own, whole; so what the last tile reaches beyond `to` is no
    // other's.
    const std::int64_t tiles = (to - from + tile_rows_ - 1) / tile_rows_;
    const auto products = static_cast<unsigned __int128>(to - from) *
                          static_cast<unsigned __int128>(depth * (end - begin));
    const int workers = useful_workers(workers_, products, kShare);
    run_workers(workers, [&](int w) {
      const Share share = share_of(tiles, w, workers);
      double* const packed = packed_a_ + tile_rows_ * block_ * w;
      in_default_environment([&] {
        for (std::int64_t t = share.begin; t < share.end; ++t) {
          const std::int64_t i = from + t * tile_rows_;
          pack(View<const S>{&l.at(i - from, 0), l.row, l.column}, std::min(tile_rows_, to - i),
               depth, packed);
          for (std::int64_t c = begin; c < end; c += wide) {
            if (!needed[c - begin]) continue;
            const double* const b = packed_b_ + (c - begin) * depth;
            if constexpr (kSplit)
              tiles_.pair.run(depth, packed, b, anchors + c - begin, high(i, c), low(i, c), ld_);
            else
              tiles_.whole.run(depth, packed, b, false, high(i, c), low(i, c), ld_);
          }
        }
      });
    });
  }

  // `count` rows of L side by side for each column; beyond them are zeros.
  template <class S>
  void pack(View<const S> l, std::int64_t count, std::int64_t depth, double* out) {
    const std::int64_t wide = tile_rows_, step = l.row, next = l.column;
    const S* const first = l.first;
    run_vectorized(kernels_, [=]() REPROSUM_INLINED {
      for (std::int64_t c = 0; c < depth; ++c) {
        const S* const p = first + c * next;
        double* const o = out + c * wide;
        if (count == wide && step == 1) {
          for (std::int64_t r = 0; r < wide; ++r) o[r] = static_cast<double>(p[r]);
        } else {
          for (std::int64_t r = 0; r < wide; ++r)
            o[r] = r < count ? static_cast<double>(p[r * step]) : 0.0;
        }
      }
    });
  }

  // Columns [begin, begin + columns) of the block, of which all before first_ + begin is
  // subtracted.
  void factor_columns(std::int64_t begin, std::int64_t columns) {
    const std::int64_t top = first_ + begin;
    if (top >= m_) return;
    if (columns <= kNarrow) return factor_panel(begin, columns);
    const std::int64_t half = (columns / 2 + kNarrow - 1) / kNarrow * kNarrow;
    factor_columns(begin, half);
    const std::int64_t depth = std::min(half, m_ - top);
    solve(top, depth, begin + half, begin + columns, high(top, begin), ld_);
    update(View<const double>{high(top + depth, begin), 1, ld_}, top + depth, m_, top, depth,
           begin + half, begin + columns);
    factor_columns(begin + half, columns - half);
  }

  // A few columns, one by one; their own rows change places at once, those of the block's other
  // columns afterwards.
  void factor_panel(std::int64_t begin, std::int64_t columns) {
    const std::int64_t top = first_ + begin;
    panel_ = begin;
    for (std::int64_t c = begin; c < begin + columns; ++c) {
      const std::int64_t j = first_ + c, depth = std::min(c - begin, m_ - top);
      if (depth > 0) solve_one(top, depth, c);
      if (j >= m_) continue;
      subtract_panel(begin, c, depth);
      exchange(begin, columns, j, pivot_from(c, j));
      divide_column(c, j);
    }
    for (std::int64_t c = 0; c < width_; ++c) {
      if (c >= begin && c < begin + columns) continue;
      for (std::int64_t j = top; j < std::min(top + columns, m_); ++j) {
        const std::int64_t pivot = pivots_[j] - 1;
        std::swap(*high(j, c), *high(pivot, c));
        if (c > begin) std::swap(*low(j, c), *low(pivot, c));
      }
    }
    std::iota(panel_start_.begin(), panel_start_.end(), 0);
  }

  // Rows [top, top + depth) of column c, in the panel that begins at row `top`, by single products.
  void solve_one(std::int64_t top, std::int64_t depth, std::int64_t c) {
    double *const h = high(top, c), *const l = low(top, c);
    const double* const lower = high(top, panel_);
    for (std::int64_t k = 0; k < depth; ++k) {
      T entry;
      if (!nearest_of(h[k], l[k], radius(c), entry)) entry = settled(top + k, c, top + k);
      h[k] = static_cast<double>(entry);
      bounds_.add_factor(c, h[k]);
      for (std::int64_t i = k + 1; i < depth; ++i) {
        const double x = -lower[i + k * ld_], p = x * h[k];
        double s, t;
        two_sum(h[i], p, s, t);
        l[i] += t + __builtin_fma(x, h[k], -p);
        h[i] = s;
      }
    }
    fast_counts().tried += depth;
  }

  // The panel's columns before c from c's rows below them.
  void subtract_panel(std::int64_t begin, std::int64_t c, std::int64_t depth) {
    const std::int64_t top = first_ + begin, from = top + depth, count = m_ - from, ld = ld_;
    double u[kNarrow] = {}, sum = 0;
    for (std::int64_t k = 0; k < depth; ++k) {
      u[k] = -*high(top + k, c);
      sum += std::fabs(u[k]);
    }
    if (sum == 0) return;
    const double anchor = ColumnBounds::anchor(sum);
    bounds_.add_block(c, depth, sum, anchor, !kSplit);
    double *const h = high(from, c), *const l = low(from, c);
    const double *const lower = high(from, begin), *const factors = u;
    run_vectorized(kernels_, [=]() REPROSUM_INLINED {
      for (std::int64_t i = 0; i < count; ++i) {
        double sums = kSplit ? anchor : 0, rest = 0;
        for (std::int64_t k = 0; k < depth; ++k) {
          const double x = lower[i + k * ld], t = std::fma(x, factors[k], sums);
          if (kSplit) rest += std::fma(x, factors[k], sums - t);
          sums = t;
        }
        double s, t;
        two_sum(h[i], kSplit ? sums - anchor : sums, s, t);
        h[i] = s;
        l[i] += t + rest;
      }
    });
  }

  // Rounds the sums of rows j and below into rounded_.
  void round_column(std::int64_t c, std::int64_t j) {
    const double *const h = high(j, c), *const l = low(j, c), off = radius(c);
    T* const out = rounded_.data() + j;
    const std::int64_t count = m_ - j;
    run_vectorized(kernels_, [=]() REPROSUM_INLINED {
      // Pairs and rounded_ have room for some more.
      for (std::int64_t i = 0; i < count; i += 8) {
        double least[8], most[8];
        for (int q = 0; q < 8; ++q) ends_of<T>(h[i + q], l[i + q], off, least[q], most[q]);
        nearest_of_ends(least, most, out + i);
      }
    });
    for (std::int64_t i = 0; i < count; ++i)
      if (!(out[i] == out[i])) out[i] = settled(j + i, c, j);
    fast_counts().tried += count;
  }

  // The first of the largest entries from row j on, rounded into rounded_. Rounding keeps order, so
  // only sums next to the largest are rounded: |v| of the others is less by more than 2^-22 of it,
  // a last place or two. Sums, h + l rounded, are off by `off` and 2^-53 of them.
  std::int64_t pivot_from(std::int64_t c, std::int64_t j) {
    const double *const h = high(j, c), *const l = low(j, c), off = radius(c);
    const std::int64_t count = m_ - j, whole = count / 8 * 8;
    double most = 0, missing = 0;
    double *const most_at = &most, *const missing_at = &missing;
    run_vectorized(kernels_, [=]() REPROSUM_INLINED {
      double sizes[8] = {}, not_finite[8] = {}, all = 0, bad = 0;
      for (std::int64_t i = 0; i < whole; i += 8) {
        for (int q = 0; q < 8; ++q) {
          const double size = std::fabs(h[i + q] + l[i + q]);
          sizes[q] = size > sizes[q] ? size : sizes[q];
          not_finite[q] += size - size;
        }
      }
      for (std::int64_t i = whole; i < count; ++i) {
        const double size = std::fabs(h[i] + l[i]);
        all = size > all ? size : all;
        bad += size - size;
      }
      for (int q = 0; q < 8; ++q) all = sizes[q] > all ? sizes[q] : all, bad += not_finite[q];
      *most_at = all;
      *missing_at = bad;
    });
    const double least = most * (1 - 0x1p-21) - 4 * off;
    constexpr double kMost = kSplit ? 0x1p900 : 0x1p120;  // larger ones may round to infinities
    if (!(missing == 0 && most >= 0x1p-90 && most <= kMost && least > 0)) {
      round_column(c, j);
      return largest_from(j);
    }
    fast_counts().tried += count;
    std::int64_t pivot = -1;
    T largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!(std::fabs(h[i] + l[i]) >= least)) continue;
      T entry;
      if (!nearest_of(h[i], l[i], off, entry)) entry = settled(j + i, c, j);
      rounded_[static_cast<std::size_t>(j + i)] = entry;
      if (pivot < 0 || std::fabs(entry) > largest) pivot = j + i, largest = std::fabs(entry);
    }
    return pivot;
  }

  // Of rounded entries.
  std::int64_t largest_from(std::int64_t j) const {
    std::int64_t pivot = j;
    T most = std::fabs(rounded_[static_cast<std::size_t>(j)]);
    for (std::int64_t i = j + 1; i < m_; ++i) {
      const T size = std::fabs(rounded_[static_cast<std::size_t>(i)]);
      if (size > most) most = size, pivot = i;
    }
    return pivot;
  }

  // Swaps the pivot into row j of the panel.
  void exchange(std::int64_t begin, std::int64_t columns, std::int64_t j, std::int64_t pivot) {
    pivots_[j] = pivot + 1;
    if (pivot == j) return;
    const auto at = static_cast<std::size_t>(j), other = static_cast<std::size_t>(pivot);
    std::swap(rounded_[at], rounded_[other]);
    std::swap(original_[at], original_[other]);
    std::swap(block_start_[at], block_start_[other]);
    std::swap(panel_start_[at], panel_start_[other]);
    for (std::int64_t q = begin; q < begin + columns; ++q) {
      std::swap(*high(j, q), *high(pivot, q));
      std::swap(*low(j, q), *low(pivot, q));
    }
  }

  // Rows below j of the column become entries of L.
  //
  // q is high times the inverse of u, rounded twice; high - q u, of at most 2^-51.9 |high|, is
  // rounded once (high is at least 2^-900 in magnitude, so that nothing underflows); r, that plus
  // low, is off by 2^-53 |r|, its product with the inverse by 2.02 * 2^-53 times that. So the
  // quotient is q + second but for 2^-103 |q| + 2^-51 |second|, and what the pair is off over u.
  void divide_column(std::int64_t c, std::int64_t j) {
    double* const h = high(j, c);
    const double* const l = low(j, c);
    const T pivot = rounded_[static_cast<std::size_t>(j)];
    h[0] = static_cast<double>(pivot);
    const std::int64_t count = m_ - j;
    if (is_zero(pivot)) {
      if (info_ == 0) info_ = j + 1;
      for (std::int64_t i = 1; i < count; ++i) {
        h[i] = static_cast<double>(rounded_[static_cast<std::size_t>(j + i)]);
        poisoned_ = poisoned_ || !(std::fabs(h[i]) <= 1);
      }
      return;
    }
    const double u = static_cast<double>(pivot), size = std::fabs(u);
    const bool covered = size >= 0x1p-400 && size <= ColumnBounds::kRange;
    const double inverse = 1 / u, off = covered ? radius(c) / size * (1 + 0x1p-50) : kNan;
    std::int64_t uncertain = 0;
    std::int64_t* const uncertain_at = &uncertain;
    run_vectorized(kernels_, [=]() REPROSUM_INLINED {
      double missing[8] = {};
      for (std::int64_t i = 0; i < count; i += 8) {
        double least[8], most[8];
        T rounded[8];
        for (int k = 0; k < 8; ++k) {
          const double pair = h[i + k], q = pair * inverse;
          const double second = (std::fma(-q, u, pair) + l[i + k]) * inverse;
          double wide = off + std::fabs(q) * 0x1p-103 + std::fabs(second) * 0x1p-51 + 0x1p-1000;
          wide = std::fabs(pair) >= 0x1p-900 ? wide : kNan;
          ends_of<T>(q, second, wide, least[k], most[k]);
        }
        nearest_of_ends(least, most, rounded);
        for (int k = 0; k < 8; ++k) h[i + k] = static_cast<double>(rounded[k]);
        // Also where it exceeds 1, as it may for subnormal pivots.
        for (int k = 0; k < 8; ++k) missing[k] += std::fabs(h[i + k]) <= 1 ? 0.0 : 1.0;
      }
      double all = 0;
      for (int k = 0; k < 8; ++k) all += missing[k];
      *uncertain_at = static_cast<std::int64_t>(all);
    });
    // Sums beyond the rows are zeros, if not NaN, and not certain.
    uncertain -= (8 - count % 8) % 8;
    uncertain -= !(std::fabs(h[0]) <= 1);
    h[0] = u;
    for (std::int64_t i = 1; i < count && uncertain > 0; ++i) {
      if (std::fabs(h[i]) <= 1) continue;
      --uncertain;
      if (pivot == pivot && plainly_zero(j + i, c))
        h[i] = 0.0 / u;
      else if (!(h[i] == h[i]))
        h[i] = static_cast<double>(rounded_quotient(exact(j + i, c, j), pivot));
      poisoned_ = poisoned_ || !(std::fabs(h[i]) <= 1);
    }
  }

  const Kernels* kernels_;
  const TileKernels& tiles_;
  const std::int64_t tile_rows_, tile_columns_, m_, n_, block_;
  const int workers_;
  const std::int64_t ld_;
  const View<T> a_;
  std::int64_t* const pivots_;
  ColumnBounds bounds_;
  // Of the row that is now at i: where it stood in A, when the block and when the panel began.
  std::vector<std::int64_t> original_, block_start_, panel_start_;
  std::vector<T> rounded_, row_, column_;
  Scratch scratch_;
  double *high_, *low_, *packed_a_, *packed_b_, *triangle_;
  std::int64_t first_ = 0, width_ = 0, panel_ = 0, info_ = 0;
  bool poisoned_ = false;  // an entry of L is beyond the proof
};

}  // namespace

template <class T>
bool factor_fast(const Kernels* kernels, std::int64_t m, std::int64_t n, View<T> a,
                 std::int64_t* pivots, std::int64_t block, int workers, std::int64_t& info) {
  const TileKernels* const tiles = kernels != nullptr ? tile_kernels(kernels->lanes) : nullptr;
  if (tiles == nullptr) return false;
  const std::int64_t least = std::min(m, n);
  if (block == 0) block = least <= 128 ? 32 : least < 1500 || !Format<T>::kDouble ? 64 : 128;
  // No update is larger.
  workers = useful_workers(
      workers, static_cast<unsigned __int128>(m) * static_cast<unsigned __int128>(block * block),
      FastFactor<T>::kShare);
  try {
    FastFactor<T> factors(kernels, *tiles, m, n, a, pivots, block, workers);
    info = factors.run();
    return true;
  } catch (const std::bad_alloc&) {
    return false;  // from the constructor, before anything was written
  }
}

template bool factor_fast(const Kernels*, std::int64_t, std::int64_t, View<float>, std::int64_t*,
                          std::int64_t, int, std::int64_t&);
template bool factor_fast(const Kernels*, std::int64_t, std::int64_t, View<double>, std::int64_t*,
                          std::int64_t, int, std::int64_t&);

}  // namespace reprosum::exact
