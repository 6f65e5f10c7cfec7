#include "src/cli/entries.h"

#include <fmt/core.h>

#include "spec/conditions.h"
#include "spec/json.h"
#include "spec/surface.h"

namespace reprosum::cli {

std::string routine_name(const spec::Entry& entry) {
  return spec::blas_name(entry.routine, entry.type);
}

std::string routine_name(const spec::MatrixEntry& entry) {
  return spec::name_of(entry.routine, entry.type, entry.guard.trans_a, entry.guard.trans_b);
}

std::string increments_text(const spec::Guard& guard, spec::Routine routine) {
  if (routine == spec::Routine::gemm) return "";
  return spec::text_of(guard.increments, routine != spec::Routine::sum);
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
              {"random_vectors", c.random_vectors},
              {"random_sizes", c.random_sizes},
              {"classes", c.classes},
              {"every_size_to", c.every_size_to},
              {"largest", c.largest},
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
  const spec::Order& order = spec.orders.at(entry.order);
  return Json{{"routine", routine_name(entry)},
              {"guard", spec::json_of(entry.guard, entry.routine)},
              {"n_max", entry.n_max},
              {"order", spec::describe(order)},
              {"order_sha256", spec::meaning_hash(order)},
              {"certificate", to_json(entry.certificate)}};
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

}  // namespace reprosum::cli
