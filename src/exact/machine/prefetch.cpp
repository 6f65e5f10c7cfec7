#include "src/exact/machine/prefetch.h"

#include "src/exact/machine/processor.h"

namespace reprosum::exact {

Reading reading = [] {
  if (!is_amd()) return kReadsFarAhead;
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx512f")) return kReadsAhead;
#endif
  return kForeseesLines;
}();

}  // namespace reprosum::exact
