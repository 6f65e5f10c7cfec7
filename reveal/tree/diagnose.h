// Why are there no usable mask answers? Rounding probes tell the usual suspects apart.
#pragma once

#include "reveal/refused.h"
#include "reveal/tree/prober.h"

namespace reprosum::reveal {

// `found` is what the mask probes said (exact, not_a_tree, unknown_arithmetic) about the leaves
// [lo, hi). Returns the refusal with the most telling reason.
Refused diagnose(Prober& prober, std::int64_t lo, std::int64_t hi, const Refused& found,
                 std::uint64_t seed);

}  // namespace reprosum::reveal
