// gemm of doubles from remainders by small moduli, and exact sums where the rounding test fails.
#pragma once

#include "src/exact/product.h"
#include "src/exact/remainder_kernels.h"

namespace reprosum::exact {

// Bits that elements of a line keep where all are of one size, and so the number of moduli. Each
// two more bits cost half a modulus more; fewer leave more entries to exact sums.
inline constexpr int kRemainderBits = 63;

// Computes the product, entry for entry what `multiply` promises; false, and nothing is written, if
// there is no memory or k is above kMostDepth. @pre alpha is 2^-200 to 2^200 in magnitude, k > 0,
// bits >= 20, the default floating-point environment
bool multiply_by_remainders(const Kernels* kernels, const RemainderKernels& loops,
                            const Product<double>& call, int bits = kRemainderBits);

}  // namespace reprosum::exact
