// The invariants of an order, and the comparison of orders.
#include <algorithm>
#include <string>
#include <vector>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/expand_schema.h"
#include "spec/running_sum.h"
#include "spec/sub_runs.h"

namespace reprosum::spec {
namespace {

// Bounds on the integers of a schema: with q, r <= 2^40 no Linear exceeds 2^62.
constexpr std::int64_t kMaxSlope = std::int64_t{1} << 21;
constexpr std::int64_t kMaxConstant = std::int64_t{1} << 41;
constexpr int kMaxSubDepth = 8;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw UserError(where + ": " + what);
}

void check(const Linear& value, const std::string& where) {
  const auto within = [](std::int64_t v, std::int64_t limit) { return -limit <= v && v <= limit; };
  if (!within(value.q, kMaxSlope) || !within(value.r, kMaxSlope) || !within(value.c, kMaxConstant))
    fail(where, "a coefficient is out of range (|q|, |r| <= 2^21, |c| <= 2^41)");
}

void check(const Item& item, std::size_t own_chain, NodeFormat format, const std::string& where) {
  for (const Linear& value : {item.at, item.step, item.times, item.step2, item.times2})
    check(value, where);
  if (!item.shape.is_leaf()) {
    if (static_cast<std::size_t>(item.shape.chain) >= own_chain)
      fail(where, "names chain " + std::to_string(item.shape.chain) +
                      ", which does not stand before chain " + std::to_string(own_chain));
    if (item.shape.leaf != Leaf::rounded) fail(where, "is both a chain and a leaf kind");
  } else if (!is_summand(item.shape.leaf)) {
    const Linear one{0, 0, 1}, none{};
    if (item.times != one || item.times2 != one || item.at != none || item.step != none ||
        item.step2 != none)
      fail(where, std::string(item.shape.leaf == Leaf::zero ? "a zero leaf" : "an output") +
                      " has no place, step or count");
  } else if (item.shape.leaf == Leaf::exact && format != NodeFormat::wide) {
    fail(where, "an exact product needs a wide chain");
  }
}

// @pre the chain adds several terms at once.
void check_fused(const Chain& chain, const std::string& where) {
  if (chain.fused.terms < 2 || chain.fused.terms > kMaxFusedTerms)
    fail(where, "a fused node takes 2..4096 terms at once");
  if (chain.format != NodeFormat::narrow) fail(where, "fused nodes are narrow");
  for (const Item& item : chain.items)
    if (item.shape.scale != Scale::none || item.shape.skip != Skip::none ||
        (item.shape.is_leaf() && item.shape.leaf == Leaf::out_fused))
      fail(where, "neither alpha nor a skip nor a fused output acts in a fused node");
}

void check_sub(const Shape& shape, const Order& order, const std::string& where) {
  if (shape.sub == -1) return;
  if (shape.sub < 0 || static_cast<std::size_t>(shape.sub) >= order.subs.size())
    fail(where, "names a sub-order that does not exist (" + std::to_string(shape.sub) + ")");
  if (!shape.is_leaf() || shape.leaf != Leaf::rounded || shape.scale != Scale::none ||
      shape.skip != Skip::none)
    fail(where, "leaves that a sub-order adds have no marks: the sub-order says what they are");
}

void check_scale(const Shape& shape, const std::string& where) {
  const bool is_summand_leaf = shape.is_leaf() && is_summand(shape.leaf);
  const bool of_factor = shape.scale == Scale::x || shape.scale == Scale::y;
  if (of_factor && !is_summand_leaf) fail(where, "alpha can only meet a factor of a product leaf");
  if (shape.scale == Scale::none || of_factor) return;
  if (shape.is_leaf() && (!is_summand_leaf || shape.leaf == Leaf::fused))
    fail(where, "alpha can only meet a rounded or exact product, or a chain");
}

void check_skip(const Shape& shape, const std::string& where) {
  if (shape.skip == Skip::none) return;
  if (!shape.is_leaf() || !is_summand(shape.leaf))
    fail(where, "only a product leaf can be left out where a factor is zero");
  if (shape.scale == Scale::rounded || shape.scale == Scale::fused)
    fail(where, "a product that alpha meets is not left out where a factor is zero");
  if (shape.skip == Skip::scaled && shape.scale != Scale::x && shape.scale != Scale::y)
    fail(where, "alpha meets no factor that could be zero after it");
}

void check(const Schema& schema, const Order& order, const std::string& where) {
  if (schema.chains.empty()) fail(where, "has no chain");
  std::vector<int> depth;
  for (std::size_t c = 0; c < schema.chains.size(); ++c) {
    const std::string here = where + ", chain " + std::to_string(c);
    if (schema.chains[c].items.empty()) fail(here, "has no item");
    if (schema.chains[c].format == NodeFormat::exact) fail(here, "every sum of a chain is rounded");
    if (schema.chains[c].fused != Fused{}) check_fused(schema.chains[c], here);
    int deepest = 0;
    for (std::size_t i = 0; i < schema.chains[c].items.size(); ++i) {
      const Item& item = schema.chains[c].items[i];
      const std::string at = here + ", item " + std::to_string(i);
      check(item, c, schema.chains[c].format, at);
      check_sub(item.shape, order, at);
      check_scale(item.shape, at);
      check_skip(item.shape, at);
      if (!item.shape.is_leaf())
        deepest = std::max(deepest, depth[static_cast<std::size_t>(item.shape.chain)]);
    }
    depth.push_back(deepest + 1);
    if (deepest + 1 > kMaxDepth)
      fail(here, "chains are nested deeper than " + std::to_string(kMaxDepth));
  }
}

void check_positive(std::int64_t value, const char* what, const std::string& where) {
  if (value < 1 || value > kMaxLeaves)
    fail(where, std::string(what) + " must be in 1..2^40, not " + std::to_string(value));
}

void check(const Child& child, const Order& order, const std::string& where) {
  const std::size_t size = child.kind == Child::Kind::regime ? order.regimes.size()
                           : child.kind == Child::Kind::sub  ? order.subs.size()
                                                             : 1;
  if (child.index < 0 || static_cast<std::size_t>(child.index) >= size)
    fail(where, "names a child that does not exist (index " + std::to_string(child.index) + ")");
}

// A rule that hands on all of its n: then only sub-orders and earlier regimes, which hold n or are
// applied beyond their range, are sure to end the recursion.
void check_shrinks(const Child& child, const Order& order, const Regime& regime, const char* what,
                   const std::string& where) {
  const auto own = static_cast<std::int32_t>(&regime - order.regimes.data());
  if (child.kind == Child::Kind::sub) return;
  if (child.kind == Child::Kind::regime && child.index < own) return;
  fail(where, std::string(what) + " must be a sub-order or an earlier regime");
}

struct RuleChecker {
  const Order& order;
  const Regime& regime;
  const std::string& where;

