// Splits whose right piece goes on from the sum so far (Split::through).
#pragma once

#include <vector>

#include "spec/order.h"

namespace reprosum::spec {

// For each sub-order whether it is the right piece of a split `through`: its output leaf is the sum
// so far and not the output of the update.
std::vector<bool> running_subs(const Order& order);

// Whether some split of the order, or of a sub-order, is `through`.
bool has_running_sum(const Order& order);

// Whether every tree of the order surely begins with an output leaf and has no other one, as a
// right piece must: its first leaf, however deep the chains are nested, each of them present once.
// Loops without padding, listed trees, parts onto the output whose pieces do not name it, and
// splits through whose left piece is the order itself; no zero_start.
bool begins_with_output(const Order& order);
bool begins_with_output(const Schema& schema);

}  // namespace reprosum::spec
