// sgemm and dgemm.
#include "reprosum/exact.h"
#include "src/blas/dispatch.h"
#include "src/blas/entry.h"
#include "src/blas/matrix.h"
#include "src/blas/not_served.h"
#include "src/blas/print.h"

namespace reprosum::blas {
namespace {

reprosum_status replay_gemm(const reprosum_handle* handle, reprosum_layout layout,
                            reprosum_transpose transa, reprosum_transpose transb, std::int64_t m,
                            std::int64_t n, std::int64_t k, float alpha, const float* a,
                            std::int64_t lda, const float* b, std::int64_t ldb, float beta,
                            float* c, std::int64_t ldc) {
  return reprosum_sgemm(handle, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c,
                        ldc);
}
reprosum_status replay_gemm(const reprosum_handle* handle, reprosum_layout layout,
                            reprosum_transpose transa, reprosum_transpose transb, std::int64_t m,
                            std::int64_t n, std::int64_t k, double alpha, const double* a,
                            std::int64_t lda, const double* b, std::int64_t ldb, double beta,
                            double* c, std::int64_t ldc) {
  return reprosum_dgemm(handle, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c,
                        ldc);
}

reprosum_status exact_gemm(reprosum_layout layout, reprosum_transpose transa,
                           reprosum_transpose transb, std::int64_t m, std::int64_t n,
                           std::int64_t k, float alpha, const float* a, std::int64_t lda,
                           const float* b, std::int64_t ldb, float beta, float* c,
                           std::int64_t ldc) {
  return reprosum_exact_sgemm(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
reprosum_status exact_gemm(reprosum_layout layout, reprosum_transpose transa,
                           reprosum_transpose transb, std::int64_t m, std::int64_t n,
                           std::int64_t k, double alpha, const double* a, std::int64_t lda,
                           const double* b, std::int64_t ldb, double beta, double* c,
                           std::int64_t ldc) {
  return reprosum_exact_dgemm(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <class T, class Int>
struct Gemm {
  Symbol name;
  Face face;
  int layout;                       // Fortran: column-major
  const char *letter_a, *letter_b;  // as Fortran passed them; null for CBLAS
  int transa, transb;               // CBLAS's values; 0: the letter is none
  Int m, n, k;
  T alpha;
  const T* a;
  Int lda;
  const T* b;
  Int ldb;
  T beta;
  T* c;
  Int ldc;

  Symbol symbol() const { return name; }
  Fault fault() const { return fault_in_gemm(layout, transa, transb, m, n, k, lda, ldb, ldc); }

  bool settled() const { return m == 0 || n == 0; }
  bool keeps_result() const { return (is_zero(alpha) || k == 0) && is_one(beta); }

  reprosum_status replay(reprosum_handle* handle) {
    return replay_gemm(
        handle, static_cast<reprosum_layout>(layout), static_cast<reprosum_transpose>(transa),
        static_cast<reprosum_transpose>(transb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
  reprosum_status exact() {
    return exact_gemm(static_cast<reprosum_layout>(layout), static_cast<reprosum_transpose>(transa),
                      static_cast<reprosum_transpose>(transb), m, n, k, alpha, a, lda, b, ldb, beta,
                      c, ldc);
  }
  std::string why(const reprosum_handle* handle) const { return reprosum_last_error(handle); }
  std::string kernel(const reprosum_handle* handle) const {
    const bool rows = layout == kRowMajor;
    reprosum_product product{};
    product.routine = REPROSUM_GEMM;
    product.type = sizeof(T) == 4 ? REPROSUM_F32 : REPROSUM_F64;
    product.transa = static_cast<reprosum_transpose>(rows ? transb : transa);
    product.transb = static_cast<reprosum_transpose>(rows ? transa : transb);
    product.m = rows ? n : m;
    product.n = rows ? m : n;
    product.k = k;
    return k == 0 ? "" : product_kernels(handle, product);
  }
  int argument_at_fault(const reprosum_handle*) const { return 0; }

  void forward(void* address) {
    using Fortran = void (*)(const char*, const char*, const Int*, const Int*, const Int*, const T*,
                             const T*, const Int*, const T*, const Int*, const T*, T*, const Int*,
                             std::size_t, std::size_t);
    using Cblas =
        void (*)(int, int, int, Int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
    if (face == Face::fortran) {
      reinterpret_cast<Fortran>(address)(letter_a, letter_b, &m, &n, &k, &alpha, a, &lda, b, &ldb,
                                         &beta, c, &ldc, 1, 1);
    } else {
      reinterpret_cast<Cblas>(address)(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta,
                                       c, ldc);
    }
  }

  void give_up() {
    const bool rows = layout == kRowMajor;
    put_nan_in_matrix(c, rows ? n : m, rows ? m : n, ldc);
  }

  std::string arguments() const {
    const std::string rest = printed_list(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (face == Face::fortran) return printed_list(*letter_a, *letter_b) + "," + rest;
    return printed_list(layout, transa, transb) + "," + rest;
  }
  std::string named_arguments() const {
    return "m = " + std::to_string(m) + ", n = " + std::to_string(n) +
           ", k = " + std::to_string(k) + ", lda = " + std::to_string(lda) +
           ", ldb = " + std::to_string(ldb) + ", ldc = " + std::to_string(ldc);
  }
};

}  // namespace
}  // namespace reprosum::blas

using reprosum::blas::dispatch;
using reprosum::blas::Face;
using reprosum::blas::Gemm;
using reprosum::blas::kColumnMajor;
using reprosum::blas::Symbol;
using reprosum::blas::transpose_of;

#define GEMM(T, Int, fname, cname)                                                              \
  REPROSUM_BLAS_ENTRY(void, fname)                                                              \
  (const char* transa, const char* transb, const Int* m, const Int* n, const Int* k,            \
   const T* alpha, const T* a, const Int* lda, const T* b, const Int* ldb, const T* beta, T* c, \
   const Int* ldc) {                                                                            \
    Gemm<T, Int> call{Symbol::fname,                                                            \
                      Face::fortran,                                                            \
                      kColumnMajor,                                                             \
                      transa,                                                                   \
                      transb,                                                                   \
                      transpose_of(*transa),                                                    \
                      transpose_of(*transb),                                                    \
                      *m,                                                                       \
                      *n,                                                                       \
                      *k,                                                                       \
                      *alpha,                                                                   \
                      a,                                                                        \
                      *lda,                                                                     \
                      b,                                                                        \
                      *ldb,                                                                     \
                      *beta,                                                                    \
                      c,                                                                        \
                      *ldc};                                                                    \
    dispatch(call);                                                                             \
  }                                                                                             \
  REPROSUM_BLAS_ENTRY(void, cname)                                                              \
  (int layout, int transa, int transb, Int m, Int n, Int k, T alpha, const T* a, Int lda,       \
   const T* b, Int ldb, T beta, T* c, Int ldc) {                                                \
    Gemm<T, Int> call{Symbol::cname, Face::cblas, layout, nullptr, nullptr, transa,             \
                      transb,        m,           n,      k,       alpha,   a,                  \
                      lda,           b,           ldb,    beta,    c,       ldc};               \
    dispatch(call);                                                                             \
  }

GEMM(float, int, sgemm_, cblas_sgemm)
GEMM(double, int, dgemm_, cblas_dgemm)
GEMM(float, std::int64_t, sgemm_64_, cblas_sgemm_64)
GEMM(double, std::int64_t, dgemm_64_, cblas_dgemm_64)
GEMM(float, int, scipy_sgemm_, scipy_cblas_sgemm)
GEMM(double, int, scipy_dgemm_, scipy_cblas_dgemm)
GEMM(float, std::int64_t, scipy_sgemm_64_, scipy_cblas_sgemm64_)
GEMM(double, std::int64_t, scipy_dgemm_64_, scipy_cblas_dgemm64_)
