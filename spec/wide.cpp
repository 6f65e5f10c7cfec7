// Whether anything of an order is added in the wide format.
#include <algorithm>
#include <variant>

#include "spec/expand.h"

namespace reprosum::spec {
namespace {

bool is_wide(const Schema& schema) {
  return std::any_of(schema.chains.begin(), schema.chains.end(),
                     [](const Chain& chain) { return chain.format == Format::wide; });
}

bool is_wide(const Rule& rule) {
  if (const auto* loop = std::get_if<Loop>(&rule))
    return std::any_of(loop->cases.begin(), loop->cases.end(),
                       [](const auto& one) { return is_wide(one.schema); });
  if (const auto* trees = std::get_if<Explicit>(&rule))
    return std::any_of(trees->entries.begin(), trees->entries.end(),
                       [](const auto& entry) { return is_wide(entry.tree); });
  if (const auto* split = std::get_if<Split>(&rule)) return split->format == Format::wide;
  const auto* parts = std::get_if<Parts>(&rule);
  return parts != nullptr && parts->format == Format::wide;
}

}  // namespace

bool has_wide(const Order& order) {
  return std::any_of(order.regimes.begin(), order.regimes.end(),
                     [](const Regime& regime) { return is_wide(regime.rule); }) ||
         std::any_of(order.subs.begin(), order.subs.end(), has_wide);
}

}  // namespace reprosum::spec
