// Chains whose steps repeat after a few summands: a product is fused at every other place, say, or
// the summands of each block of three come last to first. One run of a schema repeats one shape, so
// no loop says that; but blocks go on from the sum before them (spec::Split::through), and what a
// block does shows in one tree.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "reveal/infer/engine.h"
#include "reveal/infer/schema_fit.h"
#include "reveal/infer/tree_store.h"
#include "reveal/infer/trial.h"

namespace reprosum::reveal::generalize {
namespace {

constexpr std::int64_t kLongestBlock = 64;
constexpr std::int64_t kFewestBlocks = 3;  // that are alike, in the tree that shows them
constexpr std::int64_t kTried = 24;        // sizes that are compared whole

using Ops = std::vector<spec::TreeOp>;

// The sums of the first summands: how many of these -> how many ops come before.
std::map<std::int64_t, std::size_t> first_sums(const spec::Tree& tree) {
  struct Part {
    std::int64_t leaves = 0, last = 0;
    bool is_first = false;  // its program begins the whole program
  };
  std::map<std::int64_t, std::size_t> found;
  std::vector<Part> stack;
  for (std::size_t k = 0; k < tree.ops.size(); ++k) {
    const spec::TreeOp& op = tree.ops[k];
    if (op.kind == spec::TreeOp::Kind::leaf) {
      stack.push_back({1, op.index, k == 0});
    } else {
      const Part right = stack.back();
      stack.pop_back();
      Part& left = stack.back();
      left = {left.leaves + right.leaves, std::max(left.last, right.last), left.is_first};
    }
    const Part& part = stack.back();
    const bool is_narrow = op.format == spec::NodeFormat::narrow;
    if (part.is_first && part.leaves == part.last + 1 && is_narrow) found[part.leaves] = k + 1;
  }
  return found;
}

// What is done to the sum of the first `from` summands, which `to` of them add to; empty if these
// are no sums. Leaves are numbered from 0.
Ops between(const spec::Tree& tree, const std::map<std::int64_t, std::size_t>& sums,
            std::int64_t from, std::int64_t to) {
  const auto first = sums.find(from), last = sums.find(to);
  if (first == sums.end() || last == sums.end()) return {};
  Ops ops(tree.ops.begin() + static_cast<std::ptrdiff_t>(first->second),
          tree.ops.begin() + static_cast<std::ptrdiff_t>(last->second));
  for (spec::TreeOp& op : ops)
    if (op.kind == spec::TreeOp::Kind::leaf) op.index -= static_cast<std::uint32_t>(from);
  return ops;
}

// The least block whose copies make up the tree from its third on.
std::optional<std::int64_t> block_of(const spec::Tree& tree) {
  const auto sums = first_sums(tree);
  for (std::int64_t block = 2; block <= kLongestBlock; ++block) {
    const std::int64_t whole = tree.n / block;
    if (whole < kFewestBlocks + 1) break;
    const Ops first = between(tree, sums, block, 2 * block);
    bool alike = !first.empty();
    for (std::int64_t k = 2; alike && k < whole; ++k)
      alike = between(tree, sums, k * block, (k + 1) * block) == first;
    if (alike) return block;
  }
  return std::nullopt;
}

// The program that begins with the sum so far as a schema.
class Continuation {
 public:
  std::optional<spec::Schema> schema_of(const Ops& ops) {
    spec::Item sum;
    sum.shape.leaf = spec::Leaf::out;
    chain_.items = {sum};
    for (std::size_t k = 0; k < ops.size(); ++k) {
      // An operand, and the addition that takes it.
      const std::size_t first = k;
      for (std::int64_t open = 0;; ++k) {
        if (k == ops.size()) return std::nullopt;
        open += ops[k].kind == spec::TreeOp::Kind::leaf ? 1 : -1;
        if (open == 0) break;
      }
      const Ops operand(ops.begin() + static_cast<std::ptrdiff_t>(first),
                        ops.begin() + static_cast<std::ptrdiff_t>(k));
      if (!add(operand, ops[k].format)) return std::nullopt;
    }
    schema_.chains.push_back(chain_);
    return std::move(schema_);
  }

 private:
  bool add(const Ops& operand, spec::NodeFormat format) {
    if (chain_.items.size() == 1) chain_.format = format;
    if (chain_.format != format) {
      spec::Item before;
      before.shape.chain = static_cast<std::int32_t>(schema_.chains.size());
      schema_.chains.push_back(std::exchange(chain_, {format, {before}, {}}));
    }
    spec::Item item;
    if (operand.size() == 1) {
      item.shape.leaf = operand[0].leaf;
      item.shape.skip = operand[0].skip;
      item.at.c = operand[0].index;
    } else {
      const auto least = std::min_element(
          operand.begin(), operand.end(), [](const spec::TreeOp& a, const spec::TreeOp& b) {
            const auto place = [](const spec::TreeOp& op) {
              return op.kind == spec::TreeOp::Kind::leaf ? op.index : UINT32_MAX;
            };
            return place(a) < place(b);
          });
      item.at.c = least->index;
      TreeStore store;
      const Sample sample{
          0, 0, store.add({static_cast<std::int64_t>(operand.size() + 1) / 2, operand, {}})};
      auto inner = fit_schema(store, {&sample, 1});
      if (!inner) return false;
      const auto shift = static_cast<std::int32_t>(schema_.chains.size());
      for (spec::Chain& chain : inner->chains) {
        for (spec::Item& one : chain.items)
          if (!one.shape.is_leaf()) one.shape.chain += shift;
        schema_.chains.push_back(std::move(chain));
      }
      item.shape.chain = static_cast<std::int32_t>(schema_.chains.size()) - 1;
    }
    chain_.items.push_back(item);
    return true;
  }

  spec::Schema schema_;
  spec::Chain chain_;
};

}  // namespace

std::vector<Hypothesis> Engine::going_on(std::int64_t base) {
  if (!source_.session().options().blocks_go_on) return {};
  const std::int64_t far = std::min(4 * base + 5, longest_);
  const spec::Tree* whole = source_.reveal(far);
  const auto block = whole == nullptr ? std::nullopt : block_of(*whole);
  if (!block) return {};
  source_.session().log("blocks of " + std::to_string(*block) + " that go on");
  spec::Explicit listed;
  const std::int64_t before = std::max<std::int64_t>(1, far / *block - 1) * *block;
  for (std::int64_t r = 1; r <= *block; ++r) {
    const spec::Tree* tree = source_.reveal(before + r);
    if (tree == nullptr) return {};
    const Ops ops = between(*tree, first_sums(*tree), before, before + r);
    auto schema = ops.empty() ? std::nullopt : Continuation().schema_of(ops);
    if (!schema) return {};
    listed.entries.push_back({r, *std::move(schema)});
  }
  spec::Split split;
  split.kind = spec::Split::Kind::last;
  split.m = *block;
  split.through = true;
  const spec::Child rest{spec::Child::Kind::sub, static_cast<std::int32_t>(order_.subs.size())};
  auto hypothesis = with_children(split, {}, rest, base, spec::NodeFormat::narrow);
  if (!hypothesis) return {};
  spec::Order sub;
  sub.regimes = {{1, *block, std::move(listed)}};
  hypothesis->order.subs.push_back(std::move(sub));
  const Trial trial(source_, hypothesis->order, longest_);
  for (std::int64_t d = 0; d < kTried; ++d)
    if (base + d <= longest_ && !trial.holds_exactly(base + d)) return {};
  return {*std::move(hypothesis)};
}

}  // namespace reprosum::reveal::generalize
