// Names of routines, and the one form of specs with one meaning.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "spec/canonical_region.h"
#include "spec/error.h"
#include "spec/spec.h"

namespace reprosum::spec {
namespace {

template <class AnySpec, class Visit>
void for_each_class(AnySpec& spec, Visit visit) {
  for (auto& entry : spec.matrices)
    for (auto& regime : entry.regimes)
      for (auto& c : regime.classes) visit(c);
}

}  // namespace

const char* name(Routine routine) {
  switch (routine) {
    case Routine::sum:
      return "sum";
    case Routine::dot:
      return "dot";
    case Routine::gemv:
      return "gemv";
    case Routine::gemm:
      return "gemm";
  }
  throw InternalError("name: unknown routine");
}

std::string blas_name(Routine routine, Type type) {
  if (!is_native(type)) return std::string(name(routine)) + "(" + name(type) + ")";
  return (is_f32(type) ? "s" : "d") + std::string(name(routine));
}

std::optional<std::pair<Routine, Type>> routine_from_blas_name(const std::string& text) {
  for (const Routine routine : {Routine::sum, Routine::dot, Routine::gemv, Routine::gemm})
    for (const Type type : {Type::f32, Type::f64})
      if (text == blas_name(routine, type)) return std::pair{routine, type};
  const std::size_t open = text.find('(');
  if (open == std::string::npos || !text.ends_with(')')) return std::nullopt;
  const auto type = type_from_name(std::string_view(text).substr(open + 1, text.size() - open - 2));
  for (const Routine routine : {Routine::sum, Routine::dot, Routine::gemv, Routine::gemm})
    if (type && text == blas_name(routine, *type)) return std::pair{routine, *type};
  return std::nullopt;
}

void canonicalize(Spec& spec) {
  const auto tidy = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  for (MatrixEntry& entry : spec.matrices) {
    tidy(entry.guard.increments);
    tidy(entry.guard.threads);
    canonicalize(entry.guard.addresses, entry.type);
    // Classes that no output has name no order in use.
    for (MatrixRegime& regime : entry.regimes) canonicalize(regime);
  }
  for (Entry& entry : spec.entries) {
    Guard& guard = entry.guard;
    if (entry.routine == Routine::sum) {
      for (Increments& increments : guard.increments) increments.y = 0;
      for (Residues& residues : guard.addresses.residues) residues[1] = 0;
    }
    tidy(guard.increments);
    tidy(guard.threads);
    tidy(guard.addresses.residues);
  }
  // One copy per order in use: a hostile document has many entries for one large order.
  std::vector<bool> in_use(spec.orders.size(), false);
  for (const Entry& entry : spec.entries) in_use.at(entry.order) = true;
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
  for (Entry& entry : spec.entries) entry.order = renumbered[entry.order];
  for_each_class(spec, [&](MatrixClass& c) { c.order = renumbered[c.order]; });
  spec.orders = std::move(orders);
  std::sort(spec.entries.begin(), spec.entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.routine, a.type, a.guard, a.order, a.n_max) <
           std::tie(b.routine, b.type, b.guard, b.order, b.n_max);
  });
  // Equal orders have one number now, so more classes may be equal.
  for (MatrixEntry& entry : spec.matrices)
    for (MatrixRegime& regime : entry.regimes) canonicalize(regime);
  std::sort(spec.matrices.begin(), spec.matrices.end(),
            [](const MatrixEntry& a, const MatrixEntry& b) {
              return std::tie(a.routine, a.type, a.guard, a.regimes, a.m_max, a.n_max) <
                     std::tie(b.routine, b.type, b.guard, b.regimes, b.m_max, b.n_max);
            });
  canonicalize(spec.empty_sums);
  canonicalize(spec.empty_updates);
  std::sort(spec.provenance.begin(), spec.provenance.end());
}

}  // namespace reprosum::spec
