// The ways alpha and the output can enter one regime of an order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/order.h"

namespace reprosum::reveal {

// A regime of an update order and the sub-orders it names (indices start at 0).
struct RuleUpdate {
  spec::Rule rule;
  std::vector<spec::Order> subs;
  std::string name;
};

// Ways for splits and parts, simplest first: alpha and the output meet the whole sum, or each piece
// of a fold. (Loops and listed trees are schema_updates' business; a `remainder` is taken apart by
// the caller.)
std::vector<RuleUpdate> rule_updates(const spec::Order& plain, std::size_t regime, bool alpha_one);

// The order that a child of a rule of `order` follows, on its own.
spec::Order child_order(const spec::Order& order, const spec::Child& child);

// The whole sum of `sum`, scaled (none, rounded or fused), meets the output: one piece of parts.
RuleUpdate whole_sum(const spec::Order& sum, spec::Parts::Onto onto, spec::Scale scale);

}  // namespace reprosum::reveal
