#include "src/cli/entries.h"

#include <fmt/core.h>

#include "spec/json.h"
#include "spec/surface.h"

namespace reprosum::cli {

std::string routine_name(const spec::Entry& entry) {
  return spec::blas_name(entry.routine, entry.type);
}

std::string increments_text(const spec::Entry& entry) {
  return spec::text_of(entry.guard.increments, entry.routine != spec::Routine::sum);
}

std::string threads_text(const spec::Entry& entry) {
  std::string out;
  for (const int t : entry.guard.threads) {
    if (!out.empty()) out += ' ';
    out += std::to_string(t);
  }
  return out;
}

std::string alignment_text(const spec::Guard& guard) {
  if (guard.modulus <= 1) return "any";
  std::string out = fmt::format("mod {}:", guard.modulus);
  constexpr std::size_t kShown = 6;
  for (std::size_t i = 0; i < guard.residues.size() && i < kShown; ++i)
    out += fmt::format(" {}:{}", guard.residues[i].first, guard.residues[i].second);
  if (guard.residues.size() > kShown)
    out += fmt::format(" and {} more", guard.residues.size() - kShown);
  return out;
}

std::string context_text(const spec::Entry& entry) {
  return fmt::format(
      "inc {}, threads {}, {}", increments_text(entry), threads_text(entry),
      entry.guard.modulus <= 1 ? "any alignment" : "alignment " + alignment_text(entry.guard));
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

Json to_json(const spec::Guard& guard) {
  Json out;
  out["increments"] = spec::json_of(guard.increments);
  out["threads"] = guard.threads;
  out["modulus"] = guard.modulus;
  if (guard.modulus > 1) out["residues"] = guard.residues;
  return out;
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
              {"guard", to_json(entry.guard)},
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
