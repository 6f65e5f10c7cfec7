// gemm by remainders or by tiles of rounded products with a bound, whichever is faster for the
// sizes, and exact sums where the rounding test fails.
#pragma once

#include "src/exact/entries/view.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// Computes the product, entry for entry what `multiply` promises; false, and nothing is written, if
// there are no tiles for these kernels, the scalars are of unusual size, the sizes are too small to
// be worth it, or there is no memory. @pre alpha != 0, k > 0, the default floating-point
// environment
template <class T>
bool multiply_fast(const Kernels* kernels, const Product<T>& call);

// The same for the products that are multiplied by remainders, by several workers; false for
// others.
bool multiply_together(const Kernels* kernels, const Product<double>& call, int workers);

// The same by splitting alone, whatever would be faster. @pre |alpha| is 2^-200 to 2^200
template <class T>
bool multiply_by_splitting(const Kernels* kernels, const Product<T>& call);

}  // namespace reprosum::exact
