#include "kernels/matrix/run_dots.h"

#include <algorithm>

#include "kernels/matrix/end_values.h"

namespace reprosum::kernels {

template <class T>
void run_dots(const Kernel<T>& kernel, const ClassCode::Step& step, const Operand<T>& operand,
              const T* other, std::int64_t outputs, T alpha, T beta, T* c, std::int64_t c_step) {
  constexpr std::int64_t kAtOnce = 64;
  T values[kAtOnce];
  for (std::int64_t i = 0; i < outputs; i += kAtOnce) {
    const std::int64_t count = std::min(kAtOnce, outputs - i);
    kernel.batch(step.n, count, operand.at(i, step.at), operand.output_step, other + step.at, 0,
                 values);
    end_values(step.ending, values, count, alpha, beta, c + i * c_step, c_step);
  }
}

template void run_dots(const Kernel<float>&, const ClassCode::Step&, const Operand<float>&,
                       const float*, std::int64_t, float, float, float*, std::int64_t);
template void run_dots(const Kernel<double>&, const ClassCode::Step&, const Operand<double>&,
                       const double*, std::int64_t, double, double, double*, std::int64_t);

}  // namespace reprosum::kernels
