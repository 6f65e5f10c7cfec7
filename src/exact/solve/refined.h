// trsv by substitution, then iterative refinement: for comparison with the certified solution.
#pragma once

#include <cstdint>

#include "src/exact/solve/triangular.h"

namespace reprosum::exact {

// b := x of op(A) x = b, after Iakymchuk, Graillat, Defour, Quintana-Orti, "Hierarchical approach
// for deriving a reproducible unblocked LU factorization", Algorithm 6: x by `substitute`, then
// `steps` times r := b - op(A) x, each component rounded once from its exact value; d by
// `substitute` from r; x := x + d, rounded. Each step is reproducible, so x is. It is the rounded
// true solution only by luck: x of one working precision holds no better residual than its own last
// bits make, and beyond condition numbers of 1 / epsilon the steps stop gaining. Special values
// spread as in IEEE arithmetic. `kernels` may be null. @pre steps >= 0
template <class T>
void solve_refined(const Kernels* kernels, const Triangular<T>& system, View<T> b,
                   std::int64_t steps);

}  // namespace reprosum::exact
