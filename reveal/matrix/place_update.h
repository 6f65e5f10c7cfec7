// Where alpha and C enter the order of a class.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reveal/matrix/cell_target.h"
#include "reveal/matrix/class_order.h"
#include "reveal/matrix/update_data.h"

namespace reprosum::reveal {

struct PlacedUpdate {
  spec::Order order;
  bool alpha_one_only = false;  // no place of alpha explains alpha != 1; only alpha = 1 does
};

// Chooses, regime after regime, the simplest placement that gives the bits of random updates, and
// of `counterexamples` (random updates that refuted an earlier choice), at sizes from k_min on.
// nullopt if there is none; *unexplained is then a k in the first regime that has none.
std::optional<PlacedUpdate> place_update(CellTarget& cells, spec::Type type,
                                         const spec::Order& plain, std::int64_t k_min,
                                         std::int64_t k_max,
                                         const std::vector<Observation>& counterexamples,
                                         const ClassOptions& options, std::int64_t* unexplained);

}  // namespace reprosum::reveal
