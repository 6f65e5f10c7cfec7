#include "src/exact/factor/panels.h"

#if defined(__x86_64__)
#include "src/exact/factor/panels_x86.h"
#endif

namespace reprosum::exact {

const PanelKernels* panel_kernels([[maybe_unused]] int lanes) {
#if defined(__x86_64__)
  if (lanes == 8) return &kAvx512Panels;
  if (lanes == 4) return &kAvx2Panels;
#endif
  return nullptr;
}

}  // namespace reprosum::exact
