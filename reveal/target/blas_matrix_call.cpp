#include "reveal/target/blas_matrix_call.h"

#include <cstddef>

namespace reprosum::reveal {
namespace {

using spec::Trans;

// CBLAS's enumerations, which every implementation numbers alike.
constexpr int kRowMajor = 101, kColumnMajor = 102, kNoTrans = 111, kTrans = 112;

int cblas_trans(Trans trans) { return trans == Trans::no ? kNoTrans : kTrans; }
char fortran_trans(Trans trans) { return trans == Trans::no ? 'N' : 'T'; }

// The lengths of CHARACTER arguments follow all others; libraries in C ignore them.
template <typename T>
void fortran_gemm(void* address, const MatrixArguments& g, T alpha, T beta) {
  using Gemm = void (*)(const char*, const char*, const int*, const int*, const int*, const T*,
                        const T*, const int*, const T*, const int*, const T*, T*, const int*,
                        std::size_t, std::size_t);
  const char trans_a = fortran_trans(g.trans_a), trans_b = fortran_trans(g.trans_b);
  reinterpret_cast<Gemm>(address)(&trans_a, &trans_b, &g.m, &g.n, &g.k, &alpha,
                                  static_cast<const T*>(g.a), &g.lda, static_cast<const T*>(g.b),
                                  &g.ldb, &beta, static_cast<T*>(g.c), &g.ldc, 1, 1);
}

template <typename T>
void cblas_gemm(void* address, const MatrixArguments& g, T alpha, T beta) {
  using Gemm = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
  reinterpret_cast<Gemm>(address)(g.row_major ? kRowMajor : kColumnMajor, cblas_trans(g.trans_a),
                                  cblas_trans(g.trans_b), g.m, g.n, g.k, alpha,
                                  static_cast<const T*>(g.a), g.lda, static_cast<const T*>(g.b),
                                  g.ldb, beta, static_cast<T*>(g.c), g.ldc);
}

// gemv's sizes are those of the stored matrix, not of op(A).
template <typename T>
void fortran_gemv(void* address, const MatrixArguments& g, T alpha, T beta) {
  using Gemv = void (*)(const char*, const int*, const int*, const T*, const T*, const int*,
                        const T*, const int*, const T*, T*, const int*, std::size_t);
  const char trans = fortran_trans(g.trans_a);
  const int rows = g.trans_a == Trans::no ? g.m : g.k;
  const int columns = g.trans_a == Trans::no ? g.k : g.m;
  reinterpret_cast<Gemv>(address)(&trans, &rows, &columns, &alpha, static_cast<const T*>(g.a),
                                  &g.lda, static_cast<const T*>(g.b), &g.ldb, &beta,
                                  static_cast<T*>(g.c), &g.ldc, 1);
}

template <typename T>
void cblas_gemv(void* address, const MatrixArguments& g, T alpha, T beta) {
  using Gemv = void (*)(int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
  const int rows = g.trans_a == Trans::no ? g.m : g.k;
  const int columns = g.trans_a == Trans::no ? g.k : g.m;
  reinterpret_cast<Gemv>(address)(g.row_major ? kRowMajor : kColumnMajor, cblas_trans(g.trans_a),
                                  rows, columns, alpha, static_cast<const T*>(g.a), g.lda,
                                  static_cast<const T*>(g.b), g.ldb, beta, static_cast<T*>(g.c),
                                  g.ldc);
}

}  // namespace

template <typename T>
void call_matrix(const MatrixSymbols& symbols, const MatrixArguments& arguments) {
  const T alpha = static_cast<T>(arguments.alpha), beta = static_cast<T>(arguments.beta);
  const bool fortran = symbols.fortran && !arguments.row_major;
  if (arguments.gemv) {
    fortran ? fortran_gemv<T>(symbols.fortran, arguments, alpha, beta)
            : cblas_gemv<T>(symbols.cblas, arguments, alpha, beta);
  } else {
    fortran ? fortran_gemm<T>(symbols.fortran, arguments, alpha, beta)
            : cblas_gemm<T>(symbols.cblas, arguments, alpha, beta);
  }
}

template void call_matrix<float>(const MatrixSymbols&, const MatrixArguments&);
template void call_matrix<double>(const MatrixSymbols&, const MatrixArguments&);

}  // namespace reprosum::reveal
