// One program per tree: operands in the order that tree.h fixes.
#include <algorithm>
#include <string>
#include <utility>

#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::spec {
namespace {

struct Node {
  std::int64_t left = -1, right = -1;  // op indices
  std::int64_t least = -1;             // least summand below; -1 for a zero leaf
};

bool is_leaf(const TreeOp& op, Leaf kind) {
  return op.kind == TreeOp::Kind::leaf && op.leaf == kind;
}

// Links the postorder program and orders the operands of every node; *swapped says whether any had
// to change places.
std::vector<Node> link(const Tree& tree, bool* swapped) {
  std::vector<Node> nodes(tree.ops.size());
  std::vector<std::int64_t> stack;
  std::vector<bool> seen(static_cast<std::size_t>(tree.n), false);
  for (std::size_t k = 0; k < tree.ops.size(); ++k) {
    const TreeOp& op = tree.ops[k];
    Node& node = nodes[k];
    if (op.kind == TreeOp::Kind::leaf) {
      if (op.leaf != Leaf::zero) {
        if (op.index >= tree.n)
          throw UserError("tree names summand " + std::to_string(op.index) + " of " +
                          std::to_string(tree.n));
        if (seen[op.index])
          throw UserError("tree names summand " + std::to_string(op.index) + " twice");
        seen[op.index] = true;
        node.least = op.index;
      }
      stack.push_back(static_cast<std::int64_t>(k));
      continue;
    }
    if (stack.size() < 2) throw UserError("tree: an addition lacks an operand");
    node.right = stack.back();
    stack.pop_back();
    node.left = stack.back();
    stack.pop_back();
    const auto at = [&](std::int64_t i) -> const TreeOp& { return tree.ops[std::size_t(i)]; };
    if (is_leaf(at(node.left), Leaf::fused))
      throw UserError("tree: fused summand " + std::to_string(at(node.left).index) +
                      " is not an addend");
    const std::int64_t a = nodes[std::size_t(node.left)].least;
    const std::int64_t b = nodes[std::size_t(node.right)].least;
    const bool right_is_fused = is_leaf(at(node.right), Leaf::fused);
    if (!right_is_fused && b < a) {
      std::swap(node.left, node.right);
      *swapped = true;
    }
    node.least = (a < 0 || b < 0) ? std::max(a, b) : std::min(a, b);
    stack.push_back(static_cast<std::int64_t>(k));
  }
  if (stack.size() != 1) throw UserError("tree: the program leaves more than one value");
  for (std::size_t k = 0; k < seen.size(); ++k)
    if (!seen[k]) throw UserError("tree: summand " + std::to_string(k) + " is missing");
  return nodes;
}

}  // namespace

Tree canonical(Tree tree) {
  if (tree.n < 1 || tree.n > kMaxExplicitLeaves)
    throw UserError("tree: n must be in 1..2^20, not " + std::to_string(tree.n));
  if (tree.ops.empty()) throw UserError("tree: no operations");
  bool swapped = false;
  const std::vector<Node> nodes = link(tree, &swapped);
  if (!swapped) return tree;  // most trees are written canonically
  Tree result;
  result.n = tree.n;
  result.ops.reserve(tree.ops.size());
  // A node is pushed again as ~k, to be emitted after its operands.
  std::vector<std::int64_t> stack{static_cast<std::int64_t>(tree.ops.size()) - 1};
  while (!stack.empty()) {
    const std::int64_t k = stack.back();
    stack.pop_back();
    const std::size_t at = static_cast<std::size_t>(k < 0 ? ~k : k);
    if (k < 0 || tree.ops[at].kind == TreeOp::Kind::leaf) {
      result.ops.push_back(tree.ops[at]);
      continue;
    }
    stack.push_back(~k);
    stack.push_back(nodes[at].right);
    stack.push_back(nodes[at].left);
  }
  return result;
}

Tree restrict_to(const Tree& tree, std::int64_t n) {
  Tree result;
  result.n = n;
  std::vector<bool> present;  // one per value on the stack
  for (const TreeOp& op : tree.ops) {
    if (op.kind == TreeOp::Kind::leaf) {
      const bool keep = op.leaf == Leaf::zero || op.index < n;
      if (keep) result.ops.push_back(op);
      present.push_back(keep);
      continue;
    }
    const bool right = present.back();
    present.pop_back();
    if (present.back() && right) result.ops.push_back(op);
    // A fused leaf whose accumulator is gone starts a chain: a rounded product.
    if (!present.back() && right && result.ops.back().kind == TreeOp::Kind::leaf &&
        result.ops.back().leaf == Leaf::fused)
      result.ops.back().leaf = Leaf::rounded;
    present.back() = present.back() || right;
  }
  return canonical(std::move(result));
}

}  // namespace reprosum::spec
