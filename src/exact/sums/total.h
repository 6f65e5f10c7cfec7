// Exact sums of values or products, not yet rounded: what products of matrices, norms and solvers
// go on from.
#pragma once

#include <cstdint>

#include "src/exact/sums/kernels.h"
#include "src/exact/values/accumulator.h"

namespace reprosum::exact {

// The exact sum of x_i y_i. x and y point to element 0 and have any increment. The flags of zeros
// are certain to be right only if all terms are zeros; otherwise they decide nothing. `kernels` may
// be null: then no vector code runs.
template <class T>
Accumulator<double> total_of_products(const Kernels* kernels, std::int64_t n, const T* x,
                                      std::int64_t incx, const T* y, std::int64_t incy);

// The exact sums of x_i and of |x_i|.
template <class T>
Accumulator<double> total_of_values(const Kernels* kernels, std::int64_t n, const T* x,
                                    std::int64_t incx);
template <class T>
Accumulator<double> total_of_magnitudes(const Kernels* kernels, std::int64_t n, const T* x,
                                        std::int64_t incx);

}  // namespace reprosum::exact
