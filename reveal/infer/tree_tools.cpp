// Normal form, restriction and lowest common ancestors on postorder programs.
#include "reveal/infer/tree_tools.h"

#include <algorithm>
#include <utility>

#include "spec/expand.h"

namespace reprosum::reveal::generalize {
namespace {

using spec::Leaf;
using spec::NodeFormat;
using spec::Tree;
using spec::TreeOp;

bool is_leaf(const TreeOp& op) { return op.kind == TreeOp::Kind::leaf; }

// For every op the position where its subtree begins.
std::vector<std::uint32_t> subtree_starts(const Tree& tree) {
  std::vector<std::uint32_t> starts(tree.ops.size()), stack;
  for (std::uint32_t k = 0; k < tree.ops.size(); ++k) {
    starts[k] = k;
    if (!is_leaf(tree.ops[k])) {
      stack.pop_back();
      starts[k] = stack.back();
      stack.pop_back();
    }
    stack.push_back(starts[k]);
  }
  return starts;
}

}  // namespace

Tree without_idle_widening(Tree tree) {
  const auto plain = [](const TreeOp& op) {
    return is_leaf(op) ? op.leaf != Leaf::exact : op.format == NodeFormat::narrow;
  };
  if (std::all_of(tree.ops.begin(), tree.ops.end(), plain)) return tree;
  const std::vector<std::uint32_t> starts = subtree_starts(tree);
  const auto narrow_value = [](const TreeOp& op) {
    return is_leaf(op) ? op.leaf == Leaf::rounded || op.leaf == Leaf::zero
                       : op.format == NodeFormat::narrow || op.stored;
  };
  std::vector<NodeFormat> outer(tree.ops.size(),
                                NodeFormat::narrow);  // what the value is converted to
  for (std::size_t k = tree.ops.size(); k-- > 0;) {
    TreeOp& op = tree.ops[k];
    if (is_leaf(op)) {
      if (op.leaf == Leaf::exact && outer[k] == NodeFormat::narrow) op.leaf = Leaf::rounded;
      continue;
    }
    const std::size_t right = k - 1, left = starts[right] - std::size_t{1};
    if (op.format == NodeFormat::wide && outer[k] == NodeFormat::narrow &&
        narrow_value(tree.ops[left]) && narrow_value(tree.ops[right]))
      op.format = NodeFormat::narrow;
    outer[left] = outer[right] = op.format;
  }
  return spec::canonical(std::move(tree));
}

bool same_function(const Tree& a, const Tree& b) {
  return a == b || (a.n == b.n && without_idle_widening(a) == without_idle_widening(b));
}

Tree restrict_range(const Tree& tree, std::int64_t lo, std::int64_t hi) {
  Tree result;
  result.n = hi - lo;
  std::vector<bool> present;  // one per value on the stack
  for (TreeOp op : tree.ops) {
    if (is_leaf(op)) {
      const bool keep = op.leaf != Leaf::zero && op.index >= lo && op.index < hi;
      op.index -= static_cast<std::uint32_t>(keep ? lo : 0);
      if (keep) result.ops.push_back(op);
      present.push_back(keep);
      continue;
    }
    const bool right = present.back();
    present.pop_back();
    if (present.back() && right) {
      result.ops.push_back(op);
    } else if (right && is_leaf(result.ops.back())) {
      TreeOp& only = result.ops.back();  // an addend whose accumulator is gone
      if (only.leaf == Leaf::fused)
        only.leaf = op.format == NodeFormat::wide ? Leaf::exact : Leaf::rounded;
    }
    present.back() = present.back() || right;
  }
  return spec::canonical(std::move(result));
}

std::vector<std::int64_t> common_sizes(const Tree& tree, std::int64_t i,
                                       std::span<const std::int64_t> js) {
  const std::vector<std::uint32_t> starts = subtree_starts(tree);
  std::vector<std::uint32_t> place(static_cast<std::size_t>(tree.n));
  for (std::uint32_t k = 0; k < tree.ops.size(); ++k)
    if (is_leaf(tree.ops[k]) && tree.ops[k].leaf != Leaf::zero) place[tree.ops[k].index] = k;
  std::vector<std::int64_t> sizes;
  for (const std::int64_t j : js) {
    const auto [first, last] = std::minmax(place[std::size_t(i)], place[std::size_t(j)]);
    std::size_t k = last;
    while (starts[k] > first) ++k;
    // A tree of s leaves has 2s - 1 ops; the inference knows no zero leaves.
    sizes.push_back((static_cast<std::int64_t>(k - starts[k]) + 2) / 2);
  }
  return sizes;
}

}  // namespace reprosum::reveal::generalize
