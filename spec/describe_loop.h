// Lanes, folds and tails: a view of a loop for people, computed from its trees.
#pragma once

#include <cstdint>
#include <string>

#include "spec/order.h"

namespace reprosum::spec {

// E.g. "16 fma lanes, fold 2,4,8,1; tail appended"; a count of cases and chains where the loop is
// nothing of the kind. `hi` is the last n of the regime.
std::string describe(const Loop& loop, std::int64_t hi);

}  // namespace reprosum::spec
