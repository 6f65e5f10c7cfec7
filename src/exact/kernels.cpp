#include "src/exact/kernels.h"

#if defined(__x86_64__)
#include "src/exact/kernels_x86.h"
#endif

namespace reprosum::exact {

std::span<const Kernels* const> kernels_of_this_host() {
#if defined(__x86_64__)
  static const Kernels* const all[] = {&kAvx512Kernels, &kAvx2Kernels};
  static const int first = [] {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    return avx2 && avx512 ? 0 : avx2 ? 1 : 2;
  }();
  return std::span(all).subspan(static_cast<std::size_t>(first));
#else
  return {};
#endif
}

}  // namespace reprosum::exact
