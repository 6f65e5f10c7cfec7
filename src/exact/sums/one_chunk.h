// Short vectors of doubles: one call of a kernel, and the least beside it, all in the caller's
// code.
#pragma once

#include <cstdint>

#include "src/exact/machine/path_counts.h"
#include "src/exact/sums/chunks.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// bounded_sum and bounded_dot of elements side by side. @pre 0 < n <= kChunk, and the default
// environment
[[gnu::always_inline]] inline bool one_chunk(const Kernels& kernels, std::int64_t n,
                                             const double* x, double& result) {
  Scale<double> scale(kSumExponents, exponent_of_chunk(n, largest_term(n, x, 1)));
  Bracket<double> out;
  return count_bounded(scale.bracket(
                           n, out, [&](int e, auto& to) { kernels.sum_bracket(x, n, e, to); },
                           [&] { return kernels.largest_term(x, n); }) &&
                       judge(out, result));
}

[[gnu::always_inline]] inline bool one_chunk(const Kernels& kernels, std::int64_t n,
                                             const double* x, const double* y, double& result) {
  Scale<double> scale(kDotExponents, exponent_of_chunk(n, largest_product(n, x, 1, y, 1)));
  Bracket<double> out;
  return count_bounded(scale.bracket(
                           n, out, [&](int e, auto& to) { kernels.dot_bracket(x, y, n, e, to); },
                           [&] { return kernels.largest_product(x, y, n); }) &&
                       judge(out, result));
}

}  // namespace reprosum::exact