  void operator()(const Explicit& rule) const {
    if (rule.entries.empty()) fail(where, "lists no tree");
    std::int64_t previous = regime.lo - 1;
    for (const auto& entry : rule.entries) {
      if (entry.n <= previous || entry.n > regime.hi)
        fail(where, "lists n = " + std::to_string(entry.n) + " out of order or outside its regime");
      previous = entry.n;
      check(entry.tree, order, where + ", n = " + std::to_string(entry.n));
    }
  }

  void operator()(const Loop& rule) const {
    check_positive(rule.block, "block", where);
    if (rule.cases.empty()) fail(where, "a loop has no case");
    if (rule.pad && (rule.cases.size() != 1 || rule.cases[0].r_lo != 0 || rule.cases[0].r_hi != 0))
      fail(where, "a padded loop has the one case r = 0");
    if (rule.pad && has_sub_runs(rule.cases[0].schema))
      fail(where, "a padded loop has no leaves that a sub-order adds");
    std::int64_t next = 0;
    for (const auto& c : rule.cases) {
      if (c.r_lo != next || c.r_hi < c.r_lo)
        fail(where, "cases must cover the residues in ascending order; found " +
                        std::to_string(c.r_lo) + ".." + std::to_string(c.r_hi) + " where " +
                        std::to_string(next) + " is next");
      next = c.r_hi + 1;
      check(c.schema, order, where + ", case " + std::to_string(c.r_lo));
    }
    if (!rule.pad && next != rule.block)
      fail(where, "cases end at residue " + std::to_string(next - 1) + " of block " +
                      std::to_string(rule.block));
  }

