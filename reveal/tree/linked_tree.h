// A postorder program with its links: parents, leaf ranges, heights, lowest common ancestors.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/tree.h"

namespace reprosum::reveal {

// Nodes are op indices. Leaves of a subtree are contiguous in program order ("places"), so a set of
// leaves below a node is a range. Zero leaves have no place.
class LinkedTree {
 public:
  explicit LinkedTree(const spec::Tree& tree);

  std::int64_t n() const { return n_; }
  std::int32_t nodes() const { return static_cast<std::int32_t>(ops_.size()); }
  std::int32_t root() const { return nodes() - 1; }
  const spec::TreeOp& op(std::int32_t node) const { return ops_[std::size_t(node)]; }
  bool is_leaf(std::int32_t node) const { return op(node).kind == spec::TreeOp::Kind::leaf; }
  std::int32_t right(std::int32_t node) const { return node - 1; }
  std::int32_t left(std::int32_t node) const { return node - 1 - span_[std::size_t(node - 1)]; }
  std::int32_t parent(std::int32_t node) const { return parent_[std::size_t(node)]; }  // root: -1
  std::int32_t sibling(std::int32_t node) const;
  std::int32_t height(std::int32_t node) const { return height_[std::size_t(node)]; }

  // Places of the leaves below the node: [first_place, end_place).
  std::int32_t first_place(std::int32_t node) const {
    return places_before_[std::size_t(node - span_[std::size_t(node)] + 1)];
  }
  std::int32_t end_place(std::int32_t node) const { return places_before_[std::size_t(node) + 1]; }
  std::int32_t size(std::int32_t node) const { return end_place(node) - first_place(node); }
  std::int64_t leaf_at(std::int32_t place) const { return leaf_at_[std::size_t(place)]; }
  std::int32_t place_of(std::int64_t leaf) const { return place_of_[std::size_t(leaf)]; }
  std::int64_t first_leaf(std::int32_t node) const { return leaf_at(first_place(node)); }
  std::int32_t node_at(std::int32_t place) const { return node_at_[std::size_t(place)]; }

  // Lowest node above both leaves, in O(log n) steps.
  std::int32_t lowest_common_ancestor(std::int64_t i, std::int64_t j) const;

 private:
  std::int64_t n_;
  std::vector<spec::TreeOp> ops_;
  std::vector<std::int32_t> span_;           // ops of the subtree
  std::vector<std::int32_t> places_before_;  // places of the ops before this one
  std::vector<std::int32_t> parent_, jump_, height_;
  std::vector<std::int32_t> leaf_at_, place_of_, node_at_;
};

}  // namespace reprosum::reveal
