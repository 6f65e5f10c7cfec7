// trsv by substitution, each component rounded once.
#pragma once

#include <cstdint>

#include "src/exact/entries/view.h"
#include "src/exact/sums/total.h"

namespace reprosum::exact {

// b := x by substitution: with the components before it already rounded, each component is the
// exact (b_i - sum of a_ij x_j) / a_ii, rounded once to nearest even. It is reproducible, and as
// accurate as such a substitution can be, but not the rounded true solution. Zero diagonals and
// special values go the way of IEEE division. `kernels` may be null.
template <class T>
void substitute(const Kernels* kernels, const Triangular<T>& system, View<T> b);

// The exact sum b - (x_0 y_0 + x_1 y_1 + ...), not rounded.
template <class T>
Accumulator<double> residual(const Kernels* kernels, std::int64_t n, T b, const T* x,
                             std::int64_t incx, const T* y, std::int64_t incy) {
  Accumulator<double> sum = total_of_products(kernels, n, x, incx, y, incy);
  sum.negate();
  sum.add(b);
  return sum;
}

}  // namespace reprosum::exact
