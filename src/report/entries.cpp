#include "src/report/entries.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "spec/conditions.h"
#include "spec/json.h"
#include "spec/surface.h"

namespace reprosum::report {
namespace {

std::set<std::size_t> orders_of(const spec::Entry& entry) {
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

std::string routine_name(const spec::Entry& entry) {
  return spec::name_of(entry.routine, entry.type, entry.guard.trans_a, entry.guard.trans_b);
}

spec::Shape3 largest(const spec::Entry& entry) {
  spec::Shape3 out;
  for (const spec::MatrixRegime& regime : entry.regimes) {
    out.m = std::max(out.m, std::min(entry.m_max, bound(regime, 'm')));
    out.n = std::max(out.n, std::min(entry.n_max, bound(regime, 'n')));
    out.k = std::max(out.k, bound(regime, 'k'));
  }
  return out;
}

std::string largest_text(const spec::Entry& entry) {
  const spec::Shape3 most = largest(entry);
  return spec::has_matrices(entry.routine) ? sizes_text(most, entry.routine)
                                           : shape_text(most, entry.routine);
}

std::string sizes_text(const spec::Shape3& shape, spec::Routine routine) {
  return routine == spec::Routine::gemv ? fmt::format("{} x {}", shape.m, shape.k)
                                        : fmt::format("{} x {} x {}", shape.m, shape.n, shape.k);
}

std::string shape_text(const spec::Shape3& shape, spec::Routine routine) {
  const std::string m = with_commas(shape.m), n = with_commas(shape.n), k = with_commas(shape.k);
  if (!spec::has_matrices(routine)) return "n = " + k;
  return routine == spec::Routine::gemv ? fmt::format("m = {}, k = {}", m, k)
                                        : fmt::format("m = {}, n = {}, k = {}", m, n, k);
}

std::string summary(const spec::Spec& spec, const spec::Entry& entry) {
  if (!spec::has_matrices(entry.routine)) return spec::describe(spec.orders.at(order_of(entry)));
  return plural(std::ssize(entry.regimes), "regime") + ", " +
         plural(std::ssize(orders_of(entry)), "order");
}

std::string increments_text(const std::vector<spec::Increments>& increments,
                            spec::Routine routine) {
  if (routine == spec::Routine::gemm) return "";
  return spec::text_of(increments, routine != spec::Routine::sum);
}

std::string threads_text(const spec::Guard& guard) {
  std::string out;
  for (const int t : guard.threads) out += fmt::format("{}{}", out.empty() ? "" : " ", t);
  return out;
}

std::string addresses_text(const spec::Guard& guard, spec::Routine routine) {
  std::string out = spec::describe(guard.addresses, routine);
  if (guard.alignment > 1)
    out += fmt::format("{}multiples of {}", out.empty() ? "" : ", ", guard.alignment);
  return out.empty() ? "any" : out;
}

std::string limits_text(const spec::Guard& guard, spec::Routine routine) {
  // What has columns of its own in the tables is no limit.
  spec::Guard limits = guard;
  limits.alignment = 1;
  limits.addresses = {};
  std::string out;
  for (const spec::Condition& condition : spec::conditions()) {
    const std::string_view name = condition.name;
    if (!spec::has(condition, routine) || name == "increments" || name == "threads" ||
        name == "row_major")
      continue;
    const std::string text = condition.text(limits, routine);
    if (!text.empty()) out += (out.empty() ? "" : ", ") + text;
  }
  return out;
}

std::string refusal_text(const spec::Refusal& refusal) {
  std::string place = refusal.context;
  if (place.rfind(refusal.routine, 0) != 0) place = fmt::format("{} {}", refusal.routine, place);
  while (!place.empty() && place.back() == ' ') place.pop_back();
  return fmt::format("{}: {}\n", place, refusal.reason) + wrapped(refusal.detail, 90, "    ");
}

std::string classes_text(const std::map<std::string, std::int64_t>& classes) {
  std::string text;
  for (const auto& [name, count] : classes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, with_commas(count));
  return text;
}

Json to_json(const spec::Certificate& c) {
  return Json{{"revealed_sizes", c.revealed},
              {"all_node_sizes", c.all_nodes},
              {"repetitions", c.repetitions},
              {"probed_sizes", c.probed.size()},
              {"probes_per_size", c.probes_per_size},
              {"shapes_learned", c.shapes_learned},
              {"shapes_checked", c.shapes_checked},
              {"outputs_checked", c.outputs_checked},
              {"special_outputs", c.special_outputs},
              {"classes", c.classes},
              {"every_size_to", c.every_size_to},
              {"largest", {c.largest.m, c.largest.n, c.largest.k}},
              {"calls", c.calls},
              {"seed", c.seed},
              {"not_checked", c.not_checked}};
}

Json to_json(const spec::Refusal& refusal) {
  return Json{{"routine", refusal.routine},
              {"context", refusal.context},
              {"reason", refusal.reason},
              {"detail", refusal.detail}};
}

Json to_json(const spec::Spec& spec, const spec::Entry& entry) {
  Json orders = Json::array();
  for (const std::size_t order : orders_of(entry))
    orders.push_back({{"order", spec::describe(spec.orders.at(order))},
                      {"order_sha256", spec::meaning_hash(spec.orders.at(order))}});
  const spec::Shape3 most = largest(entry);
  Json out{{"routine", spec::blas_name(entry.routine, entry.type)},
           {"guard", spec::json_of(entry.guard, entry.routine)},
           {"largest", {most.m, most.n, most.k}},
           {"regimes", entry.regimes.size()},
           {"orders", orders},
           {"certificate", to_json(entry.certificate)}};
  if (!spec::has_matrices(entry.routine)) {  // sum and dot have one order
    out["n_max"] = most.k;
    out.update(orders.at(0));
  }
  return out;
}

Json provenance_json(const spec::Spec& spec) {
  Json out = Json::object();
  for (const auto& [key, value] : spec.provenance) out[key] = value;
  return out;
}

std::string provenance(const spec::Spec& spec, const std::string& key) {
  for (const auto& [name, value] : spec.provenance)
    if (name == key) return value;
  return {};
}

std::string origin(const spec::Spec& spec) {
  const std::string target = provenance(spec, "target"), cpu = provenance(spec, "cpu");
  return target + (target.empty() || cpu.empty() ? "" : " on ") + cpu;
}

}  // namespace reprosum::report
