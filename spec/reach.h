// How long the pieces become that children hand to a regime.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/order.h"

namespace reprosum::spec {

// Per regime, a bound on the n at which its rule is applied: the end of its range, or beyond it the
// longest piece that a child naming it can have.
// @pre validate(order) holds
std::vector<std::int64_t> reaches(const Order& order);

}  // namespace reprosum::spec
