// ger: a matrix plus a scaled outer product, rounded once.
#pragma once

#include <cstdint>

#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// A := alpha * x * y' + A, A m x n and column-major, each entry rounded once to nearest even;
// alpha == 0 changes nothing. Vectors are BLAS's; `kernels` may be null.
// @pre m, n >= 0, and A overlaps neither x nor y
template <class T>
void add_outer_product(const Kernels* kernels, std::int64_t m, std::int64_t n, T alpha, const T* x,
                       std::int64_t incx, const T* y, std::int64_t incy, T* a, std::int64_t lda);

}  // namespace reprosum::exact
