// The one form of specs with one meaning.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "spec/canonical_region.h"
#include "spec/spec.h"

namespace reprosum::spec {
namespace {

template <class AnySpec, class Visit>
void for_each_class(AnySpec& spec, Visit visit) {
  for (auto& entry : spec.entries)
    for (auto& regime : entry.regimes)
      for (auto& c : regime.classes) visit(c);
}

void canonicalize(Guard& guard, Routine routine, Type type) {
  const auto tidy = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  if (routine == Routine::sum) {
    for (Increments& increments : guard.increments) increments.y = 0;
    for (Residues& residues : guard.addresses.residues) residues[1] = 0;
  }
  tidy(guard.increments);
  tidy(guard.threads);
  if (has_matrices(routine))
    canonicalize(guard.addresses, type);
  else
    tidy(guard.addresses.residues);
}

}  // namespace

Entry entry_of_one_output(Routine routine, Type type, Guard guard, std::size_t order,
                          std::int64_t k_max) {
  Entry entry;
  entry.routine = routine;
  entry.type = type;
  entry.guard = std::move(guard);
  entry.regimes = {regime_of_one_output(order, k_max)};
  return entry;
}

std::size_t order_of(const Entry& entry) { return entry.regimes.at(0).classes.at(0).order; }

std::int64_t most_summands(const Entry& entry) {
  std::int64_t most = 0;
  for (const MatrixRegime& regime : entry.regimes) most = std::max(most, regime.k_max);
  return most;
}

void canonicalize(Spec& spec) {
  for (Entry& entry : spec.entries) {
    canonicalize(entry.guard, entry.routine, entry.type);
    // Classes that no output has name no order in use.
    for (MatrixRegime& regime : entry.regimes) canonicalize(regime);
  }
  // One copy per order in use: a hostile document has many entries for one large order.
  std::vector<bool> in_use(spec.orders.size(), false);
  for_each_class(spec, [&](const MatrixClass& c) { in_use.at(c.order) = true; });
  std::vector<Order> orders;
  for (std::size_t k = 0; k < spec.orders.size(); ++k)
    if (in_use[k]) orders.push_back(spec.orders[k]);
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  std::vector<std::size_t> renumbered(spec.orders.size(), 0);
  for (std::size_t k = 0; k < spec.orders.size(); ++k)
    renumbered[k] = static_cast<std::size_t>(
        std::lower_bound(orders.begin(), orders.end(), spec.orders[k]) - orders.begin());
  for_each_class(spec, [&](MatrixClass& c) { c.order = renumbered[c.order]; });
  spec.orders = std::move(orders);
  // Equal orders have one number now, so more classes may be equal.
  for (Entry& entry : spec.entries)
    for (MatrixRegime& regime : entry.regimes) canonicalize(regime);
  std::sort(spec.entries.begin(), spec.entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.routine, a.type, a.guard, a.regimes, a.m_max, a.n_max) <
           std::tie(b.routine, b.type, b.guard, b.regimes, b.m_max, b.n_max);
  });
  canonicalize(spec.empty_rules);
  std::sort(spec.provenance.begin(), spec.provenance.end());
}

}  // namespace reprosum::spec
