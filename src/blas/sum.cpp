// ssum and dsum, an extension that OpenBLAS has too.
#include "reprosum/exact.h"
#include "src/blas/dispatch.h"
#include "src/blas/entry.h"
#include "src/blas/not_served.h"
#include "src/blas/print.h"
#include "src/blas/reduction.h"

namespace reprosum::blas {
namespace {

reprosum_status replay_sum(const reprosum_handle* handle, std::int64_t n, const float* x,
                           std::int64_t incx, float* out) {
  return reprosum_ssum(handle, n, x, incx, out);
}
reprosum_status replay_sum(const reprosum_handle* handle, std::int64_t n, const double* x,
                           std::int64_t incx, double* out) {
  return reprosum_dsum(handle, n, x, incx, out);
}

reprosum_status exact_sum(std::int64_t n, const float* x, std::int64_t incx, float* out) {
  return reprosum_exact_ssum(n, x, incx, out);
}
reprosum_status exact_sum(std::int64_t n, const double* x, std::int64_t incx, double* out) {
  return reprosum_exact_dsum(n, x, incx, out);
}

template <class T, class Int>
struct Sum {
  Symbol name;
  Face face;
  Int n;
  const T* x;
  Int incx;
  T out = 0;

  Symbol symbol() const { return name; }
  Fault fault() const { return {}; }  // BLAS forbids no n and no increment
  bool settled() const { return false; }
  bool keeps_result() const { return n <= 0; }  // which is 0
  reprosum_status replay(reprosum_handle* handle) { return replay_sum(handle, n, x, incx, &out); }
  reprosum_status exact() { return exact_sum(n, x, incx, &out); }
  std::string why(const reprosum_handle* handle) const { return reprosum_last_error(handle); }
  void forward(void* address) {
    using Fortran = T (*)(const Int*, const T*, const Int*);
    using Cblas = T (*)(Int, const T*, Int);
    out = face == Face::fortran ? reinterpret_cast<Fortran>(address)(&n, x, &incx)
                                : reinterpret_cast<Cblas>(address)(n, x, incx);
  }
  void give_up() { put_nan(&out); }
  std::string arguments() const { return printed_list(n, x, incx); }
  std::string named_arguments() const {
    return "n = " + std::to_string(n) + ", incx = " + std::to_string(incx);
  }
  reprosum_reduction reduction() const {
    return reduction_of<T>(REPROSUM_SUM, n, x, incx, nullptr, 0);
  }
  int argument_at_fault(const reprosum_handle* handle) const {
    return reduction_at_fault(handle, reduction());
  }
  std::string kernel(const reprosum_handle* handle) const {
    return reduction_kernel(handle, reduction());
  }
};

template <class T, class Int>
T sum(Symbol name, Face face, Int n, const T* x, Int incx) {
  Sum<T, Int> call{name, face, n, x, incx};
  dispatch(call);
  return call.out;
}

}  // namespace
}  // namespace reprosum::blas

using reprosum::blas::Face;
using reprosum::blas::sum;
using reprosum::blas::Symbol;

#define SUM(T, Int, fname, cname)                                            \
  REPROSUM_BLAS_ENTRY(T, fname)(const Int* n, const T* x, const Int* incx) { \
    return sum<T, Int>(Symbol::fname, Face::fortran, *n, x, *incx);          \
  }                                                                          \
  REPROSUM_BLAS_ENTRY(T, cname)(Int n, const T* x, Int incx) {               \
    return sum<T, Int>(Symbol::cname, Face::cblas, n, x, incx);              \
  }

SUM(float, int, ssum_, cblas_ssum)
SUM(double, int, dsum_, cblas_dsum)
SUM(float, std::int64_t, ssum_64_, cblas_ssum_64)
SUM(double, std::int64_t, dsum_64_, cblas_dsum_64)
SUM(float, int, scipy_ssum_, scipy_cblas_ssum)
SUM(double, int, scipy_dsum_, scipy_cblas_dsum)
SUM(float, std::int64_t, scipy_ssum_64_, scipy_cblas_ssum64_)
SUM(double, std::int64_t, scipy_dsum_64_, scipy_cblas_dsum64_)
