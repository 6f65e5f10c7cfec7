#include "src/cli/matrix_entries.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "spec/json.h"
#include "spec/names.h"
#include "spec/surface.h"

namespace reprosum::cli {
namespace {

std::set<std::size_t> orders_of(const spec::MatrixEntry& entry) {
  std::set<std::size_t> orders;
  for (const spec::MatrixRegime& regime : entry.regimes)
    for (const spec::MatrixClass& output : regime.classes) orders.insert(output.order);
  return orders;
}

// A bound on one size of the shapes that the regime covers; 0 if it covers none. Axes, the guard
// and k_max each give one. A regime without axes says that its shapes are not covered.
std::int64_t bound(const spec::MatrixRegime& regime, char size) {
  const auto has_class = [](const std::vector<std::int32_t>& row) {
    return std::any_of(row.begin(), row.end(), [](std::int32_t c) { return c >= 0; });
  };
  if (regime.rows.empty() || regime.columns.empty() ||
      std::none_of(regime.table.begin(), regime.table.end(), has_class))
    return 0;
  std::int64_t most =
      size == 'k' ? regime.k_max : (size == 'm' ? regime.rows : regime.columns).back().to;
  for (const spec::Atom& atom : regime.guard) {
    const bool used = size == 'm' ? atom.use_m : size == 'n' ? atom.use_n : atom.use_k;
    if (atom.kind == spec::Atom::Kind::at_most && used) most = std::min(most, atom.limit);
  }
  return most;
}

}  // namespace

spec::Shape3 largest(const spec::MatrixEntry& entry) {
  spec::Shape3 out;
  for (const spec::MatrixRegime& regime : entry.regimes) {
    out.m = std::max(out.m, std::min(entry.m_max, bound(regime, 'm')));
    out.n = std::max(out.n, std::min(entry.n_max, bound(regime, 'n')));
    out.k = std::max(out.k, bound(regime, 'k'));
  }
  return out;
}

std::string largest_text(const spec::MatrixEntry& entry) {
  const spec::Shape3 most = largest(entry);
  return entry.routine == spec::Routine::gemv ? fmt::format("{} x {}", most.m, most.k)
                                              : fmt::format("{} x {} x {}", most.m, most.n, most.k);
}

std::string rules_text(const spec::MatrixEntry& entry) {
  return plural(static_cast<std::int64_t>(entry.regimes.size()), "regime") + ", " +
         plural(static_cast<std::int64_t>(orders_of(entry).size()), "order");
}

Json to_json(const spec::MatrixCertificate& c) {
  return Json{{"shapes_learned", c.shapes_learned},
              {"shapes_checked", c.shapes_checked},
              {"outputs_checked", c.outputs_checked},
              {"special_outputs", c.special_outputs},
              {"classes", c.classes},
              {"largest", {c.largest_m, c.largest_n, c.largest_k}},
              {"calls", c.calls},
              {"seed", c.seed},
              {"not_checked", c.not_checked}};
}

Json to_json(const spec::Spec& spec, const spec::MatrixEntry& entry) {
  Json orders = Json::array();
  for (const std::size_t order : orders_of(entry))
    orders.push_back({{"order", spec::describe(spec.orders.at(order))},
                      {"order_sha256", spec::meaning_hash(spec.orders.at(order))}});
  const spec::Shape3 most = largest(entry);
  return Json{{"routine", spec::blas_name(entry.routine, entry.type)},
              {"guard", spec::json_of(entry.guard, entry.routine)},
              {"largest", {most.m, most.n, most.k}},
              {"regimes", entry.regimes.size()},
              {"orders", orders},
              {"certificate", to_json(entry.certificate)}};
}

}  // namespace reprosum::cli
