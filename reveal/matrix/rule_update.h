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

// The order up to `last`. @pre it is defined there.
spec::Order clipped(spec::Order order, std::int64_t last);

// The rule with the sub-orders that it names moved up by so many.
void renumber_subs(spec::Rule& rule, std::int32_t by);

// The whole sum of `sum`, scaled (none, rounded or fused), meets the output: one piece of parts.
RuleUpdate whole_sum(const spec::Order& sum, spec::Parts::Onto onto, spec::Scale scale);

}  // namespace reprosum::reveal
