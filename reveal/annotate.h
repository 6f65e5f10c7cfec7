// Zero leaves: which accumulators start at +0. Only signs of zero and underflow can show them.
#pragma once

#include <cstdint>
#include <functional>

#include "reveal/target.h"
#include "spec/order.h"

namespace reprosum::reveal {

// Places zero leaves in an order whose trees are known, by choosing among the placements that can
// differ in an output (none; chains of fused leaves start at +0; tails too; one +0 at the root;
// ...) the simplest one that agrees with probes made of -0, +0 and underflowing products at sizes
// of every regime and residue class. Throws Refused("unknown_arithmetic") if none agrees.
// The order says which numbers are flushed, because the places of zeros depend on that. `matters`
// (empty: all do) says which sizes are asked for; nothing is looked at elsewhere.
spec::Order place_zero_leaves(Target& target, const Call& context, const spec::Order& order,
                              std::uint64_t seed,
                              const std::function<bool(std::int64_t n)>& matters = {});

}  // namespace reprosum::reveal
