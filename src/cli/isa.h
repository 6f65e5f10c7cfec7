// Instruction sets by name.
#pragma once

#include <string>

#include "kernels/kernel.h"

namespace reprosum::cli {

// Throws UserError listing the known names.
kernels::Isa parse_isa(const std::string& where, const std::string& name);

// REPROSUM_ISA if set, else the best of this host; a device's backend if it is named and there is
// one. Throws UserError for an unknown name and EnvironmentError for one that this host cannot run.
kernels::Isa chosen_isa();

}  // namespace reprosum::cli
