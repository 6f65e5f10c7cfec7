// gemv and gemm: alpha * op(A) * op(B) + beta * C, each entry rounded once.
#pragma once

#include "src/exact/entries/view.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// An entry is the exact value of its terms alpha * a_il * b_lj and beta * c_ij, rounded once to
// nearest even; special values are those of include/reprosum/exact.h. beta == 0: c is no term and
// is not read. alpha == 0 or k == 0: a and b are no terms and not read; beta == 1 then changes
// nothing. @pre c overlaps neither a nor b; `kernels` may be null; workers >= 1
template <class T>
void multiply(const Kernels* kernels, const Product<T>& call, int workers);

}  // namespace reprosum::exact
