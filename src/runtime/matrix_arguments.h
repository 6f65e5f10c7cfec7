// gemv and gemm calls before they are replayed: what must hold of them, and their column-major
// form.
#pragma once

#include "src/runtime/matrix_replayer.h"

namespace reprosum::runtime {

// Throws BadArgument for negative sizes, a leading dimension that is too small, an increment of 0,
// null or misaligned operands that would be read or written.
template <class T>
void check_arguments(const MatrixCall<T>& call);

// A call by rows is the column-major one on the transposed problem, in the same memory. In the
// result a gemv has m outputs, k summands and n = 1, and vectors start at their logical first
// element.
template <class T>
kernels::MatrixArguments<T> column_major(const MatrixCall<T>& call);

// C := beta * C, +0 where beta is 0: a gemm without summands.
template <class T>
void scale_output(const kernels::MatrixArguments<T>& call);

}  // namespace reprosum::runtime
