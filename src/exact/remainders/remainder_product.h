// gemm of doubles from remainders by small moduli, and exact sums where the rounding test fails.
//
// By remainders (Ozaki's second scheme; remainders.h has the proofs). Rows and columns of
// doubles are scaled by powers of two, rounded to integers of some 60 bits, and multiplied
// modulo 7 to 20 coprime numbers below 257: bytes times bytes, with exact 32-bit sums. The
// products modulo all of them give the integer, as a pair of doubles, by the Chinese remainder
// theorem. What rounding dropped of a line is known (nothing, where its numbers lie near one
// another), so the bound is close. The number of moduli is the one that makes the least time,
// guessed from eight rows and columns: uniform data take 17 or 18, normal 18 or 19, exp of three
// times normal 20, floats 11 to 14. Where nothing of a row and a column was dropped, the integer
// is the sum: ties are known, and need no exact sum. Depths beyond 65536 and sizes with 1 / m +
// 1 / n + 2 / k above 1 / 60 (n < 240) are split; so is everything on machines without AVX-512
// VNNI.
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
