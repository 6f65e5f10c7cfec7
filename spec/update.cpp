// What only the order of a matrix update has: the output and alpha; and the order without them.
#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/expand_schema.h"
#include "spec/running_sum.h"

namespace reprosum::spec {
namespace {

bool is_output(const Shape& shape) {
  return shape.is_leaf() && (shape.leaf == Leaf::out || shape.leaf == Leaf::out_fused);
}

bool uses(const Schema& schema) {
  for (const Chain& chain : schema.chains)
    for (const Item& item : chain.items)
      if (item.shape.scale != Scale::none || item.shape.skip != Skip::none || is_output(item.shape))
        return true;
  return false;
}
bool uses(const Explicit& rule) {
  return std::any_of(rule.entries.begin(), rule.entries.end(),
                     [](const auto& entry) { return uses(entry.tree); });
}
bool uses(const Loop& rule) {
  return std::any_of(rule.cases.begin(), rule.cases.end(),
                     [](const auto& c) { return uses(c.schema); });
}
bool uses(const Split&) { return false; }
bool takes_output(const Parts& rule) {
  return rule.onto == Parts::Onto::first || rule.onto == Parts::Onto::fused;
}
bool uses(const Windows&) { return false; }
bool uses(const Parts& rule) { return takes_output(rule) || rule.scale != Scale::none; }

// Without scales and skips; outputs stay. Recursion over sub-orders, whose depth validate() bounds.
Order without_alpha(Order order) {
  const auto strip = [](Schema& schema) {
    for (Chain& chain : schema.chains)
      for (Item& item : chain.items) {
        item.shape.scale = Scale::none;
        item.shape.skip = Skip::none;
      }
  };
  for (Regime& regime : order.regimes) {
    if (auto* trees = std::get_if<Explicit>(&regime.rule))
      for (auto& entry : trees->entries) strip(entry.tree);
    if (auto* loop = std::get_if<Loop>(&regime.rule))
      for (auto& c : loop->cases) strip(c.schema);
    if (auto* parts = std::get_if<Parts>(&regime.rule)) parts->scale = Scale::none;
  }
  for (Order& sub : order.subs) sub = without_alpha(std::move(sub));
  return order;
}

// Chains of nothing but the output go, and with them the items that name them.
Schema plain(const Schema& schema) {
  Schema out;
  std::vector<std::int32_t> renumbered;
  for (const Chain& chain : schema.chains) {
    Chain kept;
    kept.format = chain.format;
    kept.fused = chain.fused;
    for (Item item : chain.items) {
      if (is_output(item.shape)) continue;
      item.shape.scale = Scale::none;
      item.shape.skip = Skip::none;
      if (!item.shape.is_leaf()) {
        item.shape.chain = renumbered[static_cast<std::size_t>(item.shape.chain)];
        if (item.shape.chain < 0) continue;
      }
      kept.items.push_back(item);
    }
    renumbered.push_back(kept.items.empty() ? -1 : static_cast<std::int32_t>(out.chains.size()));
    if (!kept.items.empty()) out.chains.push_back(std::move(kept));
  }
  if (renumbered.back() < 0) {  // no tree of n >= 1 summands, and neither is +0
    Item zero;
    zero.shape.leaf = Leaf::zero;
    out.chains.push_back({NodeFormat::narrow, {zero}});
  }
  return out;
}

// The last n that the rule leaves in one piece; 0 if it always cuts or is not defined.
std::int64_t whole_to(const Parts& rule) {
  switch (rule.kind) {
    case Parts::Kind::balanced_up:
    case Parts::Kind::balanced_ceil:
    case Parts::Kind::fixed:
    case Parts::Kind::ceil:
    case Parts::Kind::rest:
      return rule.m;
    case Parts::Kind::floor:
    case Parts::Kind::even:
    case Parts::Kind::proportional:
      return 0;
  }
  throw InternalError("without_update: unknown kind of parts");
}

bool is_named(const Order& order, std::size_t index) {
  const auto names = [&](const Child& child) {
    return child.kind == Child::Kind::regime && static_cast<std::size_t>(child.index) == index;
  };
  return std::any_of(order.regimes.begin(), order.regimes.end(), [&](const Regime& regime) {
    if (const auto* split = std::get_if<Split>(&regime.rule))
      return names(split->left) || names(split->right);
    if (const auto* parts = std::get_if<Parts>(&regime.rule)) return names(parts->child);
    const auto* windows = std::get_if<Windows>(&regime.rule);
    return windows != nullptr && names(windows->values);
  });
}

}  // namespace

bool leaves_products_out(const Order& order) {
  const auto skips = [](const Schema& schema) {
    for (const Chain& chain : schema.chains)
      for (const Item& item : chain.items)
        if (item.shape.skip != Skip::none) return true;
    return false;
  };
  for (const Regime& regime : order.regimes) {
    if (const auto* trees = std::get_if<Explicit>(&regime.rule))
      for (const auto& entry : trees->entries)
        if (skips(entry.tree)) return true;
    if (const auto* loop = std::get_if<Loop>(&regime.rule))
      for (const auto& one : loop->cases)
        if (skips(one.schema)) return true;
  }
  return std::any_of(order.subs.begin(), order.subs.end(), leaves_products_out);
}

bool is_update(const Order& order) {
  const auto is_used = [](const Regime& regime) {
    return std::visit([](const auto& rule) { return uses(rule); }, regime.rule);
  };
  if (std::any_of(order.regimes.begin(), order.regimes.end(), is_used)) return true;
  // A sub-order that goes on from the sum so far has output leaves anyway; anything else of an
  // update in it is a sign of one.
  const std::vector<bool> running = running_subs(order);
  for (std::size_t k = 0; k < running.size(); ++k)
    if (running[k] ? without_alpha(order.subs[k]) != order.subs[k] : is_update(order.subs[k]))
      return true;
  return false;
}

Order without_update(const Order& order) {
  if (!is_update(order)) return order;
  Order out;
  out.zero_start = order.zero_start;
  const std::vector<bool> running = running_subs(order);
  for (std::size_t k = 0; k < running.size(); ++k)
    out.subs.push_back(running[k] ? without_alpha(order.subs[k]) : without_update(order.subs[k]));
  std::vector<std::int32_t> renumbered;
  const auto renumber = [&](Child& child) {
    if (child.kind == Child::Kind::regime)
      child.index = renumbered[static_cast<std::size_t>(child.index)];
  };
  for (std::size_t k = 0; k < order.regimes.size(); ++k) {
    Regime regime = order.regimes[k];
    if (auto* trees = std::get_if<Explicit>(&regime.rule)) {
      for (auto& entry : trees->entries) entry.tree = plain(entry.tree);
    } else if (auto* loop = std::get_if<Loop>(&regime.rule)) {
      for (auto& c : loop->cases) c.schema = plain(c.schema);
    } else if (auto* parts = std::get_if<Parts>(&regime.rule); parts != nullptr && uses(*parts)) {
      parts->scale = Scale::none;
      if (parts->onto == Parts::Onto::zero) {  // a single piece is folded as well
        renumbered.push_back(static_cast<std::int32_t>(out.regimes.size()));
        out.regimes.push_back(std::move(regime));
        continue;
      }
      parts->onto = Parts::Onto::none;
      // Plain parts are at least two. A single one is its child's, which `remainder` modulo 1 says;
      // the regime of the parts proper keeps the name, since it is the one applied beyond its
      // range.
      if (const std::int64_t whole = whole_to(*parts); regime.lo <= whole) {
        Split alias;
        alias.kind = Split::Kind::remainder;
        alias.left = alias.right = parts->child;
        const std::int64_t hi = regime.hi;
        if (hi <= whole && is_named(order, k))
          throw UserError("without_update: regime " + std::to_string(k) +
                          " is one piece in its range and applied beyond it");
        out.regimes.push_back({regime.lo, std::min(hi, whole), alias});
        regime.lo = whole + 1;
        if (regime.lo > hi) {
          renumbered.push_back(static_cast<std::int32_t>(out.regimes.size()) - 1);
          continue;
        }
      }
    }
    renumbered.push_back(static_cast<std::int32_t>(out.regimes.size()));
    out.regimes.push_back(std::move(regime));
  }
  for (Regime& regime : out.regimes) {
    if (auto* split = std::get_if<Split>(&regime.rule)) {
      renumber(split->left);
      renumber(split->right);
    } else if (auto* parts = std::get_if<Parts>(&regime.rule)) {
      renumber(parts->child);
    }
  }
  return out;
}

}  // namespace reprosum::spec
