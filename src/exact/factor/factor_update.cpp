// Rows of U from the unit triangle of L beside them, and their products off the rows below.
#include <algorithm>
#include <cmath>

#include "src/base/workers.h"
#include "src/exact/factor/factor_block.h"
#include "src/exact/machine/fast_counts.h"
#include "src/exact/machine/float_environment.h"

namespace reprosum::exact {

template <class T>
void FastFactor<T>::solve(std::int64_t k, std::int64_t depth, std::int64_t begin, std::int64_t end,
                          const double* lower, std::int64_t ld, Place& place) {
  if (depth <= kShort) {
    for (std::int64_t c = begin; c < end; c += 8)
      solve_short(k, depth, c, std::min<std::int64_t>(8, end - c), lower, ld, place);
    return;
  }
  const std::int64_t half = (depth / 2 + kShort - 1) / kShort * kShort;
  solve(k, half, begin, end, lower, ld, place);
  update(View<const double>{lower + half, 1, ld}, k + half, k + depth, k, half, begin, end, 1,
         place);
  solve(k + half, depth - half, begin, end, lower + half * (ld + 1), ld, place);
}

template <class T>
void FastFactor<T>::solve_short(std::int64_t k, std::int64_t depth, std::int64_t begin,
                                std::int64_t columns, const double* lower, std::int64_t ld,
                                Place& place) {
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
      pair_.subtract_row(depth - r, lower + r + (r - 1) * ld, highs + 8 * (r - 1), highs + 8 * r,
                         lows + 8 * r);
    double* const row = highs + 8 * r;
    if (panel_loops_.round_row(row, lows + 8 * r, bounds, poisoned_ ? kNan : 0)) continue;
    for (std::int64_t q = 0; q < columns; ++q) {
      if (!(row[q] == row[q])) {
        // The exact sum looks entries of U up where they belong.
        bounds_.set_sum(begin + q, bounds.sum[q]);
        for (std::int64_t above = 0; above < r; ++above)
          *high(k + above, begin + q) = highs[8 * above + q];
        row[q] = static_cast<double>(settled(k + r, begin + q, k + r, place));
      }
      bounds.sum[q] += std::fabs(row[q]);
    }
  }
  for (std::int64_t q = 0; q < columns; ++q) {
    bounds_.set_sum(begin + q, bounds.sum[q]);
    for (std::int64_t r = 0; r < depth; ++r) *high(k + r, begin + q) = highs[8 * r + q];
  }
  fast_counts().tried += depth * columns;
}

template <class T>
template <class S>
void FastFactor<T>::update(View<const S> l, std::int64_t from, std::int64_t to, std::int64_t k,
                           std::int64_t depth, std::int64_t begin, std::int64_t end, int workers,
                           Place& place) {
  if (from >= to) return;
  double anchors[kMostFactorBlock + kPad];
  bool needed[kMostFactorBlock + kPad] = {};
  const std::int64_t wide = tile_columns_;
  for (std::int64_t c = begin; c < end; c += wide) {
    double* const out = place.packed_b + (c - begin) * depth;
    for (std::int64_t q = 0; q < wide; ++q) {
      double sum = 0, path = 0;
      anchors[c - begin + q] = 1.5;
      if (c + q >= end) {
        for (std::int64_t r = 0; r < depth; ++r) out[r * wide + q] = 0;
        continue;
      }
      const double* const u = high(k, c + q);
      for (std::int64_t r = 0; r < depth; ++r) {
        out[r * wide + q] = -u[r];
        sum += std::fabs(u[r]);
        path += sum;
      }
      if (sum == 0) continue;
      needed[c - begin] = true;
      anchors[c - begin + q] = ColumnBounds::anchor(sum);
      bounds_.add_block(c + q, depth, sum, anchors[c - begin + q], kSplit ? 0 : path);
    }
  }
  // Tiles of rows are a worker's own, whole; so what the last tile reaches beyond `to` is no
  // other's.
  const std::int64_t tiles = (to - from + tile_rows_ - 1) / tile_rows_;
  const auto products = static_cast<unsigned __int128>(to - from) *
                        static_cast<unsigned __int128>(depth * (end - begin));
  workers = base::useful_workers(workers, products, kShare);
  base::run_workers(workers, [&](int w) {
    const base::Share share = base::share_of(tiles, w, workers);
    double* const packed =
        workers == 1 ? place.packed_a : places_[static_cast<std::size_t>(w)].packed_a;
    in_default_environment([&] {
      for (std::int64_t t = share.begin; t < share.end; ++t) {
        const std::int64_t i = from + t * tile_rows_;
        pack(View<const S>{&l.at(i - from, 0), l.row, l.column}, std::min(tile_rows_, to - i),
             depth, packed);
        for (std::int64_t c = begin; c < end; c += wide) {
          if (!needed[c - begin]) continue;
          const double* const b = place.packed_b + (c - begin) * depth;
          if constexpr (kSplit)
            pair_.run(depth, packed, b, anchors + c - begin, high(i, c), low(i, c), ld_);
          else
            whole_.run(depth, packed, b, false, high(i, c), low(i, c), ld_);
        }
      }
    });
  });
}

template <class T>
template <class S>
void FastFactor<T>::pack(View<const S> l, std::int64_t count, std::int64_t depth, double* out) {
  const std::int64_t wide = tile_rows_;
  if (count == wide && l.row == 1) {
    if constexpr (sizeof(S) == sizeof(T))
      panel_loops_.pack(depth, l.first, l.column, out);
    else
      panel_loops_.pack_doubles(depth, l.first, l.column, out);
    return;
  }
  for (std::int64_t k = 0; k < depth; ++k)
    for (std::int64_t r = 0; r < wide; ++r)
      out[k * wide + r] = r < count ? static_cast<double>(l.at(r, k)) : 0.0;
}

template class FastFactor<float>;
template class FastFactor<double>;
template void FastFactor<float>::update(View<const float>, std::int64_t, std::int64_t, std::int64_t,
                                        std::int64_t, std::int64_t, std::int64_t, int, Place&);
template void FastFactor<float>::update(View<const double>, std::int64_t, std::int64_t,
                                        std::int64_t, std::int64_t, std::int64_t, std::int64_t, int,
                                        Place&);
template void FastFactor<double>::update(View<const double>, std::int64_t, std::int64_t,
                                         std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                                         int, Place&);

}  // namespace reprosum::exact
