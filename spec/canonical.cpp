// One program per tree: operands in the order that tree.h fixes.
#include <algorithm>
#include <string>
#include <utility>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/tree_op.h"

namespace reprosum::spec {
namespace {

// What stands for the least summand of a value that has none.
constexpr std::int64_t kZeros = -1, kOutput = -2;

struct Node {
  std::int64_t left = -1, right = -1;  // op indices
  std::int64_t least = kZeros;         // least summand below
};

// Whether the node above also does this node's multiplication; then this is its right operand.
bool is_fused(const TreeOp& op) {
  if (op.scale == Scale::fused) return true;
  return op.kind == TreeOp::Kind::leaf && (op.leaf == Leaf::fused || op.leaf == Leaf::out_fused);
}

std::string name_of(const TreeOp& op) {
  if (is_output(op)) return "the output";
  if (op.kind == TreeOp::Kind::leaf && op.leaf == Leaf::zero) return "a zero";
  if (op.kind == TreeOp::Kind::add) return "a scaled sum";
  return "summand " + std::to_string(op.index);
}

void check_scale(const TreeOp& op) {
  const bool is_leaf = op.kind == TreeOp::Kind::leaf;
  bool allowed = true;
  if (op.scale == Scale::x || op.scale == Scale::y) allowed = has_summand(op);
  if (op.scale == Scale::rounded || op.scale == Scale::fused)
    allowed = is_leaf ? op.leaf == Leaf::rounded || op.leaf == Leaf::exact ||
                            op.leaf == Leaf::zero  // a scaled lane without summands leaves its zero
                      : op.format != NodeFormat::exact;
  if (!allowed) throw UserError("tree: alpha cannot act on " + name_of(op) + " in this way");
}

void check_skip(const TreeOp& op) {
  const bool of_factor = op.scale == Scale::x || op.scale == Scale::y;
  if (!has_summand(op) || (op.skip == Skip::scaled && !of_factor))
    throw UserError("tree: " + name_of(op) + " has no factor whose zeros could leave it out");
}

// Links the postorder program and orders the operands of every node; *swapped says whether any had
// to change places.
std::vector<Node> link(const Tree& tree, bool* swapped) {
  std::vector<Node> nodes(tree.ops.size());
  std::vector<std::int64_t> stack;
  std::vector<bool> seen(static_cast<std::size_t>(tree.n), false);
  bool output_seen = false;
  for (std::size_t k = 0; k < tree.ops.size(); ++k) {
    const TreeOp& op = tree.ops[k];
    Node& node = nodes[k];
    if (op.scale != Scale::none) check_scale(op);
    if (op.skip != Skip::none) check_skip(op);
    if (op.kind == TreeOp::Kind::leaf) {
      if (is_output(op)) {
        if (std::exchange(output_seen, true)) throw UserError("tree takes in the output twice");
        node.least = kOutput;
      } else if (op.leaf != Leaf::zero) {
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
    const bool is_pair = is_product(at(node.left)) && is_product(at(node.right));
    if (is_fused(at(node.left)) && !is_pair)
      throw UserError("tree: fused " + name_of(at(node.left)) + " is not an addend");
    const std::int64_t a = nodes[std::size_t(node.left)].least;
    const std::int64_t b = nodes[std::size_t(node.right)].least;
    if ((is_pair || !is_fused(at(node.right))) && b < a) {
      std::swap(node.left, node.right);
      *swapped = true;
    }
    node.least = (a < 0) == (b < 0) ? std::min(a, b) : std::max(a, b);
    stack.push_back(static_cast<std::int64_t>(k));
  }
  if (stack.size() != 1) throw UserError("tree: the program leaves more than one value");
  const TreeOp& root = tree.ops.back();
  if (root.kind == TreeOp::Kind::add && root.format == NodeFormat::exact)
    throw UserError("tree: the whole sum is not rounded");
  if (root.scale == Scale::fused)
    throw UserError("tree: fused " + name_of(root) + " is not an addend");
  for (std::size_t k = 0; k < seen.size(); ++k)
    if (!seen[k]) throw UserError("tree: summand " + std::to_string(k) + " is missing");
  return nodes;
}

// A narrow parent rounds its operands anyway, and so is the whole sum rounded.
void round_once(Tree& tree, const std::vector<Node>& nodes) {
  if (std::none_of(tree.ops.begin(), tree.ops.end(), [](const TreeOp& op) { return op.stored; }))
    return;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (tree.ops[k].kind == TreeOp::Kind::leaf || tree.ops[k].format == NodeFormat::wide) continue;
    tree.ops[static_cast<std::size_t>(nodes[k].left)].stored = false;
    tree.ops[static_cast<std::size_t>(nodes[k].right)].stored = false;
  }
  tree.ops.back().stored = false;
}

// An addition inside a fused node.
bool is_unrounded(const TreeOp& op) {
  return op.kind == TreeOp::Kind::add && op.format == NodeFormat::exact;
}

// Pushes what makes node k, what comes last first: ~k, and its operands with the additions among
// them. All operands of a fused node are sorted, however its additions were nested.
void push_operands(const Tree& tree, const std::vector<Node>& nodes, std::int64_t k,
                   std::vector<std::int64_t>& stack) {
  const Node& node = nodes[std::size_t(k)];
  if (!is_unrounded(tree.ops[std::size_t(node.left)]) &&
      !is_unrounded(tree.ops[std::size_t(node.right)])) {
    stack.insert(stack.end(), {~k, node.right, node.left});
    return;
  }
  std::vector<std::int64_t> operands, additions, pending{node.right, node.left};
  while (!pending.empty()) {
    const std::int64_t at = pending.back();
    pending.pop_back();
    if (!is_unrounded(tree.ops[std::size_t(at)])) {
      operands.push_back(at);
      continue;
    }
    additions.push_back(~at);
    pending.push_back(nodes[std::size_t(at)].right);
    pending.push_back(nodes[std::size_t(at)].left);
  }
  const auto key = [&](std::int64_t at) {
    return std::pair{is_fused(tree.ops[std::size_t(at)]), nodes[std::size_t(at)].least};
  };
  std::stable_sort(operands.begin(), operands.end(),
                   [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
  stack.push_back(~k);
  for (std::size_t i = operands.size(); i-- > 2;) {
    stack.push_back(operands[i]);
    stack.push_back(additions[i - 2]);
  }
  stack.push_back(operands[1]);
  stack.push_back(operands[0]);
}

}  // namespace

Tree canonical(Tree tree) {
  if (tree.n < 1 || tree.n > kMaxExplicitLeaves)
    throw UserError("tree: n must be in 1..2^20, not " + std::to_string(tree.n));
  if (tree.ops.empty()) throw UserError("tree: no operations");
  bool swapped = false;
  const std::vector<Node> nodes = link(tree, &swapped);
  round_once(tree, nodes);
  // Most trees are written canonically.
  if (!swapped && std::none_of(tree.ops.begin(), tree.ops.end(), is_unrounded)) return tree;
  Tree result;
  result.n = tree.n;
  result.flush = tree.flush;
  result.ops.reserve(tree.ops.size());
  // A node is pushed again as ~k, to be emitted after its operands.
  std::vector<std::int64_t> stack{static_cast<std::int64_t>(tree.ops.size()) - 1};
  while (!stack.empty()) {
    const std::int64_t k = stack.back();
    stack.pop_back();
    const std::size_t at = static_cast<std::size_t>(k < 0 ? ~k : k);
    if (k < 0 || tree.ops[at].kind == TreeOp::Kind::leaf)
      result.ops.push_back(tree.ops[at]);
    else
      push_operands(tree, nodes, k, stack);
  }
  return result;
}

}  // namespace reprosum::spec
