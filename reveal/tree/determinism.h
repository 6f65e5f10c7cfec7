// Do equal inputs give equal outputs?
#pragma once

#include <cstdint>

#include "reveal/target.h"
#include "reveal/tree/prober.h"

namespace reprosum::reveal {

// Asks random cancelling data twice, with other calls between, in two orders.
// Throws Refused("not_deterministic") if any output differs in a bit (two NaN are equal).
void check_deterministic(Target& target, const Call& call, std::uint64_t seed);
void check_deterministic(Prober& prober, std::uint64_t seed, int turns = 1);

// So many turns make more than four hundred repetitions, in which what changes once in forty calls
// shows. To be asked before a contradiction is given another reason.
inline constexpr int kTurnsAtContradiction = 35;

}  // namespace reprosum::reveal
