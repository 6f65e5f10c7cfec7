// Triangular systems by sums kept as pairs of doubles with a proven bound.
//
// With AVX2 or AVX-512, and a matrix with a unit stride, a component's sum is a pair S - M + L
// beside A, the sum of magnitudes (solves.h: three fused multiply-adds and three other
// operations for each element; one more fma where x has two parts). Blocks of 8 rows are solved
// row by row, in vectors where all prove certain; the rest is vector loops along rows or
// columns. Rounded by component, what a bound leaves open is an exact sum. Certified, x is
// carried as x1 + x2, and A also bounds how far the errors of earlier components spread. The
// first try at columns of doubles bounds A by norms (Cauchy and Schwarz, 128 columns at a time;
// row_norms.h), which takes one operation less; it goes on without them where errors outgrow
// components, as a looser A then lets them do sooner. Floats are first tried in plain doubles,
// with the sizes' products in float. If any component is not certain, all is tried again with
// anchors that fit; a first try whose sizes outgrow its anchors ends there, and the next has
// anchors as if they went on to grow like that. What is still open then takes the residual b - L
// X, as three running sums that are exact but for the last bits of the last (residuals.h), and a
// solution of L d = b - L X in plain doubles, with bounds: X + d is accurate unless errors may
// grow by some 2^30, as they do in systems that need the balls: some 100 times the time at n =
// 1024. fast_counts() says how many solutions were corrected, and how many took balls.
#pragma once

#include <cstdint>

#include "src/exact/solve/triangular.h"

namespace reprosum::exact {

// What `substitute` gives, or `solve_certified` where all its components are certain; false, with b
// as it was, where there is no fast way. @pre the default floating-point environment
template <class T>
bool substitute_fast(const Kernels* kernels, const Triangular<T>& system, View<T> b);
template <class T>
bool solve_certified_fast(const Kernels* kernels, const Triangular<T>& system, View<T> b);

}  // namespace reprosum::exact
