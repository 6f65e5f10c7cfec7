// One call of gemv or gemm through the Fortran or the CBLAS symbol.
#pragma once

#include "reveal/target/probed_library.h"

namespace reprosum::reveal {

// Either may be missing. Column-major calls take the Fortran symbol where there is one, row-major
// calls need the other.
struct MatrixSymbols {
  void* fortran = nullptr;
  void* cblas = nullptr;
};

// T is float or double.
// @pre symbols has the one that the layout needs.
template <typename T>
void call_matrix(const MatrixSymbols& symbols, const MatrixArguments& arguments);

extern template void call_matrix<float>(const MatrixSymbols&, const MatrixArguments&);
extern template void call_matrix<double>(const MatrixSymbols&, const MatrixArguments&);

}  // namespace reprosum::reveal
