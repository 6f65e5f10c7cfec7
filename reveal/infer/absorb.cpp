// Fewer and longer regimes with the same meaning.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "reveal/infer/engine.h"
#include "reveal/infer/tree_tools.h"

namespace reprosum::reveal::generalize {
namespace {

constexpr std::int64_t kSwallowed = 3000;  // only small sizes are compared one by one

void for_each_child(spec::Order& order, const std::function<void(spec::Child&)>& visit) {
  for (spec::Regime& regime : order.regimes) {
    if (auto* split = std::get_if<spec::Split>(&regime.rule)) {
      visit(split->left);
      visit(split->right);
    } else if (auto* parts = std::get_if<spec::Parts>(&regime.rule)) {
      visit(parts->child);
    } else if (auto* windows = std::get_if<spec::Windows>(&regime.rule)) {
      visit(windows->piece);
      visit(windows->values);
    }
  }
}

// The order with regime k starting at lo; regimes wholly below are erased and references
// renumbered. nullopt if a rule that others refer to would be lost.
std::optional<spec::Order> lowered(const spec::Order& order, std::size_t k, std::int64_t lo) {
  spec::Order result = order;
  std::vector<std::int32_t> renumbered(order.regimes.size(), -1);
  std::vector<spec::Regime> kept;
  for (std::size_t i = 0; i < order.regimes.size(); ++i) {
    spec::Regime regime = order.regimes[i];
    if (i == k) regime.lo = lo;
    if (i < k) regime.hi = std::min(regime.hi, lo - 1);
    if (regime.hi < regime.lo) continue;
    if (auto* listed = std::get_if<spec::Explicit>(&regime.rule))
      std::erase_if(listed->entries, [&](const auto& entry) { return entry.n > regime.hi; });
    renumbered[i] = static_cast<std::int32_t>(kept.size());
    kept.push_back(std::move(regime));
  }
  result.regimes = std::move(kept);
  bool lost = false;
  for_each_child(result, [&](spec::Child& child) {
    if (child.kind != spec::Child::Kind::regime) return;
    child.index = renumbered[static_cast<std::size_t>(child.index)];
    lost = lost || child.index < 0;
  });
  if (lost) return std::nullopt;
  return result;
}

}  // namespace

void absorb(spec::Order& order, std::int64_t first) {
  for (std::size_t k = order.regimes.size(); k-- > 1;) {
    if (k >= order.regimes.size()) continue;
    const std::int64_t lo = order.regimes[k].lo;
    if (lo > kSwallowed || std::holds_alternative<spec::Explicit>(order.regimes[k].rule)) continue;
    spec::Order trial = order;
    std::int64_t least = lo;
    // One window is no pass.
    const auto* windows = std::get_if<spec::Windows>(&order.regimes[k].rule);
    const std::int64_t least_of_all = windows == nullptr ? first : windows->width + 1;
    while (least > least_of_all) {
      // Below the regime only its rule is asked, as the pieces of a lowered split would ask it.
      const auto next = lowered(order, k, least - 1);
      const auto old = predict(order, least - 1);
      const auto now = next ? predict(*next, least - 1) : std::nullopt;
      if (!old || !now || !same_function(*old, *now)) break;
      --least;
    }
    // A regime that others refer to stays; take the largest part that is free.
    if (const auto result = lowered(order, k, least); result && least < lo) {
      const std::size_t erased = order.regimes.size() - result->regimes.size();
      order = *result;
      k -= std::min(k, erased);
      if (k == 0) break;
      ++k;
    }
  }
  for (std::size_t k = 1; k < order.regimes.size();) {
    const spec::Regime &before = order.regimes[k - 1], &here = order.regimes[k];
    const bool same = before.hi + 1 == here.lo && before.rule == here.rule &&
                      !std::holds_alternative<spec::Explicit>(here.rule);
    const auto joined = same ? lowered(order, k, before.lo) : std::nullopt;
    if (joined) {
      order = *joined;
    } else {
      ++k;
    }
  }
}

}  // namespace reprosum::reveal::generalize
