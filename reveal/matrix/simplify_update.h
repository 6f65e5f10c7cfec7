// Fewer regimes with the same meaning.
#pragma once

#include <cstdint>

#include "spec/order.h"

namespace reprosum::reveal {

// Joins regimes that one rule describes, drops equal sub-orders, and lets the last regime go on for
// ever: how far an order is certified is the class's k_max, and classes that are certified to
// different sizes can share an order.
void simplify_update(spec::Order& order, std::int64_t k_max);

}  // namespace reprosum::reveal
