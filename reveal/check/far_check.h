// Vectors of few and of many summands that reach far in memory, against an order.
#pragma once

#include <cstdint>

#include "reveal/check/drawn_increments.h"
#include "reveal/check/replay_check.h"

namespace reprosum::reveal {

// A size and a stride may make another order together that neither makes alone: a library copies
// what lies too far apart, or counts bytes. So each kind of increments is drawn at sizes from 2 to
// n_max, such that the vector reaches farther than the usual checks let it.
// @pre the order holds for the usual ones; drawn has increments to draw
ReplayResult check_far(DrawnIncrements& drawn, const Call& context, const spec::Order& order,
                       std::int64_t n_max, std::uint64_t seed);

}  // namespace reprosum::reveal
