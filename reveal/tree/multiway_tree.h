// A bare summation tree whose nodes may have more than two children (multi-term fused additions).
#pragma once

#include <cstdint>
#include <vector>

#include "spec/tree.h"

namespace reprosum::reveal {

// Nodes 0..n-1 are the leaves.
struct MultiwayTree {
  struct Node {
    std::int32_t first_child = -1, next_sibling = -1, children = 0;
  };

  explicit MultiwayTree(std::int64_t n);

  // A new node with the children a and b.
  std::int32_t join(std::int32_t a, std::int32_t b);
  // One more child of an inner node.
  void adopt(std::int32_t parent, std::int32_t child);
  std::int32_t most_children() const;

  std::int64_t n = 0;
  std::int32_t root = 0;
  std::vector<Node> nodes;
};

// The same tree as a canonical program: rounded leaves, narrow additions.
// Throws Refused("unknown_arithmetic") if a node has more than two children.
spec::Tree to_binary(const MultiwayTree& tree);

}  // namespace reprosum::reveal
