// The oracle of one context of a target: masks, FPRev, arithmetic probes.
#pragma once

#include <cstdint>
#include <memory>

#include "reveal/oracle.h"
#include "reveal/target.h"

namespace reprosum::reveal {

// `context.k` is ignored. The target must outlive the oracle. Reveals are cached by (n, lo, hi).
std::unique_ptr<Oracle> make_target_oracle(Target& target, const Call& context, std::uint64_t seed);

}  // namespace reprosum::reveal
