// Solves with many right sides: entries as those of trsv, each rounded once.
//
// trsm takes alpha * b as a sum of two numbers. The second ones are the column of one more
// unknown, which is 1 and found first: a step of that larger system is the step that is wanted,
// and has one rounding. Where the second is no number, the sums are exact ones.
#pragma once

#include <cstdint>

#include "src/exact/entries/view.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// b := x of op(A) x = alpha * b for each column, by substitution as `substitute`: with the
// components before it already rounded, each is the exact (alpha * b_i - sum of a_ij x_j) / a_ii,
// rounded once. alpha == 0 reads nothing: b := 0. @pre b does not overlap system.a
template <class T>
void substitute_columns(const Kernels* kernels, const Triangular<T>& system, T alpha,
                        std::int64_t columns, View<T> b, int workers);

}  // namespace reprosum::exact
