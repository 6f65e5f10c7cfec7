#include "src/exact/sums/norms.h"

#include "src/exact/sums/terms.h"
#include "src/exact/sums/total.h"
#include "src/exact/values/quotient.h"

namespace reprosum::exact {

template <class T>
T magnitude_sum(const Kernels* kernels, std::int64_t n, const T* x, std::int64_t incx) {
  if (n > 0) x = first_element(x, n, incx);
  return total_of_magnitudes(kernels, n, x, incx).template rounded<T>(Rounding::nearest_even);
}

template <class T>
T euclidean_norm(const Kernels* kernels, std::int64_t n, const T* x, std::int64_t incx) {
  if (n > 0) x = first_element(x, n, incx);
  return rounded_square_root<T>(total_of_products(kernels, n, x, incx, x, incx));
}

template float magnitude_sum(const Kernels*, std::int64_t, const float*, std::int64_t);
template double magnitude_sum(const Kernels*, std::int64_t, const double*, std::int64_t);
template float euclidean_norm(const Kernels*, std::int64_t, const float*, std::int64_t);
template double euclidean_norm(const Kernels*, std::int64_t, const double*, std::int64_t);

}  // namespace reprosum::exact
