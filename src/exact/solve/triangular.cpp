#include "src/exact/solve/triangular.h"

#include "src/exact/machine/float_environment.h"
#include "src/exact/solve/fast_trsv.h"
#include "src/exact/values/quotient.h"

namespace reprosum::exact {

template <class T>
void substitute(const Kernels* kernels, const Triangular<T>& system, View<T> b) {
  in_default_environment([&] {
    if (substitute_fast(kernels, system, b)) return;
    const std::int64_t n = system.n;
    for (std::int64_t step = 0; step < n; ++step) {
      const std::int64_t i = system.lower ? step : n - 1 - step;
      const std::int64_t solved = system.lower ? 0 : i + 1;  // `step` components from here on
      const Accumulator<double> sum = residual<T>(
          kernels, step, b.at(i, 0), system.a.first + i * system.a.row + solved * system.a.column,
          system.a.column, b.first + solved * b.row, b.row);
      b.at(i, 0) = system.unit ? sum.rounded<T>(Rounding::nearest_even)
                               : rounded_quotient(sum, system.a.at(i, i));
    }
  });
}

template void substitute(const Kernels*, const Triangular<float>&, View<float>);
template void substitute(const Kernels*, const Triangular<double>&, View<double>);

}  // namespace reprosum::exact
