#include "src/exact/factor/fast_factor.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <utility>

#include "src/base/workers.h"
#include "src/exact/factor/factor_block.h"
#include "src/exact/machine/fast_counts.h"
#include "src/exact/machine/float_environment.h"
#include "src/exact/solve/triangular.h"

namespace reprosum::exact {

namespace {

const PanelKernel<double>& panel_of(const PanelKernels& loops, double) { return loops.panel; }
const PanelKernel<float>& panel_of(const PanelKernels& loops, float) { return loops.float_panel; }

}  // namespace

template <class T>
FastFactor<T>::FastFactor(const Kernels* kernels, const TileKernels& tiles,
                          const PanelKernels& loops, std::int64_t m, std::int64_t n, View<T> a,
                          std::int64_t* pivots, std::int64_t block, int workers)
    : kernels_(kernels),
      whole_(tiles.whole),
      pair_(loops.pair),
      panel_loops_(panel_of(loops, T())),
      tile_rows_(kSplit ? loops.pair.rows : tiles.whole.rows),
      tile_columns_(kSplit ? loops.pair.columns : tiles.whole.columns),
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
  const std::int64_t packed_a = tile_rows_ * block, each = packed_a + packed_b + block * block;
  high_ = scratch_.take(2 * pairs + each * workers);
  low_ = high_ + pairs;
  places_.resize(static_cast<std::size_t>(workers));
  double* next = low_ + pairs;
  for (Place& place : places_) {
    place.packed_a = next;
    place.packed_b = place.packed_a + packed_a;
    place.triangle = place.packed_b + packed_b;
    next += each;
    place.row.resize(static_cast<std::size_t>(std::min(m, n)));
    place.column.resize(place.row.size());
  }
  std::iota(original_.begin(), original_.end(), 0);
}

template <class T>
std::int64_t FastFactor<T>::run() {
  for (first_ = 0; first_ < n_; first_ += block_) {
    width_ = std::min(block_, n_ - first_);
    std::fill_n(high_ + ld_ * width_, ld_ * (block_ + kPad - width_), 0.0);
    std::fill_n(low_ + ld_ * width_, ld_ * (block_ + kPad - width_), 0.0);
    std::iota(block_start_.begin(), block_start_.end(), 0);
    std::iota(panel_start_.begin(), panel_start_.end(), 0);
    panel_ = 0;
    // Groups of columns whose numbers lie apart.
    const std::int64_t groups = (width_ + kGroup - 1) / kGroup;
    const auto products = static_cast<unsigned __int128>(m_ - std::min(first_, m_) / 2) *
                          static_cast<unsigned __int128>(first_ * width_);
    const int workers = base::useful_workers(
        static_cast<int>(std::min<std::int64_t>(workers_, groups)), products, kShare);
    base::run_workers(workers, [&](int w) {
      const base::Share share = base::share_of(groups, w, workers);
      const std::int64_t end = std::min(share.end * kGroup, width_);
      in_default_environment(
          [&] { begin_columns(share.begin * kGroup, end, places_[static_cast<std::size_t>(w)]); });
    });
    factor_columns(0, width_);
    store();
  }
  return info_;
}

template <class T>
void FastFactor<T>::begin_columns(std::int64_t begin, std::int64_t end, Place& place) {
  load(begin, end);
  for (std::int64_t k = 0; k < std::min(first_, m_); k += block_) {
    const std::int64_t depth = std::min(block_, m_ - k);
    for (std::int64_t j = 0; j < depth; ++j)
      for (std::int64_t i = 0; i < depth; ++i)
        place.triangle[i + j * depth] = static_cast<double>(a_.at(k + i, k + j));
    solve(k, depth, begin, end, place.triangle, depth, place);
    if (k + depth < m_)
      update(View<const T>{&a_.at(k + depth, k), a_.row, a_.column}, k + depth, m_, k, depth, begin,
             end, 1, place);
  }
}

template <class T>
void FastFactor<T>::load(std::int64_t begin, std::int64_t end) {
  for (std::int64_t c = begin; c < end; ++c) {
    double* const to = high(0, c);
    for (std::int64_t i = 0; i < m_; ++i)
      to[i] = static_cast<double>(a_.at(original_[static_cast<std::size_t>(i)], first_ + c));
    std::fill(to + m_, to + ld_, 0.0);
    std::fill_n(low(0, c), ld_, 0.0);
    bounds_.start(c, panel_loops_.largest(m_, to));
  }
}

template <class T>
void FastFactor<T>::store() {
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

template <class T>
Accumulator<double> FastFactor<T>::exact(std::int64_t i, std::int64_t c, std::int64_t depth,
                                         Place& place) {
  ++fast_counts().settled;
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (k < first_)
      place.row[at] = a_.at(block_start_[static_cast<std::size_t>(i)], k);
    else if (k < first_ + panel_)
      place.row[at] = static_cast<T>(*high(panel_start_[static_cast<std::size_t>(i)], k - first_));
    else
      place.row[at] = static_cast<T>(*high(i, k - first_));
    place.column[at] = static_cast<T>(*high(k, c));
  }
  return residual<T>(kernels_, depth, original(i, c), place.row.data(), 1, place.column.data(), 1);
}

template <class T>
T FastFactor<T>::settled(std::int64_t i, std::int64_t c, std::int64_t depth, Place& place) {
  if (plainly_zero(i, c)) return T(0);
  return exact(i, c, depth, place).template rounded<T>(Rounding::nearest_even);
}

template class FastFactor<float>;
template class FastFactor<double>;

template <class T>
bool factor_fast(const Kernels* kernels, std::int64_t m, std::int64_t n, View<T> a,
                 std::int64_t* pivots, std::int64_t block, int workers, std::int64_t& info) {
  const TileKernels* const tiles = kernels != nullptr ? tile_kernels(kernels->lanes) : nullptr;
  const PanelKernels* const loops = kernels != nullptr ? panel_kernels(kernels->lanes) : nullptr;
  if (tiles == nullptr || loops == nullptr) return false;
  const std::int64_t least = std::min(m, n);
  if (block == 0) block = least <= 128 ? 32 : least < 1500 || !Format<T>::kDouble ? 64 : 128;
  // The last block's columns have the most.
  workers = base::useful_workers(workers,
                                 static_cast<unsigned __int128>(m) *
                                     static_cast<unsigned __int128>(block) *
                                     static_cast<unsigned __int128>(n),
                                 FastFactor<T>::kShare);
  try {
    FastFactor<T> factors(kernels, *tiles, *loops, m, n, a, pivots, block, workers);
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
