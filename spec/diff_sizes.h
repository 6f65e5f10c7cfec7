// Where two orders can part: the sizes that diff() tries beyond the dense range.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/order.h"

namespace reprosum::spec {

// Ascending sizes in (dense_to, 2^20]: neighbours of every threshold and split constant of both
// orders, whole periods of their loops, and a few sizes spread evenly over the scales.
std::vector<std::int64_t> sizes_that_matter(const Order& a, const Order& b, std::int64_t dense_to);

}  // namespace reprosum::spec
