#include "src/exact/solve/refined.h"

#include <limits>
#include <vector>

#include "src/exact/machine/float_environment.h"

namespace reprosum::exact {
namespace {

// b_i less row i of op(A) times x, rounded once. The triangle of row i starts at its own column or
// ends there. A unit diagonal is not read: its one is a term of its own.
template <class T>
T rounded_residual(const Kernels* kernels, const Triangular<T>& system, std::int64_t i, T b,
                   const T* x) {
  const std::int64_t off = system.unit ? 1 : 0;
  const std::int64_t begin = system.lower ? 0 : i + off;
  const std::int64_t end = system.lower ? i + 1 - off : system.n;
  Accumulator<double> sum = residual<T>(kernels, end - begin, b,
                                        system.a.first + i * system.a.row + begin * system.a.column,
                                        system.a.column, x + begin, 1);
  if (system.unit) sum.add(-x[i]);
  return sum.template rounded<T>(Rounding::nearest_even);
}

}  // namespace

template <class T>
void solve_refined(const Kernels* kernels, const Triangular<T>& system, View<T> b,
                   std::int64_t steps) {
  in_default_environment([&] {
    const std::int64_t n = system.n;
    const auto size = static_cast<std::size_t>(n);
    std::vector<T> right(size), x(size), d(size);
    for (std::int64_t i = 0; i < n; ++i) right[static_cast<std::size_t>(i)] = b.at(i, 0);
    x = right;
    substitute(kernels, system, View<T>{x.data(), 1, 0});
    for (std::int64_t step = 0; step < steps; ++step) {
      for (std::int64_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        d[at] = rounded_residual(kernels, system, i, right[at], x.data());
      }
      substitute(kernels, system, View<T>{d.data(), 1, 0});
      for (std::size_t i = 0; i < size; ++i) {
        x[i] += d[i];
        if (!(x[i] == x[i])) x[i] = std::numeric_limits<T>::quiet_NaN();
      }
    }
    for (std::int64_t i = 0; i < n; ++i) b.at(i, 0) = x[static_cast<std::size_t>(i)];
  });
}

template void solve_refined(const Kernels*, const Triangular<float>&, View<float>, std::int64_t);
template void solve_refined(const Kernels*, const Triangular<double>&, View<double>, std::int64_t);

}  // namespace reprosum::exact
