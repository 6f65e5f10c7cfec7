// What the ways of gemv share: guesses at the size of a matrix, its largest element, and how sums
// with a bound become entries.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "src/exact/entries/exact_entry.h"
#include "src/exact/entries/round_entries.h"
#include "src/exact/entries/view.h"
#include "src/exact/machine/fast_counts.h"
#include "src/exact/machine/host.h"
#include "src/exact/machine/room.h"
#include "src/exact/products/tiles.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/values/float_bits.h"

namespace reprosum::exact {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// value < 2^exponent. @pre value is at least 0; 1025 for infinities and NaN
inline int exponent_above(double value) {
  return (static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff) - 1022;
}

// 2^exponent, or what it rounds to.
inline double power_of_two(int exponent) {
  const bool normal = exponent >= -1022 && exponent <= 1023;
  return normal ? std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52)
                : std::ldexp(1.0, exponent);
}

// The exponent of the largest finite |a| among some elements, in rows and columns near the first,
// kept between -most_exponent and most_exponent.
template <class T>
int guessed_exponent(const Kernels* kernels, const Product<T>& call, int most_exponent) {
  using Bits = typename Format<T>::Bits;
  const bool along = call.a.column == 1;
  const std::int64_t side_by_side =
      std::min<std::int64_t>(along ? 16 : 32, along ? call.k : call.m);
  const std::int64_t lines = std::min<std::int64_t>(8, along ? call.m : call.k);
  const std::int64_t stride = along ? call.a.row : call.a.column;
  const T* const first = call.a.first;
  // Vectors of a length that AVX2 has as well.
  typedef std::make_signed_t<Bits> Vector __attribute__((vector_size(32)));
  constexpr auto kTogether = static_cast<std::int64_t>(sizeof(Vector) / sizeof(T));
  Bits sizes[kTogether], most = 0;
  Bits* const all = sizes;
  run_vectorized(lanes_of(kernels), [=]() REPROSUM_INLINED {
    using Signed = std::make_signed_t<Bits>;
    constexpr auto kSize = std::numeric_limits<Signed>::max();
    constexpr auto kInfinite = std::bit_cast<Signed>(std::numeric_limits<T>::infinity());
    Vector largest{};
    const auto look = [&](const T* from, std::int64_t count) REPROSUM_INLINED {
      Vector size{};
      __builtin_memcpy(&size, from, static_cast<std::size_t>(count) * sizeof(T));
      size &= kSize;
      size = size < kInfinite ? size : Vector{};
      largest = largest < size ? size : largest;
    };
    for (std::int64_t line = 0; line < lines; ++line) {
      const T* const from = first + line * stride;
      std::int64_t l = 0;
      for (; l + kTogether <= side_by_side; l += kTogether) look(from + l, kTogether);
      if (l < side_by_side) look(from + l, side_by_side - l);
    }
    __builtin_memcpy(all, &largest, sizeof largest);
  });
  for (const Bits size : sizes) most = std::max(most, size);
  const auto largest = static_cast<double>(std::bit_cast<T>(most));
  return std::clamp(exponent_above(largest), -most_exponent, most_exponent);
}

// Writes what the rounding test gave, exact sums where that is NaN.
template <class T>
void write_entries(const Kernels* kernels, const Product<T>& call, std::int64_t begin,
                   std::int64_t count, const T* out) {
  std::int64_t open = 0;
  std::int64_t* const unproven = &open;
  run_vectorized(lanes_of(kernels), [=]() REPROSUM_INLINED {
    std::int64_t here = 0;
    for (std::int64_t k = 0; k < count; ++k) here += out[k] == out[k] ? 0 : 1;
    *unproven = here;
  });
  fast_counts().tried += count;
  fast_counts().settled += open;
  if (open == 0 && call.c.row == 1) {
    std::copy_n(out, count, &call.c.at(begin, 0));
    return;
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const bool proven = out[k] == out[k];
    call.c.at(begin + k, 0) = proven ? out[k] : exact_entry(kernels, call, begin + k, 0);
  }
}

// What the sums of a strip of rows become entries by: high + low, off by radius times `sizes`,
// which are NaN for rows whose sums are not to be trusted.
template <class T>
void finish(const Kernels* kernels, const Product<T>& call, std::int64_t begin, std::int64_t count,
            const double* high, const double* low, const double* sizes, double radius) {
  with_room<double, 3 * kStripHeight>([&](double* room) {
    double* const none = room;
    T* const before = reinterpret_cast<T*>(room + kStripHeight);
    T* const out = reinterpret_cast<T*>(room + 2 * kStripHeight);
    const bool reads_c = !is_zero(call.beta);
    const T alpha = call.alpha, beta = reads_c ? call.beta : T(0);
    std::fill_n(none, count, 0.0);
    for (std::int64_t k = 0; k < count; ++k) before[k] = reads_c ? call.c.at(begin + k, 0) : T(0);
    const auto round = [=]() REPROSUM_INLINED {
      round_column(count, alpha, beta, high, low, sizes, none, radius, 0.0, before, out);
    };
    run_vectorized(lanes_of(kernels), round);
    write_entries(kernels, call, begin, count, out);
  });
}

// The same for sums in one double that are all off by at most radius. Ones that are not finite are
// not trusted: their products with alpha leave a NaN, by which every rounding test fails.
template <class T>
void finish(const Kernels* kernels, const Product<T>& call, std::int64_t begin, std::int64_t count,
            const double* sums, double radius) {
  if (!is_zero(call.beta)) {
    return with_room<double, 2 * kStripHeight>([&](double* zeros) {
      double* const ones = zeros + kStripHeight;
      std::fill_n(zeros, kStripHeight, 0.0);
      std::fill_n(ones, count, 1.0);
      finish(kernels, call, begin, count, sums, zeros, ones, radius);
    });
  }
  static_assert(kStripHeight % kNearestAtOnce == 0);
  with_room<double, 3 * kStripHeight>([&](double* low) {
    double* const high = low + kStripHeight;
    T* const out = reinterpret_cast<T*>(low + 2 * kStripHeight);
    const T alpha = call.alpha;
    const auto round = [=]() REPROSUM_INLINED {
      round_sums(count, alpha, sums, radius, low, high, out);
    };
    run_vectorized(lanes_of(kernels), round);
    write_entries(kernels, call, begin, count, out);
  });
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
    run_vectorized(lanes_of(kernels), [=]() REPROSUM_INLINED {
      Bits here = *to;
      for (std::int64_t l = 0; l < n; ++l)
        here = std::max(here, static_cast<Bits>(std::bit_cast<Bits>(from[l]) << 1));
      *to = here;
    });
  }
  return static_cast<double>(std::bit_cast<T>(static_cast<Bits>(most >> 1)));
}

}  // namespace reprosum::exact
