// What an approximate solution of a triangular system leaves of the right side, far more accurately
// than a pair of doubles: from it follows how wrong the solution is.
#pragma once

#include <cstdint>

#include "src/exact/solve/triangular.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// Sums of a_ij X_j with X = x1 + x2, |x2| <= 2^-53 |x1|, as S - M + S2 - M2 + L. Let M = 1.5 * 2^e
// with sums of |a_ij x1_j| at most kAnchored * M, M2 = 1.5 * 2^e2 = M * ratio(n). Each step does
//     p = a x1    e = fma(a, x1, -p)    S takes p, q is the error of that
//     S2 takes q, then e, then a x2; r1, r2, r3 are the errors    L = L + ((r1 + r2) + r3)
// where T takes p is t = T + p, error p - (t - T), T = t. As in pairs.h, S and S2 stay within a
// binade, so all t - T are exact, and so are the errors of sums of two, and e. Only r3 is rounded.
// |q| is at most 2^(e-53), |e| and |a x2| half that, so that S2 collects at most N * 2^(e-51) over
// N = n + 16 steps: at most 2^(e2-1) by the choice of ratio. |r| is at most 2^(e2-53), and L at
// most 3 N times that. Each of the at most 3 N + 16 additions for it, with lanes' sums, is off by
// 2^-53 * (3 N + 1) * 2^(e2-53), and each r3 by 2^(e2-106): together at most
//     residual_error(n) * M2, that is 10 N^2 * 2^(e2-106).
// Sums S - M and S2 - M2 of several runs with the same anchors add up exactly. What underflows is
// below 2^-1000 in all.
inline double residual_ratio(std::int64_t n) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < n + 16) ++bits;
  return __builtin_ldexp(1.0, bits - 50);
}
inline double residual_error(double n) { return 10 * (n + 16) * (n + 16) * (0.67 * 0x1p-106); }

template <class T>
struct ResidualKernel {
  // As SolveKernel's: sums of kSolveRows rows from zero on, of which high is S - M, mid S2 - M2.
  void (*rows)(std::int64_t depth, const T* a, std::int64_t stride, const double* x1,
               const double* x2, const double* anchors, double ratio, double* high, double* mid,
               double* low);
  // kSolveColumns columns go on with S, S2 and L of each row.
  void (*columns)(std::int64_t count, const T* a, std::int64_t stride, const double* x1,
                  const double* x2, double* high, double* mid, double* low);
};

// An approximate solution -(x1 + x2), with what bounds a row's sum of |a_ij x1_j| but for its own.
struct Approximation {
  const double *x1, *x2, *sizes;
};

// residual[i] becomes b_i - (row i of op(A)) X, which is off by `off[i]` at most; that is NaN where
// the premise does not hold. `memory` has 4 * (n + 16) doubles, the other arrays n + 16.
// @pre the matrix has a unit stride; the default floating-point environment
template <class T>
void residuals_of(const Kernels* kernels, const ResidualKernel<T>& loops,
                  const Triangular<T>& system, View<const T> b, const Approximation& x,
                  double* memory, double* residual, double* off);

}  // namespace reprosum::exact
