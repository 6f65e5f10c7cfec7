#include "spec/running_sum.h"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "spec/expand.h"

namespace reprosum::spec {
namespace {

constexpr Linear kOnce{0, 0, 1};

bool is_output(const Item& item) {
  return item.shape.is_leaf() &&
         (item.shape.leaf == Leaf::out || item.shape.leaf == Leaf::out_fused);
}

// How many items of all chains are the output, or name this chain.
template <class Is>
std::ptrdiff_t count(const Schema& schema, Is is) {
  std::ptrdiff_t all = 0;
  for (const Chain& chain : schema.chains)
    all += std::count_if(chain.items.begin(), chain.items.end(), is);
  return all;
}

bool begins(const Explicit& rule, const Order&) {
  return std::all_of(rule.entries.begin(), rule.entries.end(),
                     [](const auto& entry) { return begins_with_output(entry.tree); });
}

bool begins(const Loop& rule, const Order&) {
  return !rule.pad && std::all_of(rule.cases.begin(), rule.cases.end(),
                                  [](const auto& c) { return begins_with_output(c.schema); });
}

bool begins(const Split& rule, const Order&) {
  return rule.through && rule.left.kind == Child::Kind::self;
}

bool begins(const Parts& rule, const Order& order) {
  return rule.onto == Parts::Onto::first && rule.child.kind == Child::Kind::sub &&
         !is_update(order.subs[static_cast<std::size_t>(rule.child.index)]);
}

bool begins(const Windows&, const Order&) { return false; }

}  // namespace

std::vector<bool> running_subs(const Order& order) {
  std::vector<bool> running(order.subs.size());
  for (const Regime& regime : order.regimes)
    if (const auto* split = std::get_if<Split>(&regime.rule); split != nullptr && split->through)
      running[static_cast<std::size_t>(split->right.index)] = true;
  return running;
}

bool has_running_sum(const Order& order) {
  const auto is_through = [](const Regime& regime) {
    const auto* split = std::get_if<Split>(&regime.rule);
    return split != nullptr && split->through;
  };
  return std::any_of(order.regimes.begin(), order.regimes.end(), is_through) ||
         std::any_of(order.subs.begin(), order.subs.end(), has_running_sum);
}

bool begins_with_output(const Schema& schema) {
  if (count(schema, is_output) != 1) return false;
  for (std::size_t at = schema.chains.size() - 1;;) {
    const Chain& chain = schema.chains[at];
    const Item& first = chain.items.front();
    if (first.times != kOnce || first.times2 != kOnce || first.shape.scale != Scale::none)
      return false;
    if (first.shape.is_leaf()) return first.shape.leaf == Leaf::out;
    const std::int32_t next = first.shape.chain;
    if (count(schema, [&](const Item& item) { return item.shape.chain == next; }) != 1)
      return false;
    at = static_cast<std::size_t>(next);
  }
}

bool begins_with_output(const Order& order) {
  return !order.zero_start &&
         std::all_of(order.regimes.begin(), order.regimes.end(), [&](const Regime& regime) {
           return std::visit([&](const auto& rule) { return begins(rule, order); }, regime.rule);
         });
}

}  // namespace reprosum::spec
