// Do random mask probes agree with a predicted tree?
#pragma once

#include <cstdint>

#include "reveal/tree/linked_tree.h"
#include "reveal/tree/prober.h"

namespace reprosum::reveal {

// `tree` describes the summands lo .. lo + tree.n() - 1 of the prober's call; the others are zero.
// Stops at the first batch (of 8) with a disagreement. A quarter each of the probes takes a uniform
// pair, a pair at log-uniform distance, the children of a random node, the children of a node of
// log-uniform size; every fifth has 2 to 4 such pairs. Weights are 0 or 1.
bool agrees(Prober& prober, const LinkedTree& tree, std::int64_t lo, int probes,
            std::uint64_t seed);

}  // namespace reprosum::reveal
