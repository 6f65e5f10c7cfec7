// gemv by rounded sums with a bound, and exact sums where the rounding test fails.
#pragma once

#include "src/exact/entries/view.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// A product with n = 1, as multiply_fast computes others: false, and nothing is written, where it
// does not. @pre alpha != 0, k > 0, the default floating-point environment
template <class T>
bool multiply_vector_fast(const Kernels* kernels, const Product<T>& call);

}  // namespace reprosum::exact
