// The C API: exact products with symmetric and triangular matrices, and trsm.
#include "src/exact/products/structured.h"
#include "src/exact/solve/many_sides.h"
#include "src/exact/sums/blocks.h"
#include "src/exact/values/float_bits.h"
#include "src/runtime/exact_arguments.h"

namespace reprosum::runtime {
namespace {

// op(A) of a stored A, m x n as op(A).
template <class T>
exact::View<const T> factor(const char* name, const T* a, std::int64_t lda, std::int64_t m,
                            std::int64_t n, bool rows, bool transposed) {
  check_leading(name, lda, transposed ? n : m, transposed ? m : n, rows);
  const exact::View<const T> stored = view_of(a, lda, rows);
  return transposed ? stored.transposed() : stored;
}

// Checks the factors, which a call with k = 0 or alpha = 0 does not read.
template <class T>
void check_factors(T alpha, std::int64_t k, const T* a, const T* b) {
  if (k == 0 || exact::is_zero(alpha)) return;
  check_matrix_pointer("a", a, sizeof(T));
  check_matrix_pointer("b", b, sizeof(T));
}

template <class T>
reprosum_status gemmt(reprosum_layout layout, reprosum_uplo uplo, reprosum_transpose transa,
                      reprosum_transpose transb, std::int64_t n, std::int64_t k, T alpha,
                      const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c,
                      std::int64_t ldc) noexcept {
  return exact_call([&] {
    const bool rows = is_row_major(layout), lower = is_lower(uplo);
    const bool a_transposed = is_transposed(transa), b_transposed = is_transposed(transb);
    check_size("n", n);
    check_size("k", k);
    const auto left = factor("lda", a, lda, n, k, rows, a_transposed);
    const auto right = factor("ldb", b, ldb, k, n, rows, b_transposed);
    check_leading("ldc", ldc, n, n, rows);
    if (n == 0) return;
    check_matrix_pointer("c", c, sizeof(T));
    check_factors(alpha, k, a, b);
    exact::multiply_triangle(
        exact::best_kernels(),
        exact::Product<T>{n, n, k, alpha, left, right, beta, view_of(c, ldc, rows)}, lower,
        exact_workers());
  });
}

template <class T>
reprosum_status syrk(reprosum_layout layout, reprosum_uplo uplo, reprosum_transpose trans,
                     std::int64_t n, std::int64_t k, T alpha, const T* a, std::int64_t lda, T beta,
                     T* c, std::int64_t ldc) noexcept {
  const auto other = trans == REPROSUM_NO_TRANS ? REPROSUM_TRANS : REPROSUM_NO_TRANS;
  return gemmt(layout, uplo, trans, other, n, k, alpha, a, lda, a, lda, beta, c, ldc);
}

template <class T>
reprosum_status syr2k(reprosum_layout layout, reprosum_uplo uplo, reprosum_transpose trans,
                      std::int64_t n, std::int64_t k, T alpha, const T* a, std::int64_t lda,
                      const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc) noexcept {
  return exact_call([&] {
    const bool rows = is_row_major(layout), transposed = is_transposed(trans);
    const bool lower = is_lower(uplo);
    check_size("n", n);
    check_size("k", k);
    const auto left = factor("lda", a, lda, n, k, rows, transposed);
    const auto right = factor("ldb", b, ldb, n, k, rows, transposed);
    check_leading("ldc", ldc, n, n, rows);
    if (n == 0) return;
    check_matrix_pointer("c", c, sizeof(T));
    check_factors(alpha, k, a, b);
    exact::multiply_both(
        exact::best_kernels(),
        exact::Product<T>{n, n, k, alpha, left, right, beta, view_of(c, ldc, rows)}, lower,
        exact_workers());
  });
}

template <class T>
reprosum_status symm(reprosum_layout layout, reprosum_side side, reprosum_uplo uplo, std::int64_t m,
                     std::int64_t n, T alpha, const T* a, std::int64_t lda, const T* b,
                     std::int64_t ldb, T beta, T* c, std::int64_t ldc) noexcept {
  return exact_call([&] {
    const bool rows = is_row_major(layout), left = !is_right(side), lower = is_lower(uplo);
    check_size("m", m);
    check_size("n", n);
    const std::int64_t size = left ? m : n;
    const auto symmetric = factor("lda", a, lda, size, size, rows, false);
    const auto other = factor("ldb", b, ldb, m, n, rows, false);
    check_leading("ldc", ldc, m, n, rows);
    if (m == 0 || n == 0) return;
    check_matrix_pointer("c", c, sizeof(T));
    check_factors(alpha, size, a, b);
    const auto out = view_of(c, ldc, rows);
    exact::multiply_symmetric(
        exact::best_kernels(),
        exact::Product<T>{size, left ? n : m, size, alpha, symmetric,
                          left ? other : other.transposed(), beta, left ? out : out.transposed()},
        lower, exact_workers());
  });
}

template <class T>
reprosum_status symv(reprosum_layout layout, reprosum_uplo uplo, std::int64_t n, T alpha,
                     const T* a, std::int64_t lda, const T* x, std::int64_t incx, T beta, T* y,
                     std::int64_t incy) noexcept {
  return exact_call([&] {
    const bool rows = is_row_major(layout), lower = is_lower(uplo);
    check_size("n", n);
    const auto symmetric = factor("lda", a, lda, n, n, rows, false);
    check_not_zero("incx", incx);
    check_not_zero("incy", incy);
    if (n == 0) return;
    exact::View<const T> column{};
    if (!exact::is_zero(alpha)) {
      check_matrix_pointer("a", a, sizeof(T));
      check_vector("x", x, incx, n);
      column = column_of(x, n, incx);
    }
    check_vector("y", y, incy, n);
    exact::multiply_symmetric(
        exact::best_kernels(),
        exact::Product<T>{n, 1, n, alpha, symmetric, column, beta, column_of(y, n, incy)}, lower,
        exact_workers());
  });
}

// run(op(A), columns, B) of trmm and trsm: A on the right is its transpose on the left.
template <class T, class Run>
reprosum_status of_triangular(Run&& run, reprosum_layout layout, reprosum_side side,
                              reprosum_uplo uplo, reprosum_transpose trans, reprosum_diag diag,
                              std::int64_t m, std::int64_t n, T alpha, const T* a, std::int64_t lda,
                              T* b, std::int64_t ldb) noexcept {
  return exact_call([&] {
    const bool rows = is_row_major(layout), left = !is_right(side), lower = is_lower(uplo);
    const bool transposed = is_transposed(trans) == left, unit = is_unit(diag);
    check_size("m", m);
    check_size("n", n);
    const std::int64_t size = left ? m : n;
    check_leading("lda", lda, size, size, rows);
    check_leading("ldb", ldb, m, n, rows);
    if (m == 0 || n == 0) return;
    if (!exact::is_zero(alpha)) check_matrix_pointer("a", a, sizeof(T));
    check_matrix_pointer("b", b, sizeof(T));
    const exact::View<const T> stored = view_of(a, lda, rows);
    const exact::View<T> out = view_of(b, ldb, rows);
    run(exact::Triangular<T>{size, transposed ? stored.transposed() : stored, lower != transposed,
                             unit},
        left ? n : m, left ? out : out.transposed());
  });
}

template <class T>
reprosum_status trmm(reprosum_layout layout, reprosum_side side, reprosum_uplo uplo,
                     reprosum_transpose trans, reprosum_diag diag, std::int64_t m, std::int64_t n,
                     T alpha, const T* a, std::int64_t lda, T* b, std::int64_t ldb) noexcept {
  const auto run = [alpha](const auto& op, std::int64_t columns, auto out) {
    exact::multiply_triangular(exact::best_kernels(), op, alpha, columns, out, exact_workers());
  };
  return of_triangular(run, layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}

template <class T>
reprosum_status trsm(reprosum_layout layout, reprosum_side side, reprosum_uplo uplo,
                     reprosum_transpose trans, reprosum_diag diag, std::int64_t m, std::int64_t n,
                     T alpha, const T* a, std::int64_t lda, T* b, std::int64_t ldb) noexcept {
  const auto run = [alpha](const auto& op, std::int64_t columns, auto out) {
    exact::substitute_columns(exact::best_kernels(), op, alpha, columns, out, exact_workers());
  };
  return of_triangular(run, layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}

template <class T>
reprosum_status trmv(reprosum_layout layout, reprosum_uplo uplo, reprosum_transpose trans,
                     reprosum_diag diag, std::int64_t n, const T* a, std::int64_t lda, T* x,
                     std::int64_t incx) noexcept {
  return exact_call([&] {
    const bool rows = is_row_major(layout), transposed = is_transposed(trans);
    const bool lower = is_lower(uplo), unit = is_unit(diag);
    check_size("n", n);
    const auto op = factor("lda", a, lda, n, n, rows, transposed);
    check_not_zero("incx", incx);
    if (n == 0) return;
    check_matrix_pointer("a", a, sizeof(T));
    check_vector("x", x, incx, n);
    exact::multiply_triangular(exact::best_kernels(),
                               exact::Triangular<T>{n, op, lower != transposed, unit}, T(1), 1,
                               column_of(x, n, incx), exact_workers());
  });
}

}  // namespace
}  // namespace reprosum::runtime

using namespace reprosum::runtime;

extern "C" {

reprosum_status reprosum_exact_ssyrk(reprosum_layout layout, reprosum_uplo uplo,
                                     reprosum_transpose trans, int64_t n, int64_t k, float alpha,
                                     const float* a, int64_t lda, float beta, float* c,
                                     int64_t ldc) {
  return syrk(layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}
reprosum_status reprosum_exact_dsyrk(reprosum_layout layout, reprosum_uplo uplo,
                                     reprosum_transpose trans, int64_t n, int64_t k, double alpha,
                                     const double* a, int64_t lda, double beta, double* c,
                                     int64_t ldc) {
  return syrk(layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

reprosum_status reprosum_exact_ssyr2k(reprosum_layout layout, reprosum_uplo uplo,
                                      reprosum_transpose trans, int64_t n, int64_t k, float alpha,
                                      const float* a, int64_t lda, const float* b, int64_t ldb,
                                      float beta, float* c, int64_t ldc) {
  return syr2k(layout, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
reprosum_status reprosum_exact_dsyr2k(reprosum_layout layout, reprosum_uplo uplo,
                                      reprosum_transpose trans, int64_t n, int64_t k, double alpha,
                                      const double* a, int64_t lda, const double* b, int64_t ldb,
                                      double beta, double* c, int64_t ldc) {
  return syr2k(layout, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

reprosum_status reprosum_exact_sgemmt(reprosum_layout layout, reprosum_uplo uplo,
                                      reprosum_transpose transa, reprosum_transpose transb,
                                      int64_t n, int64_t k, float alpha, const float* a,
                                      int64_t lda, const float* b, int64_t ldb, float beta,
                                      float* c, int64_t ldc) {
  return gemmt(layout, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
reprosum_status reprosum_exact_dgemmt(reprosum_layout layout, reprosum_uplo uplo,
                                      reprosum_transpose transa, reprosum_transpose transb,
                                      int64_t n, int64_t k, double alpha, const double* a,
                                      int64_t lda, const double* b, int64_t ldb, double beta,
                                      double* c, int64_t ldc) {
  return gemmt(layout, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

reprosum_status reprosum_exact_ssymm(reprosum_layout layout, reprosum_side side, reprosum_uplo uplo,
                                     int64_t m, int64_t n, float alpha, const float* a, int64_t lda,
                                     const float* b, int64_t ldb, float beta, float* c,
                                     int64_t ldc) {
  return symm(layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}
reprosum_status reprosum_exact_dsymm(reprosum_layout layout, reprosum_side side, reprosum_uplo uplo,
                                     int64_t m, int64_t n, double alpha, const double* a,
                                     int64_t lda, const double* b, int64_t ldb, double beta,
                                     double* c, int64_t ldc) {
  return symm(layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}

reprosum_status reprosum_exact_ssymv(reprosum_layout layout, reprosum_uplo uplo, int64_t n,
                                     float alpha, const float* a, int64_t lda, const float* x,
                                     int64_t incx, float beta, float* y, int64_t incy) {
  return symv(layout, uplo, n, alpha, a, lda, x, incx, beta, y, incy);
}
reprosum_status reprosum_exact_dsymv(reprosum_layout layout, reprosum_uplo uplo, int64_t n,
                                     double alpha, const double* a, int64_t lda, const double* x,
                                     int64_t incx, double beta, double* y, int64_t incy) {
  return symv(layout, uplo, n, alpha, a, lda, x, incx, beta, y, incy);
}

reprosum_status reprosum_exact_strmm(reprosum_layout layout, reprosum_side side, reprosum_uplo uplo,
                                     reprosum_transpose transa, reprosum_diag diag, int64_t m,
                                     int64_t n, float alpha, const float* a, int64_t lda, float* b,
                                     int64_t ldb) {
  return trmm(layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb);
}
reprosum_status reprosum_exact_dtrmm(reprosum_layout layout, reprosum_side side, reprosum_uplo uplo,
                                     reprosum_transpose transa, reprosum_diag diag, int64_t m,
                                     int64_t n, double alpha, const double* a, int64_t lda,
                                     double* b, int64_t ldb) {
  return trmm(layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb);
}

reprosum_status reprosum_exact_strmv(reprosum_layout layout, reprosum_uplo uplo,
                                     reprosum_transpose trans, reprosum_diag diag, int64_t n,
                                     const float* a, int64_t lda, float* x, int64_t incx) {
  return trmv(layout, uplo, trans, diag, n, a, lda, x, incx);
}
reprosum_status reprosum_exact_dtrmv(reprosum_layout layout, reprosum_uplo uplo,
                                     reprosum_transpose trans, reprosum_diag diag, int64_t n,
                                     const double* a, int64_t lda, double* x, int64_t incx) {
  return trmv(layout, uplo, trans, diag, n, a, lda, x, incx);
}

reprosum_status reprosum_exact_strsm(reprosum_layout layout, reprosum_side side, reprosum_uplo uplo,
                                     reprosum_transpose transa, reprosum_diag diag, int64_t m,
                                     int64_t n, float alpha, const float* a, int64_t lda, float* b,
                                     int64_t ldb) {
  return trsm(layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb);
}
reprosum_status reprosum_exact_dtrsm(reprosum_layout layout, reprosum_side side, reprosum_uplo uplo,
                                     reprosum_transpose transa, reprosum_diag diag, int64_t m,
                                     int64_t n, double alpha, const double* a, int64_t lda,
                                     double* b, int64_t ldb) {
  return trsm(layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb);
}

}  // extern "C"
