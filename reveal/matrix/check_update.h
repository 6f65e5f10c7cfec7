// Does an update order give the bits of its class?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reveal/matrix/cell_target.h"
#include "reveal/matrix/class_order.h"
#include "reveal/matrix/update_data.h"

namespace reprosum::reveal {

struct UpdateCheck {
  std::int64_t outputs = 0;          // compared, all equal unless `wrong`
  bool special_differs = false;      // an output with an Inf or NaN among its data differs
  std::optional<Observation> wrong;  // the first one with finite data
  std::string what;                  // about `wrong`
};

// Hostile random updates at the sizes, about `outputs` in all: every kind of data, alpha and beta
// 0, 1, -1 and random in turn (alpha = 1 only, or finite data only, where `known` says so). Stops
// at the first difference in finite data.
UpdateCheck check_update(CellTarget& cells, spec::Type type, const KnownClassOrder& known,
                         std::span<const std::int64_t> sizes, std::int64_t outputs,
                         std::uint64_t seed);

// Sizes at which an update order can be wrong; `salt` draws other random ones.
std::vector<std::int64_t> update_sizes(const spec::Order& order, std::int64_t k_min,
                                       std::int64_t k_max, std::uint64_t salt);

}  // namespace reprosum::reveal
