// Trees without some of their leaves.
#include <algorithm>
#include <vector>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/store_narrow.h"
#include "spec/tree_op.h"

namespace reprosum::spec {
namespace {

// A fused operand whose accumulator is gone starts a chain: it is rounded by itself.
void start_chain(TreeOp& op) {
  if (op.scale == Scale::fused) op.scale = Scale::rounded;
  if (op.kind != TreeOp::Kind::leaf) return;
  if (op.leaf == Leaf::fused) op.leaf = Leaf::rounded;
  if (op.leaf == Leaf::out_fused) op.leaf = Leaf::out;
}

// The tree of the leaves that `keep` keeps; a node that loses a child becomes the other child.
template <class Keep>
Tree filtered(const Tree& tree, std::int64_t n, Keep keep) {
  Tree result;
  result.n = n;
  std::vector<bool> present;  // one per value on the stack
  for (const TreeOp& op : tree.ops) {
    if (op.kind == TreeOp::Kind::leaf) {
      const bool keeps = keep(op);
      if (keeps) result.ops.push_back(op);
      present.push_back(keeps);
      continue;
    }
    const bool right = present.back();
    present.pop_back();
    const bool left = present.back();
    present.back() = left || right;
    if (left && right) {
      result.ops.push_back(op);
    } else if (left || right) {
      TreeOp& rest = result.ops.back();              // the root of the operand that is left
      if (op.format == NodeFormat::exact) continue;  // an operand of the node above
      if (rest.kind == TreeOp::Kind::add && rest.format == NodeFormat::exact)
        rest.format = op.format;
      else if (right || is_product(rest))
        start_chain(rest);
      if (op.stored) store_narrow(rest);
      if (op.scale == Scale::none) continue;
      if (rest.scale != Scale::none) throw UserError("tree: alpha meets a value twice");
      rest.scale = op.scale;
    }
  }
  return canonical(std::move(result));
}

}  // namespace

Tree restrict_to(const Tree& tree, std::int64_t n) {
  return filtered(tree, n, [n](const TreeOp& op) { return !has_summand(op) || op.index < n; });
}

Tree restrict_to(const Tree& tree, std::int64_t lo, std::int64_t hi) {
  Tree shifted = tree;
  // What is below lo becomes a place that is too high.
  for (TreeOp& op : shifted.ops)
    if (has_summand(op))
      op.index = static_cast<std::uint32_t>(op.index < lo ? op.index - lo + tree.n : op.index - lo);
  return restrict_to(shifted, hi - lo);
}

Tree without_output(const Tree& tree) {
  return filtered(tree, tree.n, [](const TreeOp& op) { return !is_output(op); });
}

Tree without_constants(const Tree& tree) {
  return filtered(tree, tree.n,
                  [](const TreeOp& op) { return !is_output(op) && op.leaf != Leaf::zero; });
}

Tree without_update(const Tree& tree) {
  Tree plain = tree;
  for (TreeOp& op : plain.ops) {
    op.scale = Scale::none;
    op.skip = Skip::none;
  }
  return filtered(plain, tree.n, [](const TreeOp& op) { return !is_output(op); });
}

bool is_update(const Tree& tree) {
  return std::any_of(tree.ops.begin(), tree.ops.end(), [](const TreeOp& op) {
    return op.scale != Scale::none || op.skip != Skip::none || is_output(op);
  });
}

}  // namespace reprosum::spec
