// FPRev for formats that cannot count to n: Algorithm 5, with the counts that are exact kept.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "reveal/tree/multiway_tree.h"

namespace reprosum::reveal {

// A call with +M at i and -M at j; `units` hold one unit each, every other leaf is zero.
struct MaskedSum {
  std::int64_t i = 0, j = 0;
  std::vector<std::int64_t> units;  // neither i nor j
};

// Outputs in units, one call each.
using MaskedSums = std::function<std::vector<double>(std::span<const MaskedSum>)>;

// `exact_units`: the accumulator counts 0 .. exact_units - 1 units without error (2^precision; 1
// trusts zeros only, as the published algorithm does). Sound because units are never negative and
// rounding is monotone: a count of at least exact_units never rounds below it.
MultiwayTree low_range_fprev(std::int64_t n, const MaskedSums& sums, std::int64_t exact_units);

}  // namespace reprosum::reveal
