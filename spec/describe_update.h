// Where the output and alpha enter an order, in words.
#pragma once

#include <string>

#include "spec/order.h"

namespace reprosum::spec {

// E.g. "C rounded, alpha fused"; "" for an order of plain sums.
std::string describe_update(const Order& order);

}  // namespace reprosum::spec
