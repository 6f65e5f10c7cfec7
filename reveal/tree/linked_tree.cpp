// Links of a program, in one pass up and one pass down.
#include "reveal/tree/linked_tree.h"

#include <algorithm>

#include "spec/error.h"

namespace reprosum::reveal {

LinkedTree::LinkedTree(const spec::Tree& tree)
    : n_(tree.n),
      ops_(tree.ops),
      span_(ops_.size(), 1),
      places_before_(ops_.size() + 1, 0),
      parent_(ops_.size(), -1),
      jump_(ops_.size(), 0),
      height_(ops_.size(), 0),
      place_of_(static_cast<std::size_t>(tree.n), -1) {
  for (std::int32_t k = 0; k < nodes(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    places_before_[at + 1] = places_before_[at];
    if (is_leaf(k)) {
      if (ops_[at].leaf == spec::Leaf::zero) continue;
      place_of_[ops_[at].index] = places_before_[at];
      leaf_at_.push_back(static_cast<std::int32_t>(ops_[at].index));
      node_at_.push_back(k);
      ++places_before_[at + 1];
    } else {
      const std::int32_t r = right(k), l = left(k);
      span_[at] = 1 + span_[std::size_t(r)] + span_[std::size_t(l)];
      height_[at] = 1 + std::max(height_[std::size_t(r)], height_[std::size_t(l)]);
      parent_[std::size_t(r)] = parent_[std::size_t(l)] = k;
    }
  }
  // Jump pointers that halve the way to the root: a node's jump is either its parent or, where two
  // jumps above it are equally long, their sum.
  std::vector<std::int32_t> depth(ops_.size(), 0);
  const std::int32_t top = root();
  jump_[std::size_t(top)] = top;
  for (std::int32_t k = top - 1; k >= 0; --k) {
    const std::int32_t up = parent(k), first = jump_[std::size_t(up)],
                       second = jump_[std::size_t(first)];
    const auto d = [&](std::int32_t node) { return depth[std::size_t(node)]; };
    depth[std::size_t(k)] = d(up) + 1;
    jump_[std::size_t(k)] = d(up) - d(first) == d(first) - d(second) ? second : up;
  }
}

std::int32_t LinkedTree::sibling(std::int32_t node) const {
  const std::int32_t up = parent(node);
  return right(up) == node ? left(up) : right(up);
}

std::int32_t LinkedTree::lowest_common_ancestor(std::int64_t i, std::int64_t j) const {
  const std::int32_t place = place_of(j);
  const auto holds = [&](std::int32_t node) {
    return first_place(node) <= place && place < end_place(node);
  };
  std::int32_t node = node_at(place_of(i));
  while (!holds(node)) {
    const std::int32_t far = jump_[std::size_t(node)];
    node = holds(far) ? parent(node) : far;
  }
  return node;
}

}  // namespace reprosum::reveal
