// The rows of bench_exact on triangular systems and LU factorisations.
#pragma once

namespace reprosum::bench {

template <class T>
using Trsv = void (*)(int layout, int uplo, int trans, int diag, int n, const T* a, int lda, T* x,
                      int incx);
template <class T>
using Getrf = void (*)(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);

// CBLAS's trsv and LAPACK's getrf of the library that is raced.
struct SolverPeer {
  Trsv<double> dtrsv;
  Trsv<float> strsv;
  Getrf<double> dgetrf;
  Getrf<float> sgetrf;
};

void exact_solver_rows(const SolverPeer& peer);

}  // namespace reprosum::bench
