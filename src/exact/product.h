// gemv and gemm: alpha * op(A) * op(B) + beta * C, each entry rounded once.
#pragma once

#include <cstdint>

#include "src/exact/kernels.h"

namespace reprosum::exact {

// Where an m x n matrix has its entries: (i, j) at first[i * row + j * column].
template <class T>
struct View {
  T* first;
  std::int64_t row, column;

  T& at(std::int64_t i, std::int64_t j) const { return first[i * row + j * column]; }
  View transposed() const { return {first, column, row}; }
};

// c := alpha * a * b + beta * c, a m x k and b k x n. T is float or double.
template <class T>
struct Product {
  std::int64_t m, n, k;
  T alpha;
  View<const T> a, b;
  T beta;
  View<T> c;
};

// An entry is the exact value of its terms alpha * a_il * b_lj and beta * c_ij, rounded once to
// nearest even; special values are those of include/reprosum/exact.h. beta == 0: c is no term and
// is not read. alpha == 0 or k == 0: a and b are no terms and not read; beta == 1 then changes
// nothing. @pre c overlaps neither a nor b; `kernels` may be null; workers >= 1
template <class T>
void multiply(const Kernels* kernels, const Product<T>& call, int workers);

// One entry, by an exact sum. @pre alpha != 0, k > 0, the default floating-point environment
template <class T>
T exact_entry(const Kernels* kernels, const Product<T>& call, std::int64_t i, std::int64_t j);

}  // namespace reprosum::exact
