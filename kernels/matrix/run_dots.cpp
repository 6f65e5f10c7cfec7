#include "kernels/matrix/run_dots.h"

#include <algorithm>
#include <cmath>

namespace reprosum::kernels {
namespace {

// What the ending of a tile does, for values that are computed already.
template <class T>
[[gnu::always_inline]] inline void end(Ending ending, const T* values, std::int64_t count, T alpha,
                                       T beta, T* c, std::int64_t c_step) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T v = values[i];
    T& out = c[i * c_step];
    switch (ending) {
      case Ending::store:
        out = v;
        break;
      case Ending::scaled:
        out = alpha * v;
        break;
      case Ending::fuse_output:
        out = std::fma(beta, out, v);
        break;
      case Ending::scaled_fuse:
        out = std::fma(beta, out, alpha * v);
        break;
      case Ending::add:
        out = out + v;
        break;
      case Ending::add_scaled:
        out = out + alpha * v;
        break;
      case Ending::fuse_scaled:
        out = std::fma(alpha, v, out);
        break;
    }
  }
}

// Where std::fma is one instruction; hosts of generated code have it.
template <class T>
#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("fma,avx2")]]
#endif
void end_with_fma(Ending ending, const T* values, std::int64_t count, T alpha, T beta, T* c,
                  std::int64_t c_step) {
  end(ending, values, count, alpha, beta, c, c_step);
}

}  // namespace

template <class T>
bool run_dots(const ClassCode& code, const ClassCode::Step& step, const Operand<T>& operand,
              const T* other, std::int64_t outputs, T alpha, T beta, T* c, std::int64_t c_step) {
  const Kernel<T>* const kernel = code.tiles->dot<T>(step.piece);
  if (kernel == nullptr) return false;
  constexpr std::int64_t kAtOnce = 64;
  T values[kAtOnce];
  for (std::int64_t i = 0; i < outputs; i += kAtOnce) {
    const std::int64_t count = std::min(kAtOnce, outputs - i);
    kernel->batch(step.n, count, operand.at(i, step.at), operand.output_step, other + step.at, 0,
                  values);
    end_with_fma(step.ending, values, count, alpha, beta, c + i * c_step, c_step);
  }
  return true;
}

template bool run_dots(const ClassCode&, const ClassCode::Step&, const Operand<float>&,
                       const float*, std::int64_t, float, float, float*, std::int64_t);
template bool run_dots(const ClassCode&, const ClassCode::Step&, const Operand<double>&,
                       const double*, std::int64_t, double, double, double*, std::int64_t);

}  // namespace reprosum::kernels
