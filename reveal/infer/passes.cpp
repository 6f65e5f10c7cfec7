// Sums in passes (spec::Windows): how wide the windows are shows in the tree of one n.
//
// Every window is a subtree of neighbouring summands. With each of them taken as one summand, the
// tree is that of the order itself at the number of windows, which is known where that is small.
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "reveal/infer/engine.h"
#include "reveal/infer/schema_fit.h"
#include "reveal/infer/tree_store.h"
#include "reveal/infer/tree_tools.h"
#include "spec/expand.h"

namespace reprosum::reveal::generalize {
namespace {

constexpr std::int64_t kFewWindows = 3;  // the one in the middle is whole, and says the width
constexpr std::int64_t kMaxWidth = 256;  // sizes up to it are listed one by one
constexpr std::int64_t kLargestTree = 3000;
// Where few sums are known, or none of a window's size, larger trees are looked at as well.
constexpr std::int64_t kFarTree = 400;

using Range = std::pair<std::int64_t, std::int64_t>;  // of summands, the end not included
using Ops = std::pair<std::size_t, std::size_t>;      // the first and the last of a subtree

// The subtrees whose summands are neighbours.
std::map<Range, Ops> contiguous_subtrees(const spec::Tree& tree) {
  struct Part {
    std::size_t first = 0;
    std::int64_t lo = 0, hi = 0, leaves = 0;
  };
  std::map<Range, Ops> found;
  std::vector<Part> stack;
  for (std::size_t k = 0; k < tree.ops.size(); ++k) {
    const spec::TreeOp& op = tree.ops[k];
    if (op.kind == spec::TreeOp::Kind::leaf) {
      stack.push_back({k, op.index, op.index + std::int64_t{1}, 1});
    } else {
      const Part right = stack.back();
      stack.pop_back();
      Part& left = stack.back();
      left = {left.first, std::min(left.lo, right.lo), std::max(left.hi, right.hi),
              left.leaves + right.leaves};
    }
    const Part& part = stack.back();
    if (part.hi - part.lo == part.leaves) found[{part.lo, part.hi}] = {part.first, k};
  }
  return found;
}

bool is_plain(const spec::Tree& tree) {
  for (const spec::TreeOp& op : tree.ops)
    if (op.format != spec::NodeFormat::narrow ||
        (op.kind == spec::TreeOp::Kind::leaf && op.leaf != spec::Leaf::rounded))
      return false;
  return true;
}

// The ops of every window, or none.
std::vector<Ops> places_of_windows(const std::map<Range, Ops>& subtrees, const spec::Windows& rule,
                                   std::int64_t n) {
  std::vector<Ops> places;
  for (std::int64_t w = 0; w < spec::number_of_windows(rule, n); ++w) {
    const spec::Window window = spec::window_at(rule, n, w);
    const auto at = subtrees.find({window.from, window.from + window.count});
    if (at == subtrees.end()) return {};
    places.push_back(at->second);
  }
  return places;
}

// The tree with one summand for each window.
spec::Tree tree_of_sums(const spec::Tree& tree, const std::vector<Ops>& places) {
  std::map<std::size_t, std::size_t> window_at;  // by first op
  for (std::size_t w = 0; w < places.size(); ++w) window_at[places[w].first] = w;
  spec::Tree sums;
  sums.n = static_cast<std::int64_t>(places.size());
  for (std::size_t k = 0; k < tree.ops.size(); ++k) {
    const auto window = window_at.find(k);
    if (window == window_at.end()) {
      sums.ops.push_back(tree.ops[k]);
      continue;
    }
    spec::TreeOp sum;
    sum.index = static_cast<std::uint32_t>(window->second);
    sums.ops.push_back(sum);
    k = places[window->second].second;
  }
  return sums;
}

}  // namespace

std::vector<Hypothesis> Engine::passes(std::int64_t base) {
  if (depth_ > 0 || base > kLargestTree) return {};
  std::vector<Hypothesis> found = passes_in_tree(base);
  for (const std::int64_t n : {2 * base, 4 * base})
    if (found.empty() && n <= std::min(kFarTree, longest_)) found = passes_in_tree(n);
  return found;
}

std::vector<Hypothesis> Engine::passes_in_tree(std::int64_t base) {
  const spec::Tree* tree = source_.reveal(base);
  if (tree == nullptr || !is_plain(*tree)) return {};
  const auto subtrees = contiguous_subtrees(*tree);
  std::vector<Hypothesis> found;
  const std::int64_t widest = std::min(kMaxWidth, (base - 1) / (kFewWindows - 1));
  for (std::int64_t width = 2; width <= widest; ++width) {
    spec::Windows rule{width, {spec::Child::Kind::sub, 0}, {}};
    const std::int64_t windows = spec::number_of_windows(rule, base);
    if (windows < kFewWindows || windows >= current_) continue;
    const std::vector<Ops> places = places_of_windows(subtrees, rule, base);
    if (places.empty()) continue;
    const auto known = predict(order_, windows);
    if (!known || *known != tree_of_sums(*tree, places)) continue;
    const spec::Window whole = spec::window_at(rule, base, 1);
    TreeStore store;
    const Sample sample{0, 0,
                        store.add(restrict_range(*tree, whole.from, whole.from + whole.count))};
    const auto schema = fit_schema(store, {&sample, 1});
    if (!schema) continue;
    rule.piece.index = static_cast<std::int32_t>(order_.subs.size());
    Hypothesis hypothesis = open_ended(rule, base);
    hypothesis.order.regimes.pop_back();
    if (width >= current_ && !append_explicit(hypothesis.order, current_, width)) continue;
    hypothesis.order.regimes.push_back(
        {std::max(current_, width + 1), spec::kMaxLeaves, std::move(rule)});
    spec::Order piece;
    piece.regimes = {{width, width, spec::Explicit{{{width, *schema}}}}};
    hypothesis.order.subs.push_back(std::move(piece));
    found.push_back(std::move(hypothesis));
  }
  return found;
}

}  // namespace reprosum::reveal::generalize
