// Products with symmetric and triangular matrices: entries as those of gemm, each rounded once.
//
// Matrices with a structure become such products. A triangle of C is cut in half again and
// again: the square beside the halves is a product of its own, and a block of up to 48 rows on
// the diagonal is one in a copy. syr2k is the product of the factors side by side. Symmetric and
// triangular factors are written out in strips of 256 rows. A triangle's strip has zeros that
// are no terms, so what they may have touched is summed again without them: entries beside
// infinities and NaN, and zeros, whose sign they have a say in.
#pragma once

#include <cstdint>

#include "src/exact/entries/view.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// Makes the lower or the upper triangle of call.c, with the diagonal; m == n. Its entries are those
// that `multiply` gives. The other triangle is neither read nor written. syrk has call.b == a',
// gemmt any b. @pre as multiply
template <class T>
void multiply_triangle(const Kernels* kernels, const Product<T>& call, bool lower, int workers);

// The same with (a b) and (b a)' for the factors, each n x 2k: alpha * (a b' + b a') + beta * c,
// one rounding for all of it. call.b is n x k here. Throws std::bad_alloc.
template <class T>
void multiply_both(const Kernels* kernels, const Product<T>& call, bool lower, int workers);

// `multiply` with a symmetric call.a, m == k, of which one triangle is read. Throws std::bad_alloc.
template <class T>
void multiply_symmetric(const Kernels* kernels, const Product<T>& call, bool lower, int workers);

// b := alpha * op(A) * b, b op.n x columns. The terms of an entry are those of the triangle, so
// nothing of the other one and no zero in its place meets an infinity or a sign of zero. alpha == 0
// reads nothing: b := 0. Throws std::bad_alloc, before b is written. @pre b does not overlap op.a
template <class T>
void multiply_triangular(const Kernels* kernels, const Triangular<T>& op, T alpha,
                         std::int64_t columns, View<T> b, int workers);

}  // namespace reprosum::exact
