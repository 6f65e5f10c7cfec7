#include "spec/diff_rules.h"

#include <algorithm>
#include <set>
#include <variant>
#include <vector>

#include "spec/expand.h"

namespace reprosum::spec {
namespace {

constexpr std::size_t kMaxPiecesPerQuery = 1 << 16;

const Schema* tree_at(const Explicit& rule, std::int64_t n) {
  const auto it = std::lower_bound(rule.entries.begin(), rule.entries.end(), n,
                                   [](const auto& entry, std::int64_t v) { return entry.n < v; });
  return it != rule.entries.end() && it->n == n ? &it->tree : nullptr;
}

const Schema* schema_at(const Loop& rule, std::int64_t n) {
  if (rule.pad) return &rule.cases[0].schema;
  for (const auto& c : rule.cases)
    if (c.r_lo <= n % rule.block && n % rule.block <= c.r_hi) return &c.schema;
  return nullptr;
}

// Equal schemas whose sub-orders, where they add leaves, are equal as well.
bool same(const Schema* a, const Order& in_a, const Schema* b, const Order& in_b) {
  if (a == nullptr || b == nullptr) return a == b;
  if (*a != *b) return false;
  for (const Chain& chain : a->chains)
    for (const Item& item : chain.items)
      if (item.shape.is_sub() && in_a.subs[static_cast<std::size_t>(item.shape.sub)] !=
                                     in_b.subs[static_cast<std::size_t>(item.shape.sub)])
        return false;
  return true;
}

}  // namespace

RuleComparison::Side RuleComparison::child_of(const Side& side, const Child& child,
                                              std::int64_t n) {
  const auto index = static_cast<std::size_t>(child.index);
  switch (child.kind) {
    case Child::Kind::self:
      return {side.order, nullptr, false};
    case Child::Kind::sub:
      return {&side.order->subs[index], nullptr, true};
    case Child::Kind::regime: {
      const Regime& regime = side.order->regimes[index];
      return {side.order, n < regime.lo ? nullptr : &regime.rule, false};
    }
  }
  return {};
}

// Checks what one piece shows by itself and queues its own pieces.
bool RuleComparison::settle(const Piece& piece, std::vector<Piece>& pending) {
  const auto zero_start = [](const Side& side) { return side.whole && side.order->zero_start; };
  if (zero_start(piece.a) != zero_start(piece.b)) return false;
  const auto rule_of = [&](const Side& side) -> const Rule* {
    if (side.rule != nullptr) return side.rule;
    const Regime* regime = regime_of(*side.order, piece.n);
    return regime == nullptr ? nullptr : &regime->rule;
  };
  const Rule *a = rule_of(piece.a), *b = rule_of(piece.b);
  if (a == nullptr || b == nullptr) return a == b;  // both a single summand, or both undefined
  if (a->index() != b->index()) return false;

  const auto queue = [&](const Child& child_a, const Child& child_b, std::int64_t n) {
    pending.push_back({child_of(piece.a, child_a, n), child_of(piece.b, child_b, n), n});
  };
  if (const auto* trees = std::get_if<Explicit>(a))
    return same(tree_at(*trees, piece.n), *piece.a.order, tree_at(std::get<Explicit>(*b), piece.n),
                *piece.b.order);
  if (const auto* loop = std::get_if<Loop>(a)) {
    const auto& other = std::get<Loop>(*b);
    return loop->block == other.block && loop->pad == other.pad &&
           same(schema_at(*loop, piece.n), *piece.a.order, schema_at(other, piece.n),
                *piece.b.order);
  }
  if (const auto* split = std::get_if<Split>(a)) {
    const auto& other = std::get<Split>(*b);
    const auto h = split_point(*split, piece.n);
    if (h != split_point(other, piece.n) || split->format != other.format ||
        split->through != other.through)
      return false;
    if (!h) return true;
    queue(split->left, other.left, *h);
    if (*h == piece.n) return true;
    queue(split->right, other.right, piece.n - *h);
    return true;
  }
  if (const auto* windows = std::get_if<Windows>(a)) {
    const auto& other = std::get<Windows>(*b);
    if (windows->width != other.width) return false;
    queue(windows->piece, other.piece, windows->width);
    queue(windows->values, other.values, number_of_windows(*windows, piece.n));
    return true;
  }
  const auto &parts = std::get<Parts>(*a), &other = std::get<Parts>(*b);
  auto lengths = piece_lengths(parts, piece.n);
  if (lengths != piece_lengths(other, piece.n) || parts.format != other.format) return false;
  if (parts.onto != other.onto || parts.scale != other.scale) return false;
  if (!lengths) return true;
  std::sort(lengths->begin(), lengths->end());
  lengths->erase(std::unique(lengths->begin(), lengths->end()), lengths->end());
  for (const std::int64_t length : *lengths) queue(parts.child, other.child, length);
  return true;
}

bool RuleComparison::surely_equal(std::int64_t n) {
  std::vector<Piece> pending{{{&a_, nullptr, true}, {&b_, nullptr, true}, n}};
  std::set<Key> seen;
  while (!pending.empty()) {
    const Piece piece = pending.back();
    pending.pop_back();
    const Key key{piece.a.order, piece.a.rule,  piece.a.whole, piece.b.order,
                  piece.b.rule,  piece.b.whole, piece.n};
    if (different_.contains(key)) return false;
    if (equal_.contains(key) || !seen.insert(key).second) continue;
    if (!settle(piece, pending)) {
      different_.insert(key);
      return false;
    }
    if (seen.size() > kMaxPiecesPerQuery) return false;
  }
  equal_.merge(seen);
  return true;
}

}  // namespace reprosum::spec
