// trsm: substitution for many right sides that are scaled without a rounding of their own.
#include <cmath>

#include "src/base/workers.h"
#include "src/exact/float_bits.h"
#include "src/exact/float_environment.h"
#include "src/exact/quotient.h"
#include "src/exact/structured.h"

namespace reprosum::exact {
namespace {

// Whether alpha * b is a number of T, infinities and NaN among them, and which.
template <class T>
bool scaled_exactly(T alpha, T b, T& product) {
  product = alpha * b;
  if (!std::isfinite(alpha) || !std::isfinite(b) || is_zero(alpha) || is_zero(b)) return true;
  if constexpr (!Format<T>::kDouble)
    return static_cast<double>(product) == static_cast<double>(alpha) * static_cast<double>(b);
  // What the product lacks is a number where it is large enough.
  return std::isfinite(product) && std::fabs(product) >= T(0x1p-960) &&
         std::fma(alpha, b, -product) == T(0);
}

// b := alpha * b if that is exact.
template <class T>
bool scale_exactly(T alpha, std::int64_t n, View<T> b) {
  return in_default_environment([&] {
    if (alpha == T(1)) return true;
    T product;
    for (std::int64_t i = 0; i < n; ++i)
      if (!scaled_exactly(alpha, b.at(i, 0), product)) return false;
    for (std::int64_t i = 0; i < n; ++i) {
      scaled_exactly(alpha, b.at(i, 0), product);
      b.at(i, 0) = product;
    }
    return true;
  });
}

// A column whose scaled right side is not of T: alpha * b_i goes into the sum as a product.
template <class T>
void substitute_scaled(const Kernels* kernels, const Triangular<T>& system, T alpha, View<T> b) {
  const std::int64_t n = system.n;
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t i = system.lower ? step : n - 1 - step;
    const std::int64_t solved = system.lower ? 0 : i + 1;
    Accumulator<double> sum = total_of_products(kernels, step, &system.a.at(i, solved),
                                                system.a.column, &b.at(solved, 0), b.row);
    sum.negate();
    sum.add_product(static_cast<double>(alpha), static_cast<double>(b.at(i, 0)));
    b.at(i, 0) = system.unit ? sum.rounded<T>(Rounding::nearest_even)
                             : rounded_quotient(sum, system.a.at(i, i));
  }
}

}  // namespace

template <class T>
void substitute_columns(const Kernels* kernels, const Triangular<T>& system, T alpha,
                        std::int64_t columns, View<T> b, int workers) {
  if (system.n == 0 || columns == 0) return;
  if (is_zero(alpha))
    return multiply(kernels, Product<T>{system.n, columns, 0, 0, {}, {}, 0, b}, 1);
  const Uint128 operations = static_cast<Uint128>(system.n) * static_cast<Uint128>(system.n + 100);
  workers = static_cast<int>(std::min<std::int64_t>(
      columns, base::useful_workers(workers, operations * static_cast<Uint128>(columns), 200'000)));
  base::run_workers(workers, [&](int w) {
    const base::Share share = base::share_of(columns, w, workers);
    for (std::int64_t j = share.begin; j < share.end; ++j) {
      const View<T> column{b.first + j * b.column, b.row, b.column};
      if (scale_exactly(alpha, system.n, column))
        substitute(kernels, system, column);
      else
        in_default_environment([&] { substitute_scaled(kernels, system, alpha, column); });
    }
  });
}

template void substitute_columns(const Kernels*, const Triangular<float>&, float, std::int64_t,
                                 View<float>, int);
template void substitute_columns(const Kernels*, const Triangular<double>&, double, std::int64_t,
                                 View<double>, int);

}  // namespace reprosum::exact
