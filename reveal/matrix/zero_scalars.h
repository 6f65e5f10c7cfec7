// What zero scalars do: beta = 0 to C and to what starts at +0, alpha = 0 to A and B.
#pragma once

#include <cstdint>

#include "reveal/matrix/cell_target.h"
#include "reveal/matrix/class_order.h"

namespace reprosum::reveal {

// Sets the rules of `known` for beta = 0 by signs of zero: at every small k from k_min on, which
// may each have code of their own, and at some larger ones, between which a change is bisected.
// Throws RefusedAt("unknown_arithmetic") where no rule gives the bits, e.g. where C is added
// although beta is zero. For an order that is known from another class: few data at each k.
void decide_beta_zero(CellTarget& cells, spec::Type type, KnownClassOrder& known,
                      std::int64_t k_min, const ClassOptions& options);

// The same for an order that is new; besides, sets its rule for alpha = 0 by infinities. Throws
// KBorder where that changes with k.
void decide_zero_scalars(CellTarget& cells, spec::Type type, KnownClassOrder& known,
                         std::int64_t k_min, const ClassOptions& options);

}  // namespace reprosum::reveal
