#include "reveal/matrix/buffered_update.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "reveal/matrix/rule_update.h"
#include "reveal/matrix/schema_update.h"
#include "spec/running_sum.h"

namespace reprosum::reveal {
namespace {

using spec::Chain;
using spec::Item;
using spec::Leaf;
using spec::Order;
using spec::Schema;

constexpr spec::Linear kOnce{0, 0, 1};

bool starts_with_zero(const Schema& schema) {
  const Item& first = schema.chains.back().items.front();
  return first.shape.is_leaf() && first.shape.leaf == Leaf::zero;
}

// Applies `change` to every schema of the order's own regimes.
template <class Change>
void for_each_schema(Order& order, Change change) {
  for (spec::Regime& regime : order.regimes) {
    if (auto* listed = std::get_if<spec::Explicit>(&regime.rule))
      for (auto& entry : listed->entries) change(entry.tree);
    if (auto* loop = std::get_if<spec::Loop>(&regime.rule))
      for (auto& one : loop->cases) change(one.schema);
  }
}

// A fused output adds beta*c to a value, and so +0.
void start_at_zero(Schema& schema) {
  for (Chain& chain : schema.chains)
    for (Item& item : chain.items)
      if (item.shape.is_leaf() &&
          (item.shape.leaf == Leaf::out || item.shape.leaf == Leaf::out_fused))
        item.shape.leaf = Leaf::zero;
}

void start_at_zero(Order& order) {
  for_each_schema(order, [](Schema& schema) { start_at_zero(schema); });
  for (spec::Regime& regime : order.regimes) {
    auto* parts = std::get_if<spec::Parts>(&regime.rule);
    if (parts != nullptr && parts->onto != spec::Parts::Onto::none)
      parts->onto = spec::Parts::Onto::zero;
  }
  const std::vector<bool> running = spec::running_subs(order);
  for (std::size_t k = 0; k < running.size(); ++k)
    if (!running[k]) start_at_zero(order.subs[k]);  // others name the sum so far
}

}  // namespace

std::optional<Schema> buffered_sum(const Schema& plain) {
  auto stripped = without_zero_start(plain);
  if (!stripped) return stripped;
  // A first product is fused with nothing any more, so that alpha can meet it as a value.
  Item& first = stripped->chains.back().items.front();
  if (first.shape.is_leaf() && first.shape.leaf == Leaf::fused && first.times == kOnce &&
      first.times2 == kOnce)
    first.shape.leaf = Leaf::rounded;
  return stripped;
}

Schema behind_buffer(const Schema& update) {
  Schema buffer = update;
  start_at_zero(buffer);
  Item output, sum;
  output.shape.leaf = Leaf::out;
  sum.shape.chain = static_cast<std::int32_t>(buffer.chains.size()) - 1;
  buffer.chains.push_back({spec::NodeFormat::narrow, {output, sum}});
  return buffer;
}

bool has_zero_start(const Order& plain) {
  if (plain.zero_start) return true;
  Order copy = plain;
  bool found = false;
  for_each_schema(copy, [&](Schema& schema) { found = found || starts_with_zero(schema); });
  return found;
}

Order without_zero_start(const Order& plain) {
  Order result = plain;
  result.zero_start = false;
  for_each_schema(result, [](Schema& schema) {
    if (auto stripped = buffered_sum(schema)) schema = *std::move(stripped);
  });
  return result;
}

Order from_zero(Order update) {
  start_at_zero(update);
  return update;
}

Order behind_buffer(const Order& update) {
  RuleUpdate whole = whole_sum(from_zero(update), spec::Parts::Onto::first, spec::Scale::none);
  return {false, {{1, spec::kMaxLeaves, std::move(whole.rule)}}, std::move(whole.subs)};
}

}  // namespace reprosum::reveal
