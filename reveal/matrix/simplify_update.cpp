#include "reveal/matrix/simplify_update.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

using spec::Order;

constexpr std::int64_t kEverySize = 700;  // trees up to this size are compared one by one
constexpr std::int64_t kStride = 37;      // and every so many beyond

void share_subs(Order& order) {
  std::vector<Order> kept;
  std::vector<std::int32_t> renumbered;
  for (Order& sub : order.subs) {
    const auto it = std::find(kept.begin(), kept.end(), sub);
    renumbered.push_back(static_cast<std::int32_t>(it - kept.begin()));
    if (it == kept.end()) kept.push_back(std::move(sub));
  }
  order.subs = std::move(kept);
  const auto renumber = [&](spec::Child& child) {
    if (child.kind == spec::Child::Kind::sub)
      child.index = renumbered[static_cast<std::size_t>(child.index)];
  };
  for (spec::Regime& regime : order.regimes) {
    if (auto* parts = std::get_if<spec::Parts>(&regime.rule)) renumber(parts->child);
    if (auto* split = std::get_if<spec::Split>(&regime.rule)) {
      renumber(split->left);
      renumber(split->right);
    }
  }
}

bool same_trees(const Order& a, const Order& b, std::int64_t lo, std::int64_t hi) {
  try {
    for (std::int64_t n = lo; n <= hi; n += n - lo < kEverySize && hi - n > 2 ? 1 : kStride)
      if (spec::expand(a, n) != spec::expand(b, n)) return false;
    return spec::expand(a, hi) == spec::expand(b, hi);
  } catch (const UserError&) {
    return false;
  }
}

// What ends where the looking ended has no end of its own, in a sub-order either.
void open_ends(Order& order, std::int64_t k_max) {
  spec::Regime& last = order.regimes.back();
  if (last.hi == k_max && !std::holds_alternative<spec::Explicit>(last.rule))
    last.hi = spec::kMaxLeaves;
  for (Order& sub : order.subs) open_ends(sub, k_max);
}

}  // namespace

void simplify_update(Order& order, std::int64_t k_max) {
  for (std::size_t k = order.regimes.size(); k-- > 1;) {
    if (k >= order.regimes.size()) continue;
    if (std::holds_alternative<spec::Explicit>(order.regimes[k].rule)) continue;
    Order joined = order;
    joined.regimes[k].lo = order.regimes[k - 1].lo;
    joined.regimes.erase(joined.regimes.begin() + static_cast<std::ptrdiff_t>(k) - 1);
    const spec::Regime& below = order.regimes[k - 1];
    const bool same_rule = below.rule == order.regimes[k].rule;
    if (same_rule || same_trees(order, joined, below.lo, std::min(below.hi, k_max)))
      order = std::move(joined);
  }
  // Sub-orders that no regime names any more.
  Order used = order;
  used.subs.clear();
  const auto take = [&](spec::Child& child) {
    if (child.kind != spec::Child::Kind::sub) return;
    used.subs.push_back(order.subs[static_cast<std::size_t>(child.index)]);
    child.index = static_cast<std::int32_t>(used.subs.size()) - 1;
  };
  for (spec::Regime& regime : used.regimes) {
    if (auto* parts = std::get_if<spec::Parts>(&regime.rule)) take(parts->child);
    if (auto* split = std::get_if<spec::Split>(&regime.rule)) {
      take(split->left);
      take(split->right);
    }
  }
  order = std::move(used);
  share_subs(order);
  spec::Regime& last = order.regimes.back();
  if (!std::holds_alternative<spec::Explicit>(last.rule)) last.hi = spec::kMaxLeaves;
  for (Order& sub : order.subs) open_ends(sub, k_max);
}

}  // namespace reprosum::reveal
