// asum and nrm2, rounded once to nearest even.
#pragma once

#include <cstdint>

#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// Vectors are BLAS's, of any increment; `kernels` may be null. @pre n >= 0

// |x_0| + |x_1| + ...
template <class T>
T magnitude_sum(const Kernels* kernels, std::int64_t n, const T* x, std::int64_t incx);

// The square root of x_0^2 + x_1^2 + ...; neither squares nor sums overflow or underflow.
template <class T>
T euclidean_norm(const Kernels* kernels, std::int64_t n, const T* x, std::int64_t incx);

}  // namespace reprosum::exact
