// gemv and gemm calls before they are replayed: what must hold of them, and their column-major
// form.
#pragma once

#include "src/runtime/products.h"

namespace reprosum::runtime {

// Throws BadArgument for negative sizes, a leading dimension that is too small, an increment of 0,
// and NotCovered for sizes and leading dimensions above 2^31.
template <class T>
void check_arguments(const MatrixCall<T>& call);

// Throw BadArgument for null or misaligned operands: those of a call that reads A and B, or that
// has outputs to write.
template <class T>
void check_factors(const MatrixCall<T>& call);
template <class T>
void check_output(const MatrixCall<T>& call);

// A call by rows is the column-major one on the transposed problem, in the same memory. In the
// result a gemv has m outputs, k summands and n = 1, and vectors start at their logical first
// element.
template <class T>
spec::MatrixArguments<T> column_major(const MatrixCall<T>& call);

// @pre the rule writes (spec::writes).
template <class T>
void update_without_summands(const spec::EmptyRule& rule, const spec::MatrixArguments<T>& call);

}  // namespace reprosum::runtime
