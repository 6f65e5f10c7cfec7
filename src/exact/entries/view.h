// Where matrices have their entries, and what a product or a triangular system is given.
#pragma once

#include <cstdint>

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

// A triangular op(A), n x n; the other triangle is not read, nor is the diagonal if
// it is `unit`: then it is 1.
template <class T>
struct Triangular {
  std::int64_t n;
  View<const T> a;  // op(A) by row and column
  bool lower, unit;
};

}  // namespace reprosum::exact
