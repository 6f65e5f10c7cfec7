// The C API: sums and dot products that are rounded once.
#include <cstring>

#include "include/reprosum/exact.h"
#include "src/exact/sums/blocks.h"
#include "src/exact/sums/shared_reduce.h"
#include "src/runtime/exact_arguments.h"

namespace reprosum::runtime {
namespace {

template <class T, class Compute>
reprosum_status reduce(std::int64_t n, T* out, Compute&& compute) noexcept {
  try {
    require(out, "out");
    check_sizes(n, 1);
    const T result = compute();
    std::memcpy(out, &result, sizeof result);
    return REPROSUM_OK;
  } catch (...) {
    return status_of_current_exception(nullptr, REPROSUM_BAD_ARGUMENT);
  }
}

template <class T>
reprosum_status sum(std::int64_t n, const T* x, std::int64_t incx, T* out) noexcept {
  return reduce(n, out, [&] {
    if (n > 0) check_vector("x", x, incx, n);
    return exact::shared_sum(exact::best_kernels(), exact_workers(), n, x, incx);
  });
}

template <class T>
reprosum_status dot(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                    T* out) noexcept {
  return reduce(n, out, [&] {
    if (n > 0) {
      check_vector("x", x, incx, n);
      check_vector("y", y, incy, n);
    }
    return exact::shared_dot(exact::best_kernels(), exact_workers(), n, x, incx, y, incy);
  });
}

}  // namespace
}  // namespace reprosum::runtime

using namespace reprosum::runtime;

extern "C" {

reprosum_status reprosum_exact_ssum(int64_t n, const float* x, int64_t incx, float* out) {
  return sum(n, x, incx, out);
}

reprosum_status reprosum_exact_dsum(int64_t n, const double* x, int64_t incx, double* out) {
  return sum(n, x, incx, out);
}

reprosum_status reprosum_exact_sdot(int64_t n, const float* x, int64_t incx, const float* y,
                                    int64_t incy, float* out) {
  return dot(n, x, incx, y, incy, out);
}

reprosum_status reprosum_exact_ddot(int64_t n, const double* x, int64_t incx, const double* y,
                                    int64_t incy, double* out) {
  return dot(n, x, incx, y, incy, out);
}

}  // extern "C"
