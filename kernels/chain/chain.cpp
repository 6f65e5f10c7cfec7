#include "kernels/chain/chain.h"

#include <cstring>
#include <string>

#include "kernels/chain/code_table.h"
#include "spec/error.h"
#include "src/base/environment.h"

namespace reprosum::kernels::chain {

const char* name(Op op) {
  switch (op) {
    case Op::sum:
      return "sum";
    case Op::rounded:
      return "rounded";
    case Op::fused:
      return "fused";
  }
  throw InternalError("a chain of unknown kind");
}

bool is_wanted() {
  const char* const text = base::variable("REPROSUM_LONG_SUMS");
  if (text == nullptr || text[0] == '\0') return true;
  if (std::strcmp(text, "in_order") == 0) return false;
  throw EnvironmentError(std::string("REPROSUM_LONG_SUMS is \"") + text +
                         "\"; it can be \"in_order\", or unset");
}

namespace {

const CodeTable* table(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx2) return &kAvx2Chains;
  if (isa == Isa::avx512) return &kAvx512Chains;
#endif
  static_cast<void>(isa);
  return nullptr;
}

}  // namespace

template <>
Code<float> code(Isa isa, Op op) {
  const CodeTable* const of = table(isa);
  return of == nullptr ? nullptr : of->f32[static_cast<int>(op)];
}
template <>
Code<double> code(Isa isa, Op op) {
  const CodeTable* const of = table(isa);
  return of == nullptr ? nullptr : of->f64[static_cast<int>(op)];
}

}  // namespace reprosum::kernels::chain
