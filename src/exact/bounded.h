// Sums and dot products by rounded arithmetic whose error is bounded: the cheapest way, and the
// first to be tried. It gives the result where the bound leaves but one.
#pragma once

#include <cstdint>

#include "src/exact/kernels.h"

namespace reprosum::exact {

// False, and `result` is left alone, if the terms do not decide the result this way: NaN,
// infinities, sizes out of range, a result that is zero, too much cancellation.
// The pointers are to element 0. @pre n > 0, and the default floating-point environment
template <class T>
bool bounded_sum(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, T& result);

template <class T>
bool bounded_dot(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                 std::int64_t incy, T& result);

}  // namespace reprosum::exact
