// Bounded sums and dot products of floats, cut into chunks.
#pragma once

#include <cstdint>

#include "src/exact/sums/interval.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// Fewer floats than these go to double at once: it costs less than what a first try in float does.
inline constexpr std::int64_t kFewestFloats = 400;

// Brackets of chunks by sums in double that overflow where they grow too large, by sums in float,
// by sums in double, by sums of doubles that are closer still, until one gives `result`: a float
// that is decided, or an Interval. False, and `result` is left alone, if none does. `largest`: the
// largest magnitude of the terms looked at, or of the products.
template <class To>
bool float_sum_in_chunks(const Kernels& kernels, std::int64_t n, const float* first_x,
                         std::int64_t incx, double largest, To& result);
template <class To>
bool float_dot_in_chunks(const Kernels& kernels, std::int64_t n, const float* first_x,
                         std::int64_t incx, const float* first_y, std::int64_t incy, double largest,
                         To& result);

}  // namespace reprosum::exact
