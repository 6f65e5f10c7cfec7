// Where a sum is cut in two contiguous parts, by binary search.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace reprosum::reveal::generalize {

struct CutProbes {
  // Leaves of the subtree at the lowest common ancestor of i and j.
  std::function<std::int64_t(std::int64_t i, std::int64_t j)> pair;
  std::function<std::int64_t(std::int64_t lo, std::int64_t hi)> random;  // uniform in [lo, hi]
};

// h, where the node [0, m) adds [h, m) to [0, h); nullopt if that is no node or its children are
// not contiguous.
std::optional<std::int64_t> cut_of(const CutProbes& probes, std::int64_t m);

}  // namespace reprosum::reveal::generalize
