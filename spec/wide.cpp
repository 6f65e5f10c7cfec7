// Whether anything of an order is added in the wide format, or by fused nodes.
#include <algorithm>
#include <variant>

#include "spec/expand.h"

namespace reprosum::spec {
namespace {

bool is_wide(const Schema& schema) {
  return std::any_of(schema.chains.begin(), schema.chains.end(),
                     [](const Chain& chain) { return chain.format == NodeFormat::wide; });
}

bool is_wide(const Rule& rule) {
  if (const auto* loop = std::get_if<Loop>(&rule))
    return std::any_of(loop->cases.begin(), loop->cases.end(),
                       [](const auto& one) { return is_wide(one.schema); });
  if (const auto* trees = std::get_if<Explicit>(&rule))
    return std::any_of(trees->entries.begin(), trees->entries.end(),
                       [](const auto& entry) { return is_wide(entry.tree); });
  if (const auto* split = std::get_if<Split>(&rule)) return split->format == NodeFormat::wide;
  const auto* parts = std::get_if<Parts>(&rule);
  return parts != nullptr && parts->format == NodeFormat::wide;
}

bool has_fused_nodes(const Schema& schema) {
  return std::any_of(schema.chains.begin(), schema.chains.end(),
                     [](const Chain& chain) { return chain.fused.terms > 0; });
}

}  // namespace

bool has_fused_nodes(const Rule& rule) {
  if (const auto* loop = std::get_if<Loop>(&rule))
    return std::any_of(loop->cases.begin(), loop->cases.end(),
                       [](const auto& one) { return has_fused_nodes(one.schema); });
  const auto* trees = std::get_if<Explicit>(&rule);
  return trees != nullptr &&
         std::any_of(trees->entries.begin(), trees->entries.end(),
                     [](const auto& entry) { return has_fused_nodes(entry.tree); });
}

bool has_fused_nodes(const Order& order) {
  return std::any_of(order.regimes.begin(), order.regimes.end(),
                     [](const Regime& regime) { return has_fused_nodes(regime.rule); }) ||
         std::any_of(order.subs.begin(), order.subs.end(),
                     [](const Order& sub) { return has_fused_nodes(sub); });
}

bool has_fused_nodes(const Tree& tree) {
  const auto& ops = tree.ops;
  const auto is_product = [&](std::size_t k) {
    return ops[k].kind == TreeOp::Kind::leaf && ops[k].leaf == Leaf::fused;
  };
  for (std::size_t k = 2; k < ops.size(); ++k)
    if (ops[k].kind == TreeOp::Kind::add &&
        (ops[k].format == NodeFormat::exact || (is_product(k - 2) && is_product(k - 1))))
      return true;
  return false;
}

bool has_wide(const Order& order) {
  return std::any_of(order.regimes.begin(), order.regimes.end(),
                     [](const Regime& regime) { return is_wide(regime.rule); }) ||
         std::any_of(order.subs.begin(), order.subs.end(), has_wide);
}

}  // namespace reprosum::spec
