// A panel of a few columns, at whose diagonal pivots are chosen and columns divided.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "src/exact/factor/factor_block.h"
#include "src/exact/machine/fast_counts.h"
#include "src/exact/machine/host.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/values/nearest.h"
#include "src/exact/values/quotient.h"

namespace reprosum::exact {

template <class T>
void FastFactor<T>::factor_columns(std::int64_t begin, std::int64_t columns) {
  const std::int64_t top = first_ + begin;
  if (top >= m_) return;
  if (columns <= kNarrow) return factor_panel(begin, columns);
  const std::int64_t half = (columns / 2 + kNarrow - 1) / kNarrow * kNarrow;
  factor_columns(begin, half);
  const std::int64_t depth = std::min(half, m_ - top);
  solve(top, depth, begin + half, begin + columns, high(top, begin), ld_, places_[0]);
  update(View<const double>{high(top + depth, begin), 1, ld_}, top + depth, m_, top, depth,
         begin + half, begin + columns, workers_, places_[0]);
  factor_columns(begin + half, columns - half);
}

template <class T>
void FastFactor<T>::factor_panel(std::int64_t begin, std::int64_t columns) {
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

template <class T>
void FastFactor<T>::solve_one(std::int64_t top, std::int64_t depth, std::int64_t c) {
  double *const h = high(top, c), *const l = low(top, c);
  const double* const lower = high(top, panel_);
  for (std::int64_t k = 0; k < depth; ++k) {
    T entry;
    if (!nearest_of(h[k], l[k], radius(c), entry)) entry = settled(top + k, c, top + k, places_[0]);
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

template <class T>
void FastFactor<T>::subtract_panel(std::int64_t begin, std::int64_t c, std::int64_t depth) {
  const std::int64_t top = first_ + begin, from = top + depth, count = m_ - from;
  double u[kNarrow] = {}, sum = 0, path = 0;
  for (std::int64_t k = 0; k < depth; ++k) {
    u[k] = -*high(top + k, c);
    sum += std::fabs(u[k]);
    path += sum;
  }
  if (sum == 0) return;
  const double anchor = ColumnBounds::anchor(sum);
  bounds_.add_block(c, depth, sum, anchor, kSplit ? 0 : path);
  panel_loops_.subtract(count, depth, high(from, begin), ld_, u, anchor, high(from, c),
                        low(from, c));
}

template <class T>
void FastFactor<T>::round_column(std::int64_t c, std::int64_t j) {
  const double *const h = high(j, c), *const l = low(j, c), off = radius(c);
  T* const out = rounded_.data() + j;
  const std::int64_t count = m_ - j;
  run_vectorized(lanes_of(kernels_), [=]() REPROSUM_INLINED {
    // Pairs and rounded_ have room for some more.
    for (std::int64_t i = 0; i < count; i += 8) {
      double least[8], most[8];
      for (int q = 0; q < 8; ++q) ends_of<T>(h[i + q], l[i + q], off, least[q], most[q]);
      nearest_of_ends(least, most, out + i);
    }
  });
  for (std::int64_t i = 0; i < count; ++i)
    if (!(out[i] == out[i])) out[i] = settled(j + i, c, j, places_[0]);
  fast_counts().tried += count;
}

template <class T>
std::int64_t FastFactor<T>::pivot_from(std::int64_t c, std::int64_t j) {
  const double *const h = high(j, c), *const l = low(j, c), off = radius(c);
  const std::int64_t count = m_ - j;
  const double most = panel_loops_.largest_sum(count, h, l);
  const double least = most * (1 - 0x1p-21) - 4 * off;
  constexpr double kMost = kSplit ? 0x1p900 : 0x1p120;  // larger ones may round to infinities
  if (!(most >= 0x1p-90 && most <= kMost && least > 0)) {
    round_column(c, j);
    return largest_from(j);
  }
  fast_counts().tried += count;
  std::int64_t pivot = -1;
  T largest = 0;
  for (std::int64_t i = -1; (i = panel_loops_.next_sum(i + 1, count, h, l, least)) < count;) {
    T entry;
    if (!nearest_of(h[i], l[i], off, entry)) entry = settled(j + i, c, j, places_[0]);
    rounded_[static_cast<std::size_t>(j + i)] = entry;
    if (pivot < 0 || std::fabs(entry) > largest) pivot = j + i, largest = std::fabs(entry);
  }
  return pivot;
}

template <class T>
std::int64_t FastFactor<T>::largest_from(std::int64_t j) const {
  std::int64_t pivot = j;
  T most = std::fabs(rounded_[static_cast<std::size_t>(j)]);
  for (std::int64_t i = j + 1; i < m_; ++i) {
    const T size = std::fabs(rounded_[static_cast<std::size_t>(i)]);
    if (size > most) most = size, pivot = i;
  }
  return pivot;
}

template <class T>
void FastFactor<T>::exchange(std::int64_t begin, std::int64_t columns, std::int64_t j,
                             std::int64_t pivot) {
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
template <class T>
void FastFactor<T>::divide_column(std::int64_t c, std::int64_t j) {
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
  const double off = covered ? radius(c) / size * (1 + 0x1p-50) : kNan;
  std::int64_t uncertain = panel_loops_.divide(count, u, off, h, l);
  uncertain -= !(std::fabs(h[0]) <= 1);
  h[0] = u;
  for (std::int64_t i = 1; i < count && uncertain > 0; ++i) {
    if (std::fabs(h[i]) <= 1) continue;
    --uncertain;
    if (pivot == pivot && plainly_zero(j + i, c))
      h[i] = 0.0 / u;
    else if (!(h[i] == h[i]))
      h[i] = static_cast<double>(rounded_quotient(exact(j + i, c, j, places_[0]), pivot));
    poisoned_ = poisoned_ || !(std::fabs(h[i]) <= 1);
  }
}

template class FastFactor<float>;
template class FastFactor<double>;

}  // namespace reprosum::exact
