// An explicit annotated summation tree: the meaning of an order at one n.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "spec/order.h"

namespace reprosum::spec {

// Postorder program: a leaf pushes, a node pops right then left and pushes their sum. No recursion
// anywhere, so a chain of 2^20 leaves is as good as a balanced tree.
struct TreeOp {
  enum class Kind : std::uint8_t { leaf, add };  // add-only; fused nodes: NodeFormat::exact
  Kind kind = Kind::leaf;
  Leaf leaf = Leaf::rounded;               // kind == leaf
  NodeFormat format = NodeFormat::narrow;  // kind == add
  std::uint32_t index = 0;                 // kind == leaf, not zero or out: which summand
  Scale scale = Scale::none;  // of the value that this op pushes, where its parent takes it
  Skip skip = Skip::none;     // kind == leaf, a summand: which zero factor leaves it out
  bool stored = false;        // kind == add, wide: rounded to narrow where its parent takes it
  auto operator<=>(const TreeOp&) const = default;
};

// @post of every producer: each summand 0..n-1 occurs exactly once; a fused leaf is the right
// operand of its node, unless both are fused; otherwise the operand holding the least summand is on
// the left (addition commutes, so this is what makes equal trees equal programs). A zero leaf is
// always left, so is an output that is not fused; a fused output or scale is the right operand of
// its node.
struct Tree {
  std::int64_t n = 0;
  std::vector<TreeOp> ops;
  Flush flush = Flush::none;
  auto operator<=>(const Tree&) const = default;
};

}  // namespace reprosum::spec
