// Multiway trees and their conversion to programs.
#include "reveal/tree/multiway_tree.h"

#include <algorithm>
#include <string>

#include "reveal/refused.h"
#include "spec/expand.h"

namespace reprosum::reveal {

MultiwayTree::MultiwayTree(std::int64_t n) : n(n), nodes(static_cast<std::size_t>(n)) {
  nodes.reserve(static_cast<std::size_t>(2 * n));
}

std::int32_t MultiwayTree::join(std::int32_t a, std::int32_t b) {
  const auto node = static_cast<std::int32_t>(nodes.size());
  nodes.push_back({});
  adopt(node, b);
  adopt(node, a);
  return node;
}

void MultiwayTree::adopt(std::int32_t parent, std::int32_t child) {
  Node& above = nodes[std::size_t(parent)];
  nodes[std::size_t(child)].next_sibling = above.first_child;
  above.first_child = child;
  ++above.children;
}

std::int32_t MultiwayTree::most_children() const {
  std::int32_t most = 0;
  for (const Node& node : nodes) most = std::max(most, node.children);
  return most;
}

spec::Tree to_binary(const MultiwayTree& tree) {
  if (tree.most_children() > 2)
    throw Refused("unknown_arithmetic", "a node adds " + std::to_string(tree.most_children()) +
                                            " terms at once: multi-term fused addition");
  spec::Tree result{tree.n, {}};
  result.ops.reserve(static_cast<std::size_t>(2 * tree.n - 1));
  // An inner node is pushed again as ~node, to be emitted after its operands.
  std::vector<std::int32_t> stack{tree.root};
  while (!stack.empty()) {
    const std::int32_t at = stack.back();
    stack.pop_back();
    spec::TreeOp op;
    if (at < 0) {
      op.kind = spec::TreeOp::Kind::add;
      result.ops.push_back(op);
    } else if (at < tree.n) {
      op.index = static_cast<std::uint32_t>(at);
      result.ops.push_back(op);
    } else {
      stack.push_back(~at);
      for (std::int32_t child = tree.nodes[std::size_t(at)].first_child; child >= 0;
           child = tree.nodes[std::size_t(child)].next_sibling)
        stack.push_back(child);
    }
  }
  return spec::canonical(std::move(result));
}

}  // namespace reprosum::reveal
