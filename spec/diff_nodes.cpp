#include "spec/diff_nodes.h"

#include <algorithm>
#include <vector>

#include "spec/expand_schema.h"
#include "spec/names.h"

namespace reprosum::spec {
namespace {

// What one operand of a node is called: its least summand, and its kind if it is a leaf.
struct Operand {
  std::int64_t least = -1;  // -1: only zeros
  bool is_leaf = false;
  Leaf leaf = Leaf::rounded;
  Scale scale = Scale::none;
  Skip skip = Skip::none;

  std::string name() const {
    if (is_leaf && leaf == Leaf::out) return "out";
    if (is_leaf && leaf == Leaf::out_fused) return "fma out";
    if (least < 0) return "zero";
    std::string number = std::to_string(least);
    if (!is_leaf) return number;
    if (leaf == Leaf::fused) return std::string("fma ").append(number);
    if (leaf == Leaf::exact) return std::string("exact ").append(number);
    return number;
  }

  std::string shown() const {
    std::string marks = skip == Skip::none ? "" : word_of(kSkipMarks, skip);
    if (scale != Scale::none) marks += word_of(kScaleMarks, scale);
    return marks + name();
  }
};

// The name of the node that ends at op `k` if that is an addition, else of the node above leaf k.
std::string node_name(const Tree& tree, std::size_t k) {
  struct Value {
    Operand operand;
    bool holds_k = false;
  };
  std::vector<Value> stack;
  for (std::size_t i = 0; i < tree.ops.size(); ++i) {
    const TreeOp& op = tree.ops[i];
    if (op.kind == TreeOp::Kind::leaf) {
      const std::int64_t least = is_summand(op.leaf) ? std::int64_t{op.index} : -1;
      stack.push_back({{least, true, op.leaf, op.scale, op.skip}, i == k});
      continue;
    }
    const Value right = stack.back();
    stack.pop_back();
    const Value left = stack.back();
    stack.pop_back();
    if (i == k || left.holds_k || right.holds_k)
      return std::string(op.scale == Scale::none ? "" : word_of(kScaleMarks, op.scale))
          .append("(")
          .append(left.operand.shown())
          .append(" + ")
          .append(right.operand.shown())
          .append(op.stored                        ? ") wide, rounded"
                  : op.format == NodeFormat::wide  ? ") wide"
                  : op.format == NodeFormat::exact ? ") fused"
                                                   : ")");
    const std::int64_t a = left.operand.least, b = right.operand.least;
    stack.push_back(
        {{a < 0 || b < 0 ? std::max(a, b) : std::min(a, b), false, {}, op.scale}, false});
  }
  return stack.empty() ? "" : stack.back().operand.shown();  // a single leaf
}

}  // namespace

std::pair<std::string, std::string> first_parting_nodes(const Tree& a, const Tree& b) {
  const auto [at_a, at_b] = std::mismatch(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end());
  // Programs are complete trees: none is a proper prefix of another.
  return {node_name(a, static_cast<std::size_t>(at_a - a.ops.begin())),
          node_name(b, static_cast<std::size_t>(at_b - b.ops.begin()))};
}

std::optional<Tree> without_zeros(const Tree& tree) {
  Tree out{tree.n, {}};
  std::vector<bool> is_zeros;  // of the values on the stack; zeros have no ops in `out`
  for (const TreeOp& op : tree.ops) {
    if (op.kind == TreeOp::Kind::leaf) {
      const bool is_zero = op.leaf == Leaf::zero;
      if (is_zero && op.scale != Scale::none) return std::nullopt;
      is_zeros.push_back(is_zero);
      if (!is_zero) out.ops.push_back(op);
      continue;
    }
    const bool right = is_zeros.back();
    is_zeros.pop_back();
    const bool left = is_zeros.back();
    is_zeros.back() = left && right;
    if (!left && !right) {
      out.ops.push_back(op);
      continue;
    }
    if (left && right) {
      if (op.scale != Scale::none) return std::nullopt;
      continue;
    }
    TreeOp& other = out.ops.back();  // the operand that stays, whichever it is
    if (op.format != other.format && other.kind == TreeOp::Kind::add) return std::nullopt;
    if (other.kind == TreeOp::Kind::leaf &&
        (op.format == NodeFormat::wide || other.leaf == Leaf::exact))
      return std::nullopt;
    if (op.scale != Scale::none && other.scale != Scale::none) return std::nullopt;
    if (other.scale == Scale::none) other.scale = op.scale;
    if (other.kind == TreeOp::Kind::leaf && other.leaf == Leaf::fused) other.leaf = Leaf::rounded;
  }
  return out;
}

}  // namespace reprosum::spec
