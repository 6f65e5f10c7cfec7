// BasicFPRev: every pair is probed, the tree is merged from the smallest counts upwards.
#pragma once

#include "reveal/tree/multiway_tree.h"
#include "reveal/tree/pair_counts.h"

namespace reprosum::reveal {

// n (n - 1) / 2 calls. Throws Refused("not_a_tree") if two merged sets do not add up to their
// count.
MultiwayTree basic_fprev(std::int64_t n, const PairCounts& counts);

}  // namespace reprosum::reveal
