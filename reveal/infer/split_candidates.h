// Split rules that agree with measured split points.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/order.h"

namespace reprosum::reveal::generalize {

// T(n) = [0, h) + [h, n).
struct SplitPoint {
  std::int64_t n = 0, h = 0;
};

// Every Split and Parts (children self, format narrow) whose last addition is at h for every n
// given, simplest first. `lengths`: lengths of further pieces met, candidates for block lengths.
std::vector<spec::Rule> split_candidates(const std::vector<SplitPoint>& points,
                                         const std::vector<std::int64_t>& lengths);

// The lengths into which a Split or Parts cuts n; empty where it does not.
std::vector<std::int64_t> pieces_of(const spec::Rule& rule, std::int64_t n);

}  // namespace reprosum::reveal::generalize
