// Plans of a piece whose sum is kept in C while a part of it at a time is added.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/plan/plan.h"

namespace reprosum::kernels {

struct Cut {
  bool starts_at_output = false;  // or at +0
  Run run;                        // the run that is sliced
  Plan slice, rest;               // rest without nodes: nothing follows
};

// A chain that starts at the output or at +0 may be cut anywhere: slices add q iterations of its
// first run onto C, the rest does what follows. nullopt for other plans.
std::optional<Cut> cut_of(const Plan& plan);

// q times the plan, one after the other onto what is in C, each scaled so; nullopt where it is not
// constant. block: RulePlan::block.
std::optional<Cut> repeat_of(const Plan& plan, std::int64_t block, spec::Scale scale);

}  // namespace reprosum::kernels
