// Short vectors of doubles: one call of a kernel, and the least beside it, all in the caller's
// code.
#pragma once

#include <cmath>
#include <cstdint>

#include "src/exact/chunks.h"
#include "src/exact/float_bits.h"
#include "src/exact/interval.h"
#include "src/exact/kernels.h"
#include "src/exact/path_counts.h"

namespace reprosum::exact {

// Of doubles: an exponent above the largest of the terms looked at. Of floats: its magnitude.
template <class T>
[[gnu::always_inline]] inline auto largest_term(std::int64_t n, const T* x, std::int64_t incx) {
  if constexpr (Format<T>::kDouble)
    return largest_of<4>(n, [=](std::int64_t i) { return exponent_above(x[i * incx]); });
  else
    return largest_of<16>(
        n, [&](std::int64_t i) { return std::fabs(static_cast<double>(x[i * incx])); });
}
template <class T>
[[gnu::always_inline]] inline auto largest_product(std::int64_t n, const T* x, std::int64_t incx,
                                                   const T* y, std::int64_t incy) {
  if constexpr (Format<T>::kDouble)
    return largest_of<4>(n, [&](std::int64_t i) {
      return exponent_above(x[i * incx]) + exponent_above(y[i * incy]);
    });
  else
    return largest_of<16>(n, [&](std::int64_t i) {
      return std::fabs(static_cast<double>(x[i * incx]) * static_cast<double>(y[i * incy]));
    });
}

// What a chunk's bracket tells. False if its ends are not one number.
template <class T>
[[gnu::always_inline]] inline bool judge(const Bracket<T>& out, T& result) {
  if (!decided(out.below, out.above)) return false;
  result = out.below;
  return true;
}

[[gnu::always_inline]] inline bool counted(bool decided) {
  ++(decided ? path_counts().bounded_calls : path_counts().undecided_calls);
  return decided;
}

// bounded_sum and bounded_dot of elements side by side. @pre 0 < n <= kChunk, and the default
// environment
[[gnu::always_inline]] inline bool one_chunk(const Kernels& kernels, std::int64_t n,
                                             const double* x, double& result) {
  Scale<double> scale(kSumExponents, exponent_of_chunk(n, largest_term(n, x, 1)));
  Bracket<double> out;
  return counted(scale.bracket(
                     n, out, [&](int e, auto& to) { kernels.sum_bracket(x, n, e, to); },
                     [&] { return kernels.largest_term(x, n); }) &&
                 judge(out, result));
}

[[gnu::always_inline]] inline bool one_chunk(const Kernels& kernels, std::int64_t n,
                                             const double* x, const double* y, double& result) {
  Scale<double> scale(kDotExponents, exponent_of_chunk(n, largest_product(n, x, 1, y, 1)));
  Bracket<double> out;
  return counted(scale.bracket(
                     n, out, [&](int e, auto& to) { kernels.dot_bracket(x, y, n, e, to); },
                     [&] { return kernels.largest_product(x, y, n); }) &&
                 judge(out, result));
}

}  // namespace reprosum::exact
