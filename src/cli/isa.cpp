#include "src/cli/isa.h"

#include <optional>

#include "spec/error.h"
#include "src/base/environment.h"

namespace reprosum::cli {

kernels::Isa parse_isa(const std::string& where, const std::string& name) {
  const std::optional<kernels::Isa> isa = kernels::find_isa(name);
  if (!isa)
    throw UserError(where + ": unknown instruction set \"" + name + "\"; known are " +
                    kernels::isa_names());
  return *isa;
}

kernels::Isa chosen_isa() {
  const char* forced = base::variable("REPROSUM_ISA");
  if (forced == nullptr || *forced == '\0') return kernels::host_isas().back();
  const kernels::Isa isa = parse_isa("REPROSUM_ISA", forced);
  if (kernels::backend(isa).on_device) {
    if (kernels::backend(isa).runs_here()) return isa;
    throw EnvironmentError(std::string("REPROSUM_ISA: this host has no ") + kernels::name(isa) +
                           " device; `reprosum doctor` says what is missing");
  }
  if (!kernels::can_run(isa)) throw EnvironmentError("REPROSUM_ISA: " + kernels::why_not(isa));
  return isa;
}

}  // namespace reprosum::cli
