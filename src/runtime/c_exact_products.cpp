// The C API: exact ger, gemv and gemm.
#include "src/exact/products/outer.h"
#include "src/exact/sums/blocks.h"
#include "src/exact/values/float_bits.h"
#include "src/runtime/exact_arguments.h"

namespace reprosum::runtime {
namespace {

template <class T>
reprosum_status ger(reprosum_layout layout, std::int64_t m, std::int64_t n, T alpha, const T* x,
                    std::int64_t incx, const T* y, std::int64_t incy, T* a,
                    std::int64_t lda) noexcept {
  return exact_call([&] {
    const bool rows = is_row_major(layout);
    check_size("m", m);
    check_size("n", n);
    check_not_zero("incx", incx);
    check_not_zero("incy", incy);
    check_leading("lda", lda, m, n, rows);
    if (m == 0 || n == 0 || exact::is_zero(alpha)) return;
    check_vector("x", x, incx, m);
    check_vector("y", y, incy, n);
    check_matrix_pointer("a", a, sizeof(T));
    const auto* const kernels = exact::best_kernels();
    if (rows)
      exact::add_outer_product(kernels, n, m, alpha, y, incy, x, incx, a, lda);
    else
      exact::add_outer_product(kernels, m, n, alpha, x, incx, y, incy, a, lda);
  });
}

template <class T>
reprosum_status gemv(reprosum_layout layout, reprosum_transpose trans, std::int64_t m,
                     std::int64_t n, T alpha, const T* a, std::int64_t lda, const T* x,
                     std::int64_t incx, T beta, T* y, std::int64_t incy) noexcept {
  return exact_call([&] {
    const bool rows = is_row_major(layout), transposed = is_transposed(trans);
    check_size("m", m);
    check_size("n", n);
    check_leading("lda", lda, m, n, rows);
    check_not_zero("incx", incx);
    check_not_zero("incy", incy);
    if (m == 0 || n == 0) return;
    const std::int64_t outputs = transposed ? n : m, summands = transposed ? m : n;
    const bool reads_factors = !exact::is_zero(alpha);
    exact::View<const T> column{};
    if (reads_factors) {
      check_matrix_pointer("a", a, sizeof(T));
      check_vector("x", x, incx, summands);
      column = column_of(x, summands, incx);
    }
    check_vector("y", y, incy, outputs);
    const exact::View<const T> stored = view_of(a, lda, rows);
    exact::multiply(
        exact::best_kernels(),
        exact::Product<T>{outputs, 1, summands, alpha, transposed ? stored.transposed() : stored,
                          column, beta, column_of(y, outputs, incy)},
        exact_workers());
  });
}

template <class T>
reprosum_status gemm(reprosum_layout layout, reprosum_transpose transa, reprosum_transpose transb,
                     std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* a,
                     std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c,
                     std::int64_t ldc) noexcept {
  return exact_call([&] {
    const bool rows = is_row_major(layout);
    const bool a_transposed = is_transposed(transa), b_transposed = is_transposed(transb);
    check_size("m", m);
    check_size("n", n);
    check_size("k", k);
    check_leading("lda", lda, a_transposed ? k : m, a_transposed ? m : k, rows);
    check_leading("ldb", ldb, b_transposed ? n : k, b_transposed ? k : n, rows);
    check_leading("ldc", ldc, m, n, rows);
    if (m == 0 || n == 0) return;
    check_matrix_pointer("c", c, sizeof(T));
    if (k > 0 && !exact::is_zero(alpha)) {
      check_matrix_pointer("a", a, sizeof(T));
      check_matrix_pointer("b", b, sizeof(T));
    }
    const exact::View<const T> stored_a = view_of(a, lda, rows), stored_b = view_of(b, ldb, rows);
    exact::multiply(
        exact::best_kernels(),
        exact::Product<T>{m, n, k, alpha, a_transposed ? stored_a.transposed() : stored_a,
                          b_transposed ? stored_b.transposed() : stored_b, beta,
                          view_of(c, ldc, rows)},
        exact_workers());
  });
}

}  // namespace
}  // namespace reprosum::runtime

using namespace reprosum::runtime;

extern "C" {

reprosum_status reprosum_exact_sger(reprosum_layout layout, int64_t m, int64_t n, float alpha,
                                    const float* x, int64_t incx, const float* y, int64_t incy,
                                    float* a, int64_t lda) {
  return ger(layout, m, n, alpha, x, incx, y, incy, a, lda);
}
reprosum_status reprosum_exact_dger(reprosum_layout layout, int64_t m, int64_t n, double alpha,
                                    const double* x, int64_t incx, const double* y, int64_t incy,
                                    double* a, int64_t lda) {
  return ger(layout, m, n, alpha, x, incx, y, incy, a, lda);
}

reprosum_status reprosum_exact_sgemv(reprosum_layout layout, reprosum_transpose trans, int64_t m,
                                     int64_t n, float alpha, const float* a, int64_t lda,
                                     const float* x, int64_t incx, float beta, float* y,
                                     int64_t incy) {
  return gemv(layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}
reprosum_status reprosum_exact_dgemv(reprosum_layout layout, reprosum_transpose trans, int64_t m,
                                     int64_t n, double alpha, const double* a, int64_t lda,
                                     const double* x, int64_t incx, double beta, double* y,
                                     int64_t incy) {
  return gemv(layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

reprosum_status reprosum_exact_sgemm(reprosum_layout layout, reprosum_transpose transa,
                                     reprosum_transpose transb, int64_t m, int64_t n, int64_t k,
                                     float alpha, const float* a, int64_t lda, const float* b,
                                     int64_t ldb, float beta, float* c, int64_t ldc) {
  return gemm(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
reprosum_status reprosum_exact_dgemm(reprosum_layout layout, reprosum_transpose transa,
                                     reprosum_transpose transb, int64_t m, int64_t n, int64_t k,
                                     double alpha, const double* a, int64_t lda, const double* b,
                                     int64_t ldb, double beta, double* c, int64_t ldc) {
  return gemm(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // extern "C"
