#include "src/exact/sums/kernels.h"

#include <atomic>

#include "src/base/fork_gate.h"
#include "src/exact/machine/processor.h"

#if defined(__x86_64__)
#include "src/exact/sums/kernels_x86.h"
#endif

namespace reprosum::exact {

#if defined(__x86_64__)
Kernels as_on_amd(Kernels kernels) {
  // They convert 8 floats, and add to doubles, at the same time.
  kernels.sums_in_float = kernels.dots_in_float = kNoSize;
  kernels.converts_slowly = false;
  return kernels;
}
#endif

#if defined(__x86_64__)
struct HostKernels {
  HostKernels() {
    const bool can_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool can_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    first = can_avx2 && can_avx512 ? 0 : can_avx2 ? 1 : 2;
  }
  HostKernels(const HostKernels&) = delete;

  const Kernels avx512 = is_amd() ? as_on_amd(kAvx512Kernels) : kAvx512Kernels;
  const Kernels avx2 = is_amd() ? as_on_amd(kAvx2Kernels) : kAvx2Kernels;
  const Kernels* const all[2] = {&avx512, &avx2};
  std::size_t first;  // of those that this host can run
};
#endif

std::span<const Kernels* const> kernels_of_this_host() {
#if defined(__x86_64__)
  static std::atomic<const HostKernels*> kept{nullptr};
  const HostKernels& here = base::made_once(kept, [] { return HostKernels(); });
  return std::span(here.all).subspan(here.first);
#else
  return {};
#endif
}

}  // namespace reprosum::exact
