#include "src/exact/solve/solve_kernels.h"

#if defined(__x86_64__)
#include "src/exact/solve/solve_kernels_x86.h"
#endif

namespace reprosum::exact {

const SolveKernels* solve_kernels([[maybe_unused]] int lanes) {
#if defined(__x86_64__)
  if (lanes == 8) return &kAvx512Solves;
  if (lanes == 4) return &kAvx2Solves;
#endif
  return nullptr;
}

}  // namespace reprosum::exact
