// From a bare tree to an annotated one: which products are fused or exact, which nodes are wide.
#pragma once

#include <cstdint>

#include "reveal/tree/prober.h"
#include "spec/tree.h"

namespace reprosum::reveal {

// `bare` has the leaves 0..hi-lo-1, which are the summands lo..hi-1 of the prober's call; the other
// summands are zero. All nodes of one height are asked in one call and only then one by one.
// @post canonical, and no node is wide that could as well be narrow (normal_formats).
// Throws Refused("unknown_arithmetic") where the answers fit no annotation.
spec::Tree annotate(Prober& prober, const spec::Tree& bare, std::int64_t lo, std::uint64_t seed);

// A wide node that adds two narrow values for a narrow reader rounds as a narrow one does (53 bits
// are more than 2 * 24 + 1): no output can tell them apart, and narrow is the normal form.
spec::Tree normal_formats(const spec::Tree& tree);

}  // namespace reprosum::reveal
