// getrf and getrs: an LU factorisation with one rounding for each entry, and solves with it.
#pragma once

#include <cstdint>

#include "src/exact/entries/view.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// A := L and U of P A = L U, A m x n, partial pivoting: with the entries before them already
// rounded,
//     u_ij = a_ij - sum of l_ik u_kj over k < i, and l_ij = (a_ij - sum of l_ik u_kj over k < j) /
//     u_jj,
// each the exact value rounded once to nearest even. The pivot of a column is the entry of largest
// magnitude of those sums rounded, the first of equals; a NaN is taken only where it stands first.
// pivots[j] = i + 1: rows j and i changed places. So the result does not depend on the order of
// work, nor on the number of workers. Returns 0, or j + 1 for the first u_jj that is zero: then
// column j of L stays undivided. @pre workers >= 1
template <class T>
std::int64_t factor(const Kernels* kernels, std::int64_t m, std::int64_t n, View<T> a,
                    std::int64_t* pivots, int workers);

// B := X of op(A) X = B with what `factor` left in A, n x n: rows exchanged, then two
// substitutions, each component of each rounded once. @pre pivots within 1 .. n
template <class T>
void solve_factored(const Kernels* kernels, bool transposed, std::int64_t n, View<const T> a,
                    const std::int64_t* pivots, std::int64_t columns, View<T> b, int workers);

}  // namespace reprosum::exact
