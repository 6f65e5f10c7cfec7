#include "reveal/target/blas_matrix_call.h"

#include <cstddef>

#include "reveal/target/blas_symbols.h"

namespace reprosum::reveal {
namespace {

using spec::Trans;
using Integer = BlasInteger;

// CBLAS's enumerations, which every implementation numbers alike.
constexpr int kRowMajor = 101, kColumnMajor = 102, kNoTrans = 111, kTrans = 112, kConjTrans = 113;

int cblas_trans(const MatrixArguments& g, Trans trans) {
  return trans == Trans::no ? kNoTrans : g.conjugate ? kConjTrans : kTrans;
}
char fortran_trans(const MatrixArguments& g, Trans trans) {
  return trans == Trans::no ? 'N' : g.conjugate ? 'C' : 'T';
}

// The lengths of CHARACTER arguments follow all others; libraries in C ignore them.
template <typename T>
void fortran_gemm(void* address, const MatrixArguments& g, T alpha, T beta) {
  using Gemm = void (*)(const char*, const char*, const Integer*, const Integer*, const Integer*,
                        const T*, const T*, const Integer*, const T*, const Integer*, const T*, T*,
                        const Integer*, std::size_t, std::size_t);
  const char trans_a = fortran_trans(g, g.trans_a), trans_b = fortran_trans(g, g.trans_b);
  const Integer m = g.m, n = g.n, k = g.k, lda = g.lda, ldb = g.ldb, ldc = g.ldc;
  reinterpret_cast<Gemm>(address)(&trans_a, &trans_b, &m, &n, &k, &alpha,
                                  static_cast<const T*>(g.a), &lda, static_cast<const T*>(g.b),
                                  &ldb, &beta, static_cast<T*>(g.c), &ldc, 1, 1);
}

template <typename T>
void cblas_gemm(void* address, const MatrixArguments& g, T alpha, T beta) {
  using Gemm = void (*)(int, int, int, Integer, Integer, Integer, T, const T*, Integer, const T*,
                        Integer, T, T*, Integer);
  reinterpret_cast<Gemm>(address)(g.row_major ? kRowMajor : kColumnMajor, cblas_trans(g, g.trans_a),
                                  cblas_trans(g, g.trans_b), g.m, g.n, g.k, alpha,
                                  static_cast<const T*>(g.a), g.lda, static_cast<const T*>(g.b),
                                  g.ldb, beta, static_cast<T*>(g.c), g.ldc);
}

// gemv's sizes are those of the stored matrix, not of op(A).
template <typename T>
void fortran_gemv(void* address, const MatrixArguments& g, T alpha, T beta) {
  using Gemv =
      void (*)(const char*, const Integer*, const Integer*, const T*, const T*, const Integer*,
               const T*, const Integer*, const T*, T*, const Integer*, std::size_t);
  const char trans = fortran_trans(g, g.trans_a);
  const Integer rows = g.trans_a == Trans::no ? g.m : g.k;
  const Integer columns = g.trans_a == Trans::no ? g.k : g.m;
  const Integer lda = g.lda, incx = g.ldb, incy = g.ldc;
  reinterpret_cast<Gemv>(address)(&trans, &rows, &columns, &alpha, static_cast<const T*>(g.a), &lda,
                                  static_cast<const T*>(g.b), &incx, &beta, static_cast<T*>(g.c),
                                  &incy, 1);
}

template <typename T>
void cblas_gemv(void* address, const MatrixArguments& g, T alpha, T beta) {
  using Gemv =
      void (*)(int, int, Integer, Integer, T, const T*, Integer, const T*, Integer, T, T*, Integer);
  const int rows = g.trans_a == Trans::no ? g.m : g.k;
  const int columns = g.trans_a == Trans::no ? g.k : g.m;
  reinterpret_cast<Gemv>(address)(g.row_major ? kRowMajor : kColumnMajor, cblas_trans(g, g.trans_a),
                                  rows, columns, alpha, static_cast<const T*>(g.a), g.lda,
                                  static_cast<const T*>(g.b), g.ldb, beta, static_cast<T*>(g.c),
                                  g.ldc);
}

}  // namespace

template <typename T>
void call_matrix(const MatrixSymbols& symbols, const MatrixArguments& arguments) {
  const T alpha = static_cast<T>(arguments.alpha), beta = static_cast<T>(arguments.beta);
  const bool fortran = symbols.fortran && !arguments.row_major && !arguments.cblas;
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
