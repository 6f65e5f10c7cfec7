#include "spec/sub_runs.h"

#include <algorithm>
#include <variant>

#include "spec/expand.h"

namespace reprosum::spec {

bool has_sub_runs(const Schema& schema) {
  return std::any_of(schema.chains.begin(), schema.chains.end(), [](const Chain& chain) {
    return std::any_of(chain.items.begin(), chain.items.end(),
                       [](const Item& item) { return item.shape.is_sub(); });
  });
}

bool has_sub_runs(const Rule& rule) {
  if (const auto* trees = std::get_if<Explicit>(&rule))
    return std::any_of(trees->entries.begin(), trees->entries.end(),
                       [](const auto& entry) { return has_sub_runs(entry.tree); });
  if (const auto* loop = std::get_if<Loop>(&rule))
    return std::any_of(loop->cases.begin(), loop->cases.end(),
                       [](const auto& one) { return has_sub_runs(one.schema); });
  return false;
}

bool has_sub_runs(const Order& order) {
  return std::any_of(order.regimes.begin(), order.regimes.end(),
                     [](const Regime& regime) { return has_sub_runs(regime.rule); }) ||
         std::any_of(order.subs.begin(), order.subs.end(),
                     [](const Order& sub) { return has_sub_runs(sub); });
}

}  // namespace reprosum::spec
