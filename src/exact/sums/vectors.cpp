#include "src/exact/sums/vectors.h"

#include <cmath>

#include "src/exact/machine/float_environment.h"
#include "src/exact/machine/host.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/sums/terms.h"
#include "src/exact/values/float_bits.h"

namespace reprosum::exact {
namespace {

template <class T>
[[gnu::always_inline]] inline T canonical(T value) {
  return value == value ? value : std::bit_cast<T>(Format<T>::kQuietNan);
}

// x_i := op(x_i); unit increments are told apart so that their loop becomes vector code.
template <class T, class Op>
void for_each(const Kernels* kernels, std::int64_t n, T* x, std::int64_t inc, Op op) {
  if (inc < 0) x += (1 - n) * inc;
  const FloatEnvironment environment;
  run_vectorized(lanes_of(kernels), [=]() REPROSUM_INLINED {
    if (inc == 1) {
      for (std::int64_t i = 0; i < n; ++i) x[i] = canonical(op(x[i]));
    } else {
      for (std::int64_t i = 0; i < n; ++i) x[i * inc] = canonical(op(x[i * inc]));
    }
  });
}

}  // namespace

template <class T>
void add_scaled(const Kernels* kernels, std::int64_t n, T alpha, const T* x, std::int64_t incx,
                T* y, std::int64_t incy) {
  if (n == 0 || is_zero(alpha)) return;
  x = first_element(x, n, incx);
  if (incy < 0) y += (1 - n) * incy;
  const FloatEnvironment environment;
  run_vectorized(lanes_of(kernels), [=]() REPROSUM_INLINED {
    if (incx == 1 && incy == 1) {
      for (std::int64_t i = 0; i < n; ++i) y[i] = canonical(std::fma(alpha, x[i], y[i]));
    } else {
      for (std::int64_t i = 0; i < n; ++i)
        y[i * incy] = canonical(std::fma(alpha, x[i * incx], y[i * incy]));
    }
  });
}

template <class T>
void scale(const Kernels* kernels, std::int64_t n, T alpha, T* x, std::int64_t incx) {
  for_each(kernels, n, x, incx, [=](T v) REPROSUM_INLINED { return alpha * v; });
}

template <class T>
void divide(const Kernels* kernels, std::int64_t n, T alpha, T* x, std::int64_t incx) {
  for_each(kernels, n, x, incx, [=](T v) REPROSUM_INLINED { return v / alpha; });
}

template void add_scaled(const Kernels*, std::int64_t, float, const float*, std::int64_t, float*,
                         std::int64_t);
template void add_scaled(const Kernels*, std::int64_t, double, const double*, std::int64_t, double*,
                         std::int64_t);
template void scale(const Kernels*, std::int64_t, float, float*, std::int64_t);
template void scale(const Kernels*, std::int64_t, double, double*, std::int64_t);
template void divide(const Kernels*, std::int64_t, float, float*, std::int64_t);
template void divide(const Kernels*, std::int64_t, double, double*, std::int64_t);

}  // namespace reprosum::exact
