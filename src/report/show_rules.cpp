#include "src/report/show_rules.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "spec/conditions.h"
#include "spec/surface.h"
#include "src/report/context_tables.h"
#include "src/report/empty_rules.h"
#include "src/report/entries.h"
#include "src/report/region_rules.h"

namespace reprosum::report {
namespace {

constexpr std::size_t kMostSizes = 12;  // of a list, the rest is counted

std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  std::string out;
  for (std::size_t i = 0; i < sizes.size() && i < kMostSizes; ++i)
    out.append(i == 0 ? "" : " ").append(std::to_string(sizes[i]));
  if (sizes.size() > kMostSizes)
    out += fmt::format(" .. {} ({} sizes)", sizes.back(),
                       with_commas(static_cast<std::int64_t>(sizes.size())));
  return out;
}

std::string indented(const std::string& text, const std::string& margin) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    std::size_t to = text.find('\n', from);
    if (to == std::string::npos) to = text.size();
    out += margin + text.substr(from, to - from) + "\n";
    from = to + 1;
  }
  return out;
}

std::string certificate_text(const spec::Entry& entry) {
  const spec::Certificate& c = entry.certificate;
  const bool has_matrices = spec::has_matrices(entry.routine);
  std::string out;
  const auto line = [&](const char* what, const std::string& text) {
    if (!text.empty()) out += fmt::format("    {:<12} {}\n", what, text);
  };
  line("revealed", sizes_text(c.revealed));
  if (!c.all_nodes.empty())
    line("every node", fmt::format("{}, {} times each", sizes_text(c.all_nodes), c.repetitions));
  if (!c.probed.empty())
    line("masks", fmt::format("{} sizes, {} random probes each", with_commas(std::ssize(c.probed)),
                              c.probes_per_size));
  if (c.shapes_learned > 0) line("learned from", plural(c.shapes_learned, "shape"));
  std::string replayed =
      fmt::format("{} of hostile random data of {}, bit for bit",
                  plural(c.outputs_checked, has_matrices ? "output" : "vector"),
                  plural(c.shapes_checked, has_matrices ? "held-out shape" : "size"));
  if (c.special_outputs > 0)
    replayed += fmt::format("; {} with special values", with_commas(c.special_outputs));
  line("replayed", replayed);
  line("classes", classes_text(c.classes));
  if (c.every_size_to > 0)
    line("every n", fmt::format("up to {}, with random data", with_commas(c.every_size_to)));
  line("largest", shape_text(c.largest, entry.routine));
  line("cost", fmt::format("{}, seed {}", plural(c.calls, "call"), c.seed));
  for (const std::string& sentence : c.not_checked) line("not checked", sentence);
  return out;
}

std::string heading(const spec::Spec& spec) {
  std::string out;
  for (const auto& [key, value] : spec.provenance) out += fmt::format("{:<30} {}\n", key, value);
  return out + fmt::format("{:<30} {}\n", "sha256", spec::meaning_hash(spec));
}

// What holds without summands, and what was refused.
std::string rest(const spec::Spec& spec) {
  std::string out;
  if (const std::string empty = empty_rules_text(spec); !empty.empty()) out += "\n" + empty;
  if (!spec.refusals.empty()) out += "\nrefused\n";
  for (const spec::Refusal& refusal : spec.refusals) out += refusal_text(refusal);
  return out;
}

// The order and its rules, which are not printed a second time.
std::string order_text(const spec::Spec& spec, std::size_t which, std::vector<bool>& printed) {
  const spec::Order& order = spec.orders.at(which);
  const std::string out = fmt::format("  order {}: {}\n", spec::meaning_hash(order).substr(0, 12),
                                      spec::describe(order));
  const bool again = printed.at(which);
  printed[which] = true;
  return out + (again ? "  rules as above\n" : indented(spec::print(order), "    "));
}

}  // namespace

std::string rules_text(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries) {
  std::string out = heading(spec);
  std::vector<bool> printed(spec.orders.size(), false);
  for (const spec::Entry* entry : entries) {
    out += fmt::format("\n{}  up to {}  {}\n", routine_name(*entry), largest_text(*entry),
                       spec::describe(entry->guard, entry->routine));
    if (!spec::has_matrices(entry->routine)) {
      out += order_text(spec, spec::order_of(*entry), printed);
    } else {
      for (std::size_t k = 0; k < entry->regimes.size(); ++k) {
        const spec::MatrixRegime& regime = entry->regimes[k];
        out += fmt::format("  regime {}: {}; k <= {}\n", k, guard_text(regime),
                           with_commas(regime.k_max));
        out += regime_text(spec, regime, entry->routine == spec::Routine::gemv);
      }
    }
    out += "  evidence\n" + certificate_text(*entry);
  }
  return out + rest(spec);
}

std::string overview_text(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries) {
  return heading(spec) + "\n" + entries_table(spec, entries) + rest(spec) +
         "\nThe rules and the evidence of one: --routine, and --trans of gemv and gemm.\n";
}

Json rules_json(const spec::Spec& spec, const spec::Entry& entry) {
  Json out = to_json(spec, entry);
  if (!spec::has_matrices(entry.routine)) {
    out["rules"] = spec::print(spec.orders.at(spec::order_of(entry)));
    return out;
  }
  out["regime_rules"] = Json::array();
  for (const spec::MatrixRegime& regime : entry.regimes)
    out["regime_rules"].push_back(to_json(spec, regime));
  return out;
}

}  // namespace reprosum::report
