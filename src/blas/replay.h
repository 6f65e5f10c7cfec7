// One BLAS call: replayed if the spec covers it, reported if not.
#pragma once

#include <cstdint>
#include <limits>

#include "reprosum/reprosum.h"
#include "src/blas/shared_handle.h"
#include "src/blas/uncovered.h"

namespace reprosum::blas {

inline reprosum_status dot_of(const reprosum_handle* handle, int n, const float* x, int incx,
                              const float* y, int incy, float* out) {
  return reprosum_sdot(handle, n, x, incx, y, incy, out);
}
inline reprosum_status dot_of(const reprosum_handle* handle, int n, const double* x, int incx,
                              const double* y, int incy, double* out) {
  return reprosum_ddot(handle, n, x, incx, y, incy, out);
}
inline reprosum_status sum_of(const reprosum_handle* handle, int n, const float* x, int incx,
                              float* out) {
  return reprosum_ssum(handle, n, x, incx, out);
}
inline reprosum_status sum_of(const reprosum_handle* handle, int n, const double* x, int incx,
                              double* out) {
  return reprosum_dsum(handle, n, x, incx, out);
}

// y is null for a sum. n <= 0 gives 0 without a look at the spec, as in every BLAS.
template <class T>
T replay(reprosum_routine routine, int n, const T* x, int incx, const T* y, int incy) {
  if (n <= 0) return T(0);
  const SharedHandle& shared = shared_handle();
  const char* why = shared.why.c_str();
  if (shared.handle != nullptr) {
    T out = 0;
    const reprosum_status status = routine == REPROSUM_SUM
                                       ? sum_of(shared.handle, n, x, incx, &out)
                                       : dot_of(shared.handle, n, x, incx, y, incy, &out);
    if (status == REPROSUM_OK) return out;
    why = reprosum_last_error(shared.handle);
  }
  const auto residue = [](const T* pointer) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(pointer) % 64);
  };
  uncovered({routine, sizeof(T) == 4 ? REPROSUM_F32 : REPROSUM_F64, n, incx, incy, 0, residue(x),
             residue(y)},
            why);
  // An xerbla_ that returns leaves us without a result. NaN shows; any other value would lie.
  return std::numeric_limits<T>::quiet_NaN();
}

}  // namespace reprosum::blas
