// How long the pieces are that a regime gets from other rules, which name it as a child.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/order.h"

namespace reprosum::spec {

// Per regime, a bound on the n at which its rule is applied: the end of its range, or beyond it the
// longest piece that a child naming it can have.
// @pre validate(order) holds
std::vector<std::int64_t> reaches(const Order& order);

// An n that a call of at most `most` summands, or a piece of it, may have, and at which the order
// is not defined: no regime holds it (one summand needs none), or its rule cuts it where it has no
// summands. nullopt: all are defined. It is found from bounds on the pieces, so it may be an n that
// none has. Lanes that a sub-order adds are not looked at.
// @pre validate(order) holds
std::optional<std::int64_t> undefined_piece(const Order& order, std::int64_t most);

}  // namespace reprosum::spec
