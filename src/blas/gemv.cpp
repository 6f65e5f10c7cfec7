// sgemv and dgemv.
#include "reprosum/exact.h"
#include "src/blas/dispatch.h"
#include "src/blas/entry.h"
#include "src/blas/matrix.h"
#include "src/blas/not_served.h"
#include "src/blas/print.h"

namespace reprosum::blas {
namespace {

reprosum_status replay_gemv(const reprosum_handle* handle, reprosum_layout layout,
                            reprosum_transpose trans, std::int64_t m, std::int64_t n, float alpha,
                            const float* a, std::int64_t lda, const float* x, std::int64_t incx,
                            float beta, float* y, std::int64_t incy) {
  return reprosum_sgemv(handle, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}
reprosum_status replay_gemv(const reprosum_handle* handle, reprosum_layout layout,
                            reprosum_transpose trans, std::int64_t m, std::int64_t n, double alpha,
                            const double* a, std::int64_t lda, const double* x, std::int64_t incx,
                            double beta, double* y, std::int64_t incy) {
  return reprosum_dgemv(handle, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

reprosum_status exact_gemv(reprosum_layout layout, reprosum_transpose trans, std::int64_t m,
                           std::int64_t n, float alpha, const float* a, std::int64_t lda,
                           const float* x, std::int64_t incx, float beta, float* y,
                           std::int64_t incy) {
  return reprosum_exact_sgemv(layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}
reprosum_status exact_gemv(reprosum_layout layout, reprosum_transpose trans, std::int64_t m,
                           std::int64_t n, double alpha, const double* a, std::int64_t lda,
                           const double* x, std::int64_t incx, double beta, double* y,
                           std::int64_t incy) {
  return reprosum_exact_dgemv(layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

template <class T, class Int>
struct Gemv {
  Symbol name;
  Face face;
  int layout;          // Fortran: column-major
  const char* letter;  // as Fortran passed it; null for CBLAS
  int trans;           // CBLAS's value; 0: the letter is none
  Int m, n;
  T alpha;
  const T* a;
  Int lda;
  const T* x;
  Int incx;
  T beta;
  T* y;
  Int incy;

  Symbol symbol() const { return name; }
  Fault fault() const { return fault_in_gemv(layout, trans, m, n, lda, incx, incy); }

  bool settled() const { return (trans == kPlain ? m : n) == 0; }
  bool keeps_result() const { return m == 0 || n == 0 || (is_zero(alpha) && is_one(beta)); }

  reprosum_status replay(reprosum_handle* handle) {
    return replay_gemv(handle, static_cast<reprosum_layout>(layout),
                       static_cast<reprosum_transpose>(trans), m, n, alpha, a, lda, x, incx, beta,
                       y, incy);
  }
  reprosum_status exact() {
    return exact_gemv(static_cast<reprosum_layout>(layout), static_cast<reprosum_transpose>(trans),
                      m, n, alpha, a, lda, x, incx, beta, y, incy);
  }
  std::string why(const reprosum_handle* handle) const { return reprosum_last_error(handle); }
  std::string kernel(const reprosum_handle* handle) const {
    reprosum_product product{};
    product.routine = REPROSUM_GEMV;
    product.type = sizeof(T) == 4 ? REPROSUM_F32 : REPROSUM_F64;
    product.transa = static_cast<reprosum_transpose>(layout == kRowMajor ? swapped(trans) : trans);
    product.m = trans == kPlain ? m : n;
    product.n = 1;
    product.k = trans == kPlain ? n : m;
    product.incx = incx;
    product.incy = incy;
    return product.k == 0 ? "" : product_kernels(handle, product);
  }
  int argument_at_fault(const reprosum_handle*) const { return 0; }

  void forward(void* address) {
    using Fortran = void (*)(const char*, const Int*, const Int*, const T*, const T*, const Int*,
                             const T*, const Int*, const T*, T*, const Int*, std::size_t);
    using Cblas = void (*)(int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
    if (face == Face::fortran) {
      reinterpret_cast<Fortran>(address)(letter, &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy,
                                         1);
    } else {
      reinterpret_cast<Cblas>(address)(layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
    }
  }

  void give_up() { put_nan(y, trans == kPlain ? m : n, incy); }

  std::string arguments() const {
    const std::string rest = printed_list(m, n, alpha, a, lda, x, incx, beta, y, incy);
    if (face == Face::fortran) return printed(*letter) + "," + rest;
    return printed_list(layout, trans) + "," + rest;
  }
  std::string named_arguments() const {
    return "m = " + std::to_string(m) + ", n = " + std::to_string(n) +
           ", lda = " + std::to_string(lda) + ", incx = " + std::to_string(incx) +
           ", incy = " + std::to_string(incy);
  }
};

}  // namespace
}  // namespace reprosum::blas

using reprosum::blas::dispatch;
using reprosum::blas::Face;
using reprosum::blas::Gemv;
using reprosum::blas::kColumnMajor;
using reprosum::blas::Symbol;
using reprosum::blas::transpose_of;

#define GEMV(T, Int, fname, cname)                                                            \
  REPROSUM_BLAS_ENTRY(void, fname)                                                            \
  (const char* trans, const Int* m, const Int* n, const T* alpha, const T* a, const Int* lda, \
   const T* x, const Int* incx, const T* beta, T* y, const Int* incy) {                       \
    Gemv<T, Int> call{Symbol::fname,                                                          \
                      Face::fortran,                                                          \
                      kColumnMajor,                                                           \
                      trans,                                                                  \
                      transpose_of(*trans),                                                   \
                      *m,                                                                     \
                      *n,                                                                     \
                      *alpha,                                                                 \
                      a,                                                                      \
                      *lda,                                                                   \
                      x,                                                                      \
                      *incx,                                                                  \
                      *beta,                                                                  \
                      y,                                                                      \
                      *incy};                                                                 \
    dispatch(call);                                                                           \
  }                                                                                           \
  REPROSUM_BLAS_ENTRY(void, cname)                                                            \
  (int layout, int trans, Int m, Int n, T alpha, const T* a, Int lda, const T* x, Int incx,   \
   T beta, T* y, Int incy) {                                                                  \
    Gemv<T, Int> call{Symbol::cname, Face::cblas, layout, nullptr, trans, m,   n, alpha, a,   \
                      lda,           x,           incx,   beta,    y,     incy};              \
    dispatch(call);                                                                           \
  }

GEMV(float, int, sgemv_, cblas_sgemv)
GEMV(double, int, dgemv_, cblas_dgemv)
GEMV(float, std::int64_t, sgemv_64_, cblas_sgemv_64)
GEMV(double, std::int64_t, dgemv_64_, cblas_dgemv_64)
GEMV(float, int, scipy_sgemv_, scipy_cblas_sgemv)
GEMV(double, int, scipy_dgemv_, scipy_cblas_dgemv)
GEMV(float, std::int64_t, scipy_sgemv_64_, scipy_cblas_sgemv64_)
GEMV(double, std::int64_t, scipy_dgemv_64_, scipy_cblas_dgemv64_)
