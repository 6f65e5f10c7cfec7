#include "src/exact/kernels.h"

#include "src/exact/prefetch.h"

#if defined(__x86_64__)
#include "src/exact/kernels_x86.h"
#endif

namespace reprosum::exact {

namespace {

bool is_amd() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

}  // namespace

Reading reading = [] {
  if (!is_amd()) return kReadsFarAhead;
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx512f")) return kReadsAhead;
#endif
  return kForeseesLines;
}();

#if defined(__x86_64__)
Kernels as_on_amd(Kernels kernels) {
  // They convert 8 floats, and add to doubles, at the same time.
  kernels.sums_in_float = kernels.dots_in_float = kNoSize;
  kernels.converts_slowly = false;
  return kernels;
}
#endif

std::span<const Kernels* const> kernels_of_this_host() {
#if defined(__x86_64__)
  const auto here = [](const Kernels& kernels) { return is_amd() ? as_on_amd(kernels) : kernels; };
  static const Kernels avx512 = here(kAvx512Kernels), avx2 = here(kAvx2Kernels);
  static const Kernels* const all[] = {&avx512, &avx2};
  static const int first = [] {
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
