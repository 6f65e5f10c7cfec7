// BasicFPRev (Algorithm 2 of the FPRev paper) with a disjoint-set forest.
#include "reveal/tree/basic_fprev.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "reveal/refused.h"

namespace reprosum::reveal {
namespace {

class Sets {
 public:
  explicit Sets(std::int64_t n) : parent_(std::size_t(n)), size_(std::size_t(n), 1) {
    std::iota(parent_.begin(), parent_.end(), std::int64_t{0});
  }
  std::int64_t find(std::int64_t leaf) {
    while (parent_[std::size_t(leaf)] != leaf) {
      auto& above = parent_[std::size_t(leaf)];
      above = parent_[std::size_t(above)];
      leaf = above;
    }
    return leaf;
  }
  std::int64_t size(std::int64_t set) const { return size_[std::size_t(set)]; }
  std::int64_t unite(std::int64_t a, std::int64_t b) {
    if (size(a) < size(b)) std::swap(a, b);
    parent_[std::size_t(b)] = a;
    size_[std::size_t(a)] += size(b);
    return a;
  }

 private:
  std::vector<std::int64_t> parent_, size_;
};

}  // namespace

MultiwayTree basic_fprev(std::int64_t n, const PairCounts& counts) {
  MultiwayTree tree(n);
  std::vector<Pair> pairs;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = i + 1; j < n; ++j) pairs.push_back({i, j});
  if (pairs.empty()) return tree;
  const std::vector<std::int64_t> sizes = counts(pairs);
  std::vector<std::size_t> ascending(pairs.size());
  std::iota(ascending.begin(), ascending.end(), std::size_t{0});
  std::stable_sort(ascending.begin(), ascending.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] < sizes[b]; });
  Sets sets(n);
  std::vector<std::int32_t> node(static_cast<std::size_t>(n));
  std::iota(node.begin(), node.end(), 0);
  for (const std::size_t k : ascending) {
    const std::int64_t a = sets.find(pairs[k].i), b = sets.find(pairs[k].j);
    if (a == b) continue;
    if (sets.size(a) + sets.size(b) != sizes[k])
      throw Refused("not_a_tree", "leaves " + std::to_string(pairs[k].i) + " and " +
                                      std::to_string(pairs[k].j) + " meet among " +
                                      std::to_string(sizes[k]) + " leaves, but " +
                                      std::to_string(sets.size(a) + sets.size(b)) + " are below");
    const std::int32_t joined = tree.join(node[std::size_t(a)], node[std::size_t(b)]);
    node[std::size_t(sets.unite(a, b))] = joined;
    tree.root = joined;
  }
  return tree;
}

}  // namespace reprosum::reveal
