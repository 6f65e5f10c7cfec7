// Loops of a program: runs that are made together, each a vector of equal lanes.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plan/plan.h"
#include "kernels/program/values.h"

namespace reprosum::kernels::program {

// Lanes with equal runs but for their place.
struct RunLanes {
  Run run;                            // of the first lane
  std::vector<std::int64_t> offsets;  // of the lanes from the first one, ascending, from 0
  Values init;                        // no cells: the first addend starts the run
};

// All lanes have the same count. `few_loops`: the plan has few runs, so that a loop of a tile may
// be unrolled. Returns their accumulators.
std::vector<Values> build_runs(ValueBuilder& values, const std::vector<RunLanes>& lanes,
                               bool few_loops);

}  // namespace reprosum::kernels::program
