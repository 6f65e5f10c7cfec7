// Sums of squares of the rows or columns of a matrix, with the machine's vectors.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/exact/entries/view.h"
#include "src/exact/machine/host.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// take(line, all, most) for the lines of a view, count x depth, read the way they lie in memory:
// the sum of the line's squares, and the largest such sum of a block of `block` elements. Both are
// off by less than 2^-20 of them for depths to 2^20 blocks, or below 2^-900.
template <class T, class Take>
void for_line_squares(const Kernels* kernels, View<const T> v, std::int64_t count,
                      std::int64_t depth, std::int64_t block, Take take) {
  constexpr std::int64_t kWide = 64;
  double block_squares[kWide], all_squares[kWide], largest[kWide];
  double *const sums = block_squares, *const all = all_squares, *const most = largest;
  const bool along = v.column == 1;
  // Where the elements of a line lie side by side, kWide of them are summed at a time.
  for (std::int64_t begin = 0; begin < count; begin += along ? 1 : kWide) {
    const std::int64_t some = along ? 1 : std::min(kWide, count - begin);
    const T* const first = v.first + begin * v.row;
    const std::int64_t step = v.row, next = v.column;
    run_vectorized(lanes_of(kernels), [=]() REPROSUM_INLINED {
      for (std::int64_t k = 0; k < kWide; ++k) all[k] = most[k] = 0;
      for (std::int64_t l = 0; l < depth; l += block) {
        const std::int64_t end = std::min(block, depth - l);
        for (std::int64_t k = 0; k < kWide; ++k) sums[k] = 0;
        if (along) {
          for (std::int64_t from = 0; from < end; from += kWide) {
            const std::int64_t here = std::min(kWide, end - from);
            const T* const p = first + l + from;
            for (std::int64_t k = 0; k < here; ++k)
              sums[k] += static_cast<double>(p[k]) * static_cast<double>(p[k]);
          }
          for (std::int64_t half = kWide / 2; half > 0; half /= 2)
            for (std::int64_t k = 0; k < half; ++k) sums[k] += sums[k + half];
        } else {
          for (std::int64_t r = 0; r < end; ++r) {
            const T* const p = first + (l + r) * next;
            if (step == 1) {
              for (std::int64_t k = 0; k < some; ++k)
                sums[k] += static_cast<double>(p[k]) * static_cast<double>(p[k]);
            } else {
              for (std::int64_t k = 0; k < some; ++k)
                sums[k] += static_cast<double>(p[k * step]) * static_cast<double>(p[k * step]);
            }
          }
        }
        for (std::int64_t k = 0; k < some; ++k) {
          all[k] += sums[k];
          most[k] = sums[k] > most[k] ? sums[k] : most[k];
        }
      }
    });
    for (std::int64_t k = 0; k < some; ++k) take(begin + k, all[k], most[k]);
  }
}

}  // namespace reprosum::exact
