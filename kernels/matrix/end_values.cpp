#include "kernels/matrix/end_values.h"

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

}  // namespace

// Where std::fma is one instruction; hosts of generated code have it.
template <class T>
#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("fma,avx2")]]
#endif
void end_values(Ending ending, const T* values, std::int64_t count, T alpha, T beta, T* c,
                  std::int64_t c_step) {
  end(ending, values, count, alpha, beta, c, c_step);
}

template void end_values(Ending, const float*, std::int64_t, float, float, float*, std::int64_t);
template void end_values(Ending, const double*, std::int64_t, double, double, double*,
                         std::int64_t);

}  // namespace reprosum::kernels
