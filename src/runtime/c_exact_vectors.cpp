// The C API: exact axpy, scal, invscal, asum and nrm2.
#include <cstring>

#include "src/exact/machine/float_environment.h"
#include "src/exact/sums/blocks.h"
#include "src/exact/sums/norms.h"
#include "src/exact/sums/terms.h"
#include "src/exact/sums/total.h"
#include "src/exact/sums/vectors.h"
#include "src/exact/values/float_bits.h"
#include "src/runtime/exact_arguments.h"

namespace reprosum::runtime {
namespace {

template <class T>
reprosum_status axpy(std::int64_t n, T alpha, const T* x, std::int64_t incx, T* y,
                     std::int64_t incy) noexcept {
  return exact_call([&] {
    check_sizes(n, 1);
    check_not_zero("incy", incy);
    if (n == 0 || exact::is_zero(alpha)) return;
    check_vector("x", x, incx, n);
    check_vector("y", y, incy, n);
    exact::add_scaled(exact::best_kernels(), n, alpha, x, incx, y, incy);
  });
}

template <class T, class Compute>
reprosum_status change(std::int64_t n, T* x, std::int64_t incx, Compute&& compute) noexcept {
  return exact_call([&] {
    check_sizes(n, 1);
    check_not_zero("incx", incx);
    if (n == 0) return;
    check_vector("x", x, incx, n);
    compute();
  });
}

template <class T>
reprosum_status scal(std::int64_t n, T alpha, T* x, std::int64_t incx) noexcept {
  return change(n, x, incx, [&] { exact::scale(exact::best_kernels(), n, alpha, x, incx); });
}

template <class T>
reprosum_status invscal(std::int64_t n, T alpha, T* x, std::int64_t incx) noexcept {
  return change(n, x, incx, [&] { exact::divide(exact::best_kernels(), n, alpha, x, incx); });
}

template <class T, class Compute>
reprosum_status reduce(std::int64_t n, const T* x, std::int64_t incx, T* out,
                       Compute&& compute) noexcept {
  return exact_call([&] {
    require(out, "out");
    check_sizes(n, 1);
    if (n > 0) check_vector("x", x, incx, n);
    const T result = compute();
    std::memcpy(out, &result, sizeof result);
  });
}

template <class T>
reprosum_status asum(std::int64_t n, const T* x, std::int64_t incx, T* out) noexcept {
  return reduce(n, x, incx, out,
                [&] { return exact::magnitude_sum(exact::best_kernels(), n, x, incx); });
}

template <class T>
reprosum_status nrm2(std::int64_t n, const T* x, std::int64_t incx, T* out) noexcept {
  return reduce(n, x, incx, out,
                [&] { return exact::euclidean_norm(exact::best_kernels(), n, x, incx); });
}

// b, if there is one, plus the dot product of floats.
template <class Out>
reprosum_status mixed_dot(std::int64_t n, const float* b, const float* x, std::int64_t incx,
                          const float* y, std::int64_t incy, Out* out) noexcept {
  return exact_call([&] {
    require(out, "out");
    check_sizes(n, 1);
    if (n > 0) {
      check_vector("x", x, incx, n);
      check_vector("y", y, incy, n);
    }
    const Out result = exact::in_default_environment([&] {
      exact::Accumulator<double> sum;
      if (n > 0) {
        sum = exact::total_of_products(exact::best_kernels(), n, exact::first_element(x, n, incx),
                                       incx, exact::first_element(y, n, incy), incy);
      }
      if (b != nullptr) sum.add(static_cast<double>(*b));
      return sum.template rounded<Out>(exact::Rounding::nearest_even);
    });
    std::memcpy(out, &result, sizeof result);
  });
}

}  // namespace
}  // namespace reprosum::runtime

using namespace reprosum::runtime;

extern "C" {

reprosum_status reprosum_exact_saxpy(int64_t n, float alpha, const float* x, int64_t incx, float* y,
                                     int64_t incy) {
  return axpy(n, alpha, x, incx, y, incy);
}
reprosum_status reprosum_exact_daxpy(int64_t n, double alpha, const double* x, int64_t incx,
                                     double* y, int64_t incy) {
  return axpy(n, alpha, x, incx, y, incy);
}

reprosum_status reprosum_exact_sscal(int64_t n, float alpha, float* x, int64_t incx) {
  return scal(n, alpha, x, incx);
}
reprosum_status reprosum_exact_dscal(int64_t n, double alpha, double* x, int64_t incx) {
  return scal(n, alpha, x, incx);
}

reprosum_status reprosum_exact_sinvscal(int64_t n, float alpha, float* x, int64_t incx) {
  return invscal(n, alpha, x, incx);
}
reprosum_status reprosum_exact_dinvscal(int64_t n, double alpha, double* x, int64_t incx) {
  return invscal(n, alpha, x, incx);
}

reprosum_status reprosum_exact_sasum(int64_t n, const float* x, int64_t incx, float* out) {
  return asum(n, x, incx, out);
}
reprosum_status reprosum_exact_dasum(int64_t n, const double* x, int64_t incx, double* out) {
  return asum(n, x, incx, out);
}

reprosum_status reprosum_exact_snrm2(int64_t n, const float* x, int64_t incx, float* out) {
  return nrm2(n, x, incx, out);
}
reprosum_status reprosum_exact_dnrm2(int64_t n, const double* x, int64_t incx, double* out) {
  return nrm2(n, x, incx, out);
}

reprosum_status reprosum_exact_dsdot(int64_t n, const float* x, int64_t incx, const float* y,
                                     int64_t incy, double* out) {
  return mixed_dot(n, nullptr, x, incx, y, incy, out);
}
reprosum_status reprosum_exact_sdsdot(int64_t n, float b, const float* x, int64_t incx,
                                      const float* y, int64_t incy, float* out) {
  return mixed_dot(n, &b, x, incx, y, incy, out);
}

}  // extern "C"
