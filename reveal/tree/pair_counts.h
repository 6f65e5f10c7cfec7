// What the tree algorithms know of the world: how many leaves lie below the LCA of two leaves.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace reprosum::reveal {

struct Pair {
  std::int64_t i = 0, j = 0;
};

// One count per pair, all pairs in one batch; one call of the target per pair.
using PairCounts = std::function<std::vector<std::int64_t>(std::span<const Pair>)>;

}  // namespace reprosum::reveal
