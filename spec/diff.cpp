// diff(): the first size and the first node at which two orders part.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/diff_rules.h"
#include "spec/diff_sizes.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/expand_schema.h"
#include "spec/names.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kDenseTo = 2048;
// Summands of all the trees built beyond the dense range. What is left out then are sizes whose
// equality the rules alone do not show; OrderDifference::searched_to does not claim them.
constexpr std::int64_t kTreeBudget = 5'000'000;

// What one operand of a node is called: its least summand, and its kind if it is a leaf.
struct Operand {
  std::int64_t least = -1;  // -1: only zeros
  bool is_leaf = false;
  Leaf leaf = Leaf::rounded;
  Scale scale = Scale::none;

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
    const std::string mark = scale == Scale::none ? "" : word_of(kScaleMarks, scale);
    return mark + name();
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
      stack.push_back({{least, true, op.leaf, op.scale}, i == k});
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
          .append(op.format == Format::wide ? ") wide" : ")");
    const std::int64_t a = left.operand.least, b = right.operand.least;
    stack.push_back(
        {{a < 0 || b < 0 ? std::max(a, b) : std::min(a, b), false, {}, op.scale}, false});
  }
  return stack.empty() ? "" : stack.back().operand.shown();  // a single leaf
}

std::optional<Tree> tree_of(const Order& order, std::int64_t n) {
  try {
    return expand(order, n);
  } catch (const UserError&) {
    return std::nullopt;  // a piece of n is not defined
  }
}

class Search {
 public:
  Search(const Order& a, const Order& b) : a_(a), b_(b), rules_(a, b) {}

  std::optional<OrderDifference> run() {
    for (std::int64_t n = 1; n <= kDenseTo; ++n) {
      searched_to_ = n;
      if (differs_at(n)) return found_;
    }
    for (const std::int64_t n : sizes_that_matter(a_, b_, kDenseTo))
      if (differs_at(n)) return found_;
    if (coverage_) coverage_->searched_to = searched_to_;
    return coverage_;
  }

 private:
  bool differs_at(std::int64_t n) {
    const bool in_a = covers(a_, n), in_b = covers(b_, n);
    if (!in_a && !in_b) return false;
    if (in_a != in_b) {
      note_coverage(n, in_a);
      return false;
    }
    if (rules_.surely_equal(n)) return false;
    if (n > kDenseTo) {
      if (spent_ + n > kTreeBudget) return false;
      spent_ += n;
    }
    const std::optional<Tree> a = tree_of(a_, n), b = tree_of(b_, n);
    if (!a && !b) return false;
    if (!a || !b) {
      note_coverage(n, a.has_value());
      return false;
    }
    if (a->ops == b->ops) return false;
    const auto [at_a, at_b] =
        std::mismatch(a->ops.begin(), a->ops.end(), b->ops.begin(), b->ops.end());
    // Programs are complete trees: none is a proper prefix of another.
    found_.n = n;
    found_.node_a = node_name(*a, static_cast<std::size_t>(at_a - a->ops.begin()));
    found_.node_b = node_name(*b, static_cast<std::size_t>(at_b - b->ops.begin()));
    found_.searched_to = searched_to_;
    return true;
  }

  void note_coverage(std::int64_t n, bool in_a) {
    if (coverage_) return;
    coverage_.emplace();
    coverage_->n = n;
    coverage_->only_coverage = true;
    coverage_->node_a = in_a ? "defined" : "not defined";
    coverage_->node_b = in_a ? "not defined" : "defined";
  }

  const Order& a_;
  const Order& b_;
  RuleComparison rules_;
  OrderDifference found_;
  std::optional<OrderDifference> coverage_;
  std::int64_t searched_to_ = 0, spent_ = 0;
};

}  // namespace

std::optional<OrderDifference> diff(const Order& a, const Order& b) {
  if (a == b) return std::nullopt;
  return Search(a, b).run();
}

}  // namespace reprosum::spec