  void operator()(const Split& rule) const {
    check_positive(rule.m, "the split's constant", where);
    if (rule.format == NodeFormat::exact) fail(where, "the sum of a split is rounded");
    check(rule.left, order, where);
    check(rule.right, order, where);
    if (rule.kind == Split::Kind::remainder)
      check_shrinks(rule.left, order, regime, "the left child of 'remainder'", where);
    if (!rule.through) return;
    if (rule.kind != Split::Kind::last && rule.kind != Split::Kind::last_const)
      fail(where, "only 'last' and 'last_const' cut off a piece that goes on 'through' the sum");
    if (rule.format == NodeFormat::wide) fail(where, "a sum goes 'through' in the narrow format");
    if (rule.right.kind != Child::Kind::sub)
      fail(where, "the right child of a split 'through' must be a sub-order");
  }

  void operator()(const Parts& rule) const {
    check_positive(rule.m, "the block length", where);
    if (rule.format == NodeFormat::exact) fail(where, "every sum of parts is rounded");
    check_positive(rule.u, "the rounding", where);
    const bool blocks = rule.kind == Parts::Kind::balanced_up ||
                        rule.kind == Parts::Kind::balanced_ceil || rule.kind == Parts::Kind::fixed;
    if (blocks ? rule.count != 0 : (rule.count < 2 || rule.count > (1 << 24)))
      fail(where, "a parts rule with a count needs 2..2^24 parts, one of blocks has none");
    check(rule.child, order, where);
    if (rule.scale == Scale::x || rule.scale == Scale::y)
      fail(where, "alpha meets a piece as a whole: 'rounded' or 'fused'");
    if (rule.onto != Parts::Onto::none || rule.scale != Scale::none)
      check_shrinks(rule.child, order, regime, "the child of parts with 'onto' or 'scale'", where);
  }

