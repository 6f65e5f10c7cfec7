#include "src/exact/reduce.h"

#include "src/exact/terms.h"

namespace reprosum::exact {

template <class T>
T sum(std::int64_t n, const T* x, std::int64_t incx) {
  Accumulator<T> total;
  if (n > 0) add_values(total, n, first_element(x, n, incx), incx);
  return total.template rounded<T>(Rounding::nearest_even);
}

template <class T>
T dot(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy) {
  Accumulator<T> total;
  if (n > 0)
    add_products(total, n, first_element(x, n, incx), incx, first_element(y, n, incy), incy);
  return total.template rounded<T>(Rounding::nearest_even);
}

template float sum(std::int64_t, const float*, std::int64_t);
template double sum(std::int64_t, const double*, std::int64_t);
template float dot(std::int64_t, const float*, std::int64_t, const float*, std::int64_t);
template double dot(std::int64_t, const double*, std::int64_t, const double*, std::int64_t);

}  // namespace reprosum::exact
