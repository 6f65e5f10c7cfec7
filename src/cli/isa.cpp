#include "src/cli/isa.h"

#include <algorithm>

#include "spec/error.h"
#include "src/base/environment.h"

namespace reprosum::cli {

kernels::Isa parse_isa(const std::string& where, const std::string& name) {
  std::string known;
  for (const kernels::Isa isa :
       {kernels::Isa::interpreter, kernels::Isa::avx2, kernels::Isa::avx512}) {
    if (name == kernels::name(isa)) return isa;
    known += std::string(known.empty() ? "" : ", ") + kernels::name(isa);
  }
  throw UserError(where + ": unknown instruction set \"" + name + "\"; known are " + known);
}

kernels::Isa chosen_isa() {
  const auto host = kernels::host_isas();
  const char* forced = base::variable("REPROSUM_ISA");
  if (forced == nullptr || *forced == '\0') return *std::max_element(host.begin(), host.end());
  const kernels::Isa isa = parse_isa("REPROSUM_ISA", forced);
  if (std::find(host.begin(), host.end(), isa) == host.end())
    throw EnvironmentError("REPROSUM_ISA: this host cannot run " + std::string(forced));
  return isa;
}

}  // namespace reprosum::cli