  void operator()(const Windows& rule) const {
    if (rule.width < 2 || rule.width > kMaxWindow)
      fail(where, "the width of a window must be in 2..4096, not " + std::to_string(rule.width));
    if (regime.lo <= rule.width)
      fail(where, "windows need more than " + std::to_string(rule.width) + " summands");
    check(rule.piece, order, where);
    check(rule.values, order, where);
    if (rule.piece.kind != Child::Kind::sub) fail(where, "what adds a window must be a sub-order");
    if (!covers(order.subs[static_cast<std::size_t>(rule.piece.index)], rule.width))
      fail(where, "what adds a window is not defined at its width");
  }
};

bool is_plain(const Schema& schema) {
  for (const Chain& chain : schema.chains)
    for (const Item& item : chain.items)
      if (item.shape.is_leaf() && !item.shape.is_sub() && item.shape.leaf != Leaf::rounded &&
          item.shape.leaf != Leaf::zero)
        return false;
  return true;
}

// Whether every summand of the order and its sub-orders is rounded.
bool is_plain(const Order& order) {
  for (const Regime& regime : order.regimes) {
    if (const auto* trees = std::get_if<Explicit>(&regime.rule))
      for (const auto& entry : trees->entries)
        if (!is_plain(entry.tree)) return false;
    if (const auto* loop = std::get_if<Loop>(&regime.rule))
      for (const Loop::Case& c : loop->cases)
        if (!is_plain(c.schema)) return false;
  }
  return std::all_of(order.subs.begin(), order.subs.end(),
                     [](const Order& sub) { return is_plain(sub); });
}

// The sums of windows are summands in turn, which only one kind of summand allows.
void check_windows(const Order& order, const std::string& where, int depth) {
  if (!std::any_of(order.regimes.begin(), order.regimes.end(),
                   [](const auto& r) { return std::holds_alternative<Windows>(r.rule); }))
    return;
  if (depth > 0) fail(where, "a sub-order has no windows");
  if (is_update(order)) fail(where, "the order of a matrix update has no windows");
  if (has_wide(order) || has_fused_nodes(order) || !is_plain(order))
    fail(where, "'windows' allows rounded summands only: no wide or fused additions");
}

// A matrix update says of each product where alpha meets it; a sub-order does not.
void check_sub_runs(const Order& order, const std::string& where) {
  const bool has_runs = std::any_of(order.regimes.begin(), order.regimes.end(),
                                    [](const auto& r) { return has_sub_runs(r.rule); });
  if (has_runs && is_update(order))
    fail(where, "the order of a matrix update has no leaves that a sub-order adds");
}

// What goes on from the sum so far does nothing else, or its output leaf would have two meanings.
void check_running(const Order& order, const std::string& where) {
  const std::vector<bool> running = running_subs(order);
  const auto names = [&](const Child& child, std::size_t sub) {
    return child.kind == Child::Kind::sub && static_cast<std::size_t>(child.index) == sub;
  };
  for (std::size_t k = 0; k < running.size(); ++k) {
    if (!running[k]) continue;
    const std::string here = where + ", sub " + std::to_string(k);
    if (!begins_with_output(order.subs[k]))
      fail(here,
           "goes on from the sum so far, so each of its trees must begin with 'out' and have "
           "no other");
    for (const Regime& regime : order.regimes) {
      const auto* split = std::get_if<Split>(&regime.rule);
      const auto* parts = std::get_if<Parts>(&regime.rule);
      if ((split != nullptr &&
           (names(split->left, k) || (!split->through && names(split->right, k)))) ||
          (parts != nullptr && names(parts->child, k)))
        fail(here, "both goes on from the sum so far and is a piece of its own");
    }
  }
}

void check_flush(const Order& order, const std::string& where, int depth) {
  if (order.flush == Flush::none) return;
  if (depth > 0) fail(where, "a sub-order does not flush by itself: the whole order says 'flush'");
  if (is_update(order)) fail(where, "the order of a matrix update has no 'flush'");
  if (has_wide(order) || has_fused_nodes(order))
    fail(where, "'flush' allows no wide or fused additions");
}

void check(const Order& order, const std::string& where, int depth) {
  if (depth > kMaxSubDepth)
    fail(where, "sub-orders are nested deeper than " + std::to_string(kMaxSubDepth));
  if (order.regimes.empty()) fail(where, "has no regime");
  if (depth == 0 && order.regimes[0].lo != 1) fail(where, "the first regime must start at 1");
  std::int64_t previous = 0;
  for (std::size_t k = 0; k < order.regimes.size(); ++k) {
    const Regime& regime = order.regimes[k];
    const std::string here = where + ", regime " + std::to_string(k);
    if (regime.lo <= previous || regime.hi < regime.lo || regime.hi > kMaxLeaves)
      fail(here, "range " + std::to_string(regime.lo) + ".." + std::to_string(regime.hi) +
                     " is empty, out of order or beyond 2^40");
    previous = regime.hi;
    std::visit(RuleChecker{order, regime, here}, regime.rule);
  }
  for (std::size_t k = 0; k < order.subs.size(); ++k)
    check(order.subs[k], where + ", sub " + std::to_string(k), depth + 1);
  check_running(order, where);
  check_sub_runs(order, where);
  check_flush(order, where, depth);
  check_windows(order, where, depth);
}

}  // namespace

void validate(const Order& order) { check(order, "order", 0); }

bool Order::operator==(const Order& other) const {
  return zero_start == other.zero_start && flush == other.flush && regimes == other.regimes &&
         subs == other.subs;
}

std::strong_ordering Order::operator<=>(const Order& other) const {
  if (const auto c = zero_start <=> other.zero_start; c != 0) return c;
  if (const auto c = regimes <=> other.regimes; c != 0) return c;
  if (const auto c = flush <=> other.flush; c != 0) return c;
  return subs <=> other.subs;
}

}  // namespace reprosum::spec
