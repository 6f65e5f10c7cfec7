// Vectors without sums: one rounding for each component, to nearest even. A NaN result is the quiet
// NaN without payload or sign.
#pragma once

#include <cstdint>

#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// Vectors are BLAS's: the pointer is the lowest address for any sign of the increment. T is float
// or double; `kernels` may be null. @pre n >= 0; increments of what is written are not zero

// y := alpha * x + y; alpha == 0 reads no x and changes nothing.
template <class T>
void add_scaled(const Kernels* kernels, std::int64_t n, T alpha, const T* x, std::int64_t incx,
                T* y, std::int64_t incy);

// x := alpha * x
template <class T>
void scale(const Kernels* kernels, std::int64_t n, T alpha, T* x, std::int64_t incx);

// x := x / alpha
template <class T>
void divide(const Kernels* kernels, std::int64_t n, T alpha, T* x, std::int64_t incx);

}  // namespace reprosum::exact
