// Sums and dot products of vectors, rounded once, to nearest even. README.md says which way a call
// takes; each gives the same bits.
#pragma once

#include <cstdint>

#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// Pointers and increments are BLAS's: x is the lowest address for any sign. T is float or double.
// @pre n >= 0, and the elements can be read
template <class T>
T sum(std::int64_t n, const T* x, std::int64_t incx);

template <class T>
T dot(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy);

// With these kernels, or, for null, without any.
template <class T>
T sum_with(const Kernels* kernels, std::int64_t n, const T* x, std::int64_t incx);

template <class T>
T dot_with(const Kernels* kernels, std::int64_t n, const T* x, std::int64_t incx, const T* y,
           std::int64_t incy);

}  // namespace reprosum::exact
