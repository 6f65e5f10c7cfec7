// One call of gemv or gemm through the Fortran or the CBLAS symbol.
#pragma once

#include "spec/matrix.h"

namespace reprosum::reveal {

// Either may be missing. Column-major calls take the Fortran symbol where there is one, row-major
// calls need the other.
struct MatrixSymbols {
  void* fortran = nullptr;
  void* cblas = nullptr;
};

// The call's operands in memory. m, n, k are those of the product (op(A) is m x k); gemv has x for
// b and y for c, with increments for leading dimensions. The pointers are the lowest addresses.
struct MatrixArguments {
  bool gemv = false;
  bool row_major = false;
  spec::Trans trans_a = spec::Trans::no, trans_b = spec::Trans::no;
  int m = 0, n = 1, k = 0;
  double alpha = 1, beta = 0;
  const void* a = nullptr;
  int lda = 1;
  const void* b = nullptr;
  int ldb = 1;  // gemv: incx
  void* c = nullptr;
  int ldc = 1;  // gemv: incy
};

// T is float or double.
// @pre symbols has the one that the layout needs.
template <typename T>
void call_matrix(const MatrixSymbols& symbols, const MatrixArguments& arguments);

extern template void call_matrix<float>(const MatrixSymbols&, const MatrixArguments&);
extern template void call_matrix<double>(const MatrixSymbols&, const MatrixArguments&);

}  // namespace reprosum::reveal
