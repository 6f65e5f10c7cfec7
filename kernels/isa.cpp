// Instruction sets: their names, and those of this host.
#include "kernels/kernel.h"
#include "spec/error.h"

namespace reprosum::kernels {

const char* name(Isa isa) {
  switch (isa) {
    case Isa::interpreter:
      return "interpreter";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  throw InternalError("name: unknown isa");
}

// A host without FMA gets the interpreter: generated code would call fma(), which is right but
// slow.
std::vector<Isa> host_isas() {
  std::vector<Isa> isas{Isa::interpreter};
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2"))
    return isas;
  isas.push_back(Isa::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    isas.push_back(Isa::avx512);
#endif
  return isas;
}

}  // namespace reprosum::kernels
