#include "src/exact/machine/processor.h"

namespace reprosum::exact {

bool is_amd() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

}  // namespace reprosum::exact
