// What the ways of gemv share: guesses at the size of a matrix, its largest element, and how sums
// with a bound become entries.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/exact/fast_counts.h"
#include "src/exact/float_bits.h"
#include "src/exact/host.h"
#include "src/exact/product.h"
#include "src/exact/round_entries.h"
#include "src/exact/tiles.h"

namespace reprosum::exact {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// value < 2^exponent. @pre value is at least 0; 1025 for infinities and NaN
inline int exponent_above(double value) {
  return (static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff) - 1022;
}

// The exponent of the largest |a| among some elements, in rows and columns that lie near the first,
// within -most_exponent and most_exponent; of finite ones.
template <class T>
int guessed_exponent(const Kernels* kernels, const Product<T>& call, int most_exponent) {
  using Bits = typename Format<T>::Bits;
  const bool along = call.a.column == 1;
  const std::int64_t side_by_side =
      std::min<std::int64_t>(along ? 16 : 32, along ? call.k : call.m);
  const std::int64_t lines = std::min<std::int64_t>(8, along ? call.m : call.k);
  const std::int64_t stride = along ? call.a.row : call.a.column;
  const T* const first = call.a.first;
  constexpr std::int64_t kTogether = 16;
  Bits sizes[kTogether] = {}, most = 0;
  Bits* const all = sizes;
  run_vectorized(kernels, [=]() REPROSUM_INLINED {
    constexpr Bits kInfinite =
        static_cast<Bits>(std::bit_cast<Bits>(std::numeric_limits<T>::infinity()) << 1);
    const auto look = [&](std::int64_t k, T value) REPROSUM_INLINED {
      const auto size = static_cast<Bits>(std::bit_cast<Bits>(value) << 1);
      const Bits finite = size < kInfinite ? size : Bits{0};
      all[k] = all[k] < finite ? finite : all[k];
    };
    for (std::int64_t line = 0; line < lines; ++line) {
      const T* const from = first + line * stride;
      std::int64_t l = 0;
      for (; l + kTogether <= side_by_side; l += kTogether)
        for (std::int64_t k = 0; k < kTogether; ++k) look(k, from[l + k]);
      for (; l < side_by_side; ++l) look(0, from[l]);
    }
  });
  for (const Bits size : sizes) most = std::max(most, size);
  const auto largest = static_cast<double>(std::bit_cast<T>(static_cast<Bits>(most >> 1)));
  return std::clamp(exponent_above(largest), -most_exponent, most_exponent);
}

// What the sums of a strip of rows become entries by. low: null for zeros. sizes: what to multiply
// by the radius, NaN for rows whose sums are not to be trusted.
template <class T>
void finish(const Kernels* kernels, const Product<T>& call, std::int64_t begin, std::int64_t count,
            const double* high, const double* low, const double* sizes, double radius) {
  static_assert(kStripHeight % kNearestAtOnce == 0);
  double zeros[kStripHeight], ends[kStripHeight];
  T before[kStripHeight], out[kStripHeight];
  const bool reads_c = !is_zero(call.beta);
  const T alpha = call.alpha, beta = reads_c ? call.beta : T(0);
  T* const oo = out;
  if (low == nullptr && !reads_c) {
    double *const least = zeros, *const most = ends;
    run_vectorized(kernels, [=]() REPROSUM_INLINED {
      round_sums(count, alpha, high, sizes, radius, least, most, oo);
    });
  } else {
    std::fill_n(zeros, count, 0.0);
    for (std::int64_t k = 0; k < count; ++k) before[k] = reads_c ? call.c.at(begin + k, 0) : T(0);
    const double* const none = zeros;
    const double* const rest = low == nullptr ? zeros : low;
    const T* const cc = before;
    run_vectorized(kernels, [=]() REPROSUM_INLINED {
      round_column(count, alpha, beta, high, rest, sizes, none, radius, 0.0, cc, oo);
    });
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const bool proven = out[k] == out[k];
    call.c.at(begin + k, 0) = proven ? out[k] : exact_entry(kernels, call, begin + k, 0);
    fast_counts().settled += !proven;
  }
  fast_counts().tried += count;
}

// The largest |a| in some rows; infinite or NaN if one is.
template <class T>
double largest_element(const Kernels* kernels, const Product<T>& call, std::int64_t begin,
                       std::int64_t count) {
  using Bits = typename Format<T>::Bits;
  const bool along = call.a.column == 1;
  Bits most = 0;
  for (std::int64_t outer = 0; outer < (along ? count : call.k); ++outer) {
    const T* const from = along ? &call.a.at(begin + outer, 0) : &call.a.at(begin, outer);
    const std::int64_t n = along ? call.k : count;
    Bits* const to = &most;
    run_vectorized(kernels, [=]() REPROSUM_INLINED {
      Bits here = *to;
      for (std::int64_t l = 0; l < n; ++l)
        here = std::max(here, static_cast<Bits>(std::bit_cast<Bits>(from[l]) << 1));
      *to = here;
    });
  }
  return static_cast<double>(std::bit_cast<T>(static_cast<Bits>(most >> 1)));
}

}  // namespace reprosum::exact
