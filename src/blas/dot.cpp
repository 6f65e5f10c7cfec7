// sdot and ddot.
#include "reprosum/exact.h"
#include "src/blas/dispatch.h"
#include "src/blas/entry.h"
#include "src/blas/not_served.h"
#include "src/blas/print.h"
#include "src/blas/reduction.h"

namespace reprosum::blas {
namespace {

reprosum_status replay_dot(const reprosum_handle* handle, std::int64_t n, const float* x,
                           std::int64_t incx, const float* y, std::int64_t incy, float* out) {
  return reprosum_sdot(handle, n, x, incx, y, incy, out);
}
reprosum_status replay_dot(const reprosum_handle* handle, std::int64_t n, const double* x,
                           std::int64_t incx, const double* y, std::int64_t incy, double* out) {
  return reprosum_ddot(handle, n, x, incx, y, incy, out);
}

reprosum_status exact_dot(std::int64_t n, const float* x, std::int64_t incx, const float* y,
                          std::int64_t incy, float* out) {
  return reprosum_exact_sdot(n, x, incx, y, incy, out);
}
reprosum_status exact_dot(std::int64_t n, const double* x, std::int64_t incx, const double* y,
                          std::int64_t incy, double* out) {
  return reprosum_exact_ddot(n, x, incx, y, incy, out);
}

template <class T, class Int>
struct Dot {
  Symbol name;
  Face face;
  Int n;
  const T* x;
  Int incx;
  const T* y;
  Int incy;
  T out = 0;

  Symbol symbol() const { return name; }
  Fault fault() const { return {}; }  // BLAS forbids no n and no increment
  bool settled() const { return false; }
  bool keeps_result() const { return n <= 0; }  // which is 0
  reprosum_status replay(reprosum_handle* handle) {
    return replay_dot(handle, n, x, incx, y, incy, &out);
  }
  reprosum_status exact() { return exact_dot(n, x, incx, y, incy, &out); }
  std::string why(const reprosum_handle* handle) const { return reprosum_last_error(handle); }
  void forward(void* address) {
    using Fortran = T (*)(const Int*, const T*, const Int*, const T*, const Int*);
    using Cblas = T (*)(Int, const T*, Int, const T*, Int);
    out = face == Face::fortran ? reinterpret_cast<Fortran>(address)(&n, x, &incx, y, &incy)
                                : reinterpret_cast<Cblas>(address)(n, x, incx, y, incy);
  }
  void give_up() { put_nan(&out); }
  std::string arguments() const { return printed_list(n, x, incx, y, incy); }
  std::string named_arguments() const {
    return "n = " + std::to_string(n) + ", incx = " + std::to_string(incx) +
           ", incy = " + std::to_string(incy);
  }
  reprosum_reduction reduction() const { return reduction_of(REPROSUM_DOT, n, x, incx, y, incy); }
  int argument_at_fault(const reprosum_handle* handle) const {
    return reduction_at_fault(handle, reduction());
  }
  std::string kernel(const reprosum_handle* handle) const {
    return reduction_kernel(handle, reduction());
  }
};

template <class T, class Int>
T dot(Symbol name, Face face, Int n, const T* x, Int incx, const T* y, Int incy) {
  Dot<T, Int> call{name, face, n, x, incx, y, incy};
  dispatch(call);
  return call.out;
}

}  // namespace
}  // namespace reprosum::blas

using reprosum::blas::dot;
using reprosum::blas::Face;
using reprosum::blas::Symbol;

#define DOT(T, Int, fname, cname)                                                    \
  REPROSUM_BLAS_ENTRY(T, fname)                                                      \
  (const Int* n, const T* x, const Int* incx, const T* y, const Int* incy) {         \
    return dot<T, Int>(Symbol::fname, Face::fortran, *n, x, *incx, y, *incy);        \
  }                                                                                  \
  REPROSUM_BLAS_ENTRY(T, cname)(Int n, const T* x, Int incx, const T* y, Int incy) { \
    return dot<T, Int>(Symbol::cname, Face::cblas, n, x, incx, y, incy);             \
  }

DOT(float, int, sdot_, cblas_sdot)
DOT(double, int, ddot_, cblas_ddot)
DOT(float, std::int64_t, sdot_64_, cblas_sdot_64)
DOT(double, std::int64_t, ddot_64_, cblas_ddot_64)
DOT(float, int, scipy_sdot_, scipy_cblas_sdot)
DOT(double, int, scipy_ddot_, scipy_cblas_ddot)
DOT(float, std::int64_t, scipy_sdot_64_, scipy_cblas_sdot64_)
DOT(double, std::int64_t, scipy_ddot_64_, scipy_cblas_ddot64_)
