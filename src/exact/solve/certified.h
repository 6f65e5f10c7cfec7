// The solution of a triangular system, each component the correctly rounded value of the true one.
#pragma once

#include <cstdint>
#include <string>

#include "src/exact/solve/triangular.h"

namespace reprosum::exact {

// b := x of op(A) x = b, each x_i rounded once to nearest even from the exact solution, whatever
// the condition number; a component that is exactly zero is +0. Returns "", or why there is no such
// solution (a zero on the diagonal, a NaN or an infinity), and then b is as it was.
//
// With vector kernels (`kernels` may be null) it is first tried with pairs of doubles, then with
// their residual (fast_solve.h). Then substitution runs with balls of 192 bits; a component is
// certain if both ends of its ball round to the same number. While one is not, all is done again
// with twice the bits.
//
// That ends: let row j be integers A_jk and B_j after division by a power of two, A_jj = o_j *
// 2^t_j with o_j odd. By Cramer's rule x_i times the product of A_jj over j <= i is an integer. Let
// c be a number between roundings, the middle of two neighbours, or zero: an integer multiple of
// 2^-1075. With s = max(1075, sum of t_j), (x_i - c) * 2^s * (product of o_j) is an integer; so x_i
// is c, or at least 2^-(s + sum of the o_j's lengths) away from it. A ball smaller than that around
// c proves x_i = c, a tie, and radii shrink with every doubling.
template <class T>
std::string solve_certified(const Kernels* kernels, const Triangular<T>& system, View<T> b);

}  // namespace reprosum::exact
