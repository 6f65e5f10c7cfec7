// gemm of doubles from remainders by small moduli, and exact sums where the rounding test fails.
#pragma once

#include "src/exact/entries/view.h"
#include "src/exact/remainders/remainder_kernels.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// Computes the product, entry for entry what `multiply` promises; false, and nothing is written, if
// there is no memory or k is above kMostDepth. `moduli`: null for as many as suit the data. The
// workers share one conversion of the factors, and the columns or rows. @pre alpha is 2^-200 to
// 2^200 in magnitude, m, n and k > 0, moduli->limit >= 2^20 * sqrt(k), the default floating-point
// environment
bool multiply_by_remainders(const Kernels* kernels, const RemainderKernels& loops,
                            const Product<double>& call, const Remainders* moduli = nullptr,
                            int workers = 1);

}  // namespace reprosum::exact
