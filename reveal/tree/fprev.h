// FPRev: the tree from on-demand pair counts, multiway nodes included.
#pragma once

#include <cstdint>

#include "reveal/tree/multiway_tree.h"
#include "reveal/tree/pair_counts.h"

namespace reprosum::reveal {

enum class Pivot : std::uint8_t {
  first,     // the published algorithm: the set's first leaf; quadratic on reversed chains
  adaptive,  // the first, the last or a random leaf, where a few pilot probes tell them apart
};

// Sets of one recursion level go to `counts` as one batch. Iterative: any depth will do.
// Throws Refused("exact") if all leaves meet only each other, Refused("not_a_tree") if the counts
// contradict each other.
MultiwayTree fprev(std::int64_t n, const PairCounts& counts, Pivot pivot, std::uint64_t seed);

}  // namespace reprosum::reveal
