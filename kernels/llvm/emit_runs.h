// Loops of generated code: runs that are emitted together, each a vector of equal lanes.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/llvm/emit_values.h"
#include "kernels/plan/plan.h"

namespace reprosum::kernels {

// Lanes with equal runs but for their place.
struct RunLanes {
  Run run;                            // of the first lane
  std::vector<std::int64_t> offsets;  // of the lanes from the first one, ascending, from 0
  Values init;                        // no rows: the first addend starts the run
};

// All lanes have the same count. Returns their accumulators.
std::vector<Values> emit_runs(ValueEmitter& emitter, const std::vector<RunLanes>& lanes,
                              unsigned vector_bits);

}  // namespace reprosum::kernels
