#include "src/cli/show_rules.h"

#include <fmt/core.h>

#include "spec/conditions.h"
#include "spec/surface.h"
#include "src/cli/context_tables.h"
#include "src/cli/empty_rules.h"
#include "src/cli/entries.h"
#include "src/cli/matrix_rules.h"
#include "src/cli/output.h"

namespace reprosum::cli {
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

std::string certificate_text(const spec::Certificate& c) {
  std::string out;
  const auto line = [&](const char* what, const std::string& text) {
    if (!text.empty()) out += fmt::format("    {:<12} {}\n", what, text);
  };
  line("revealed", sizes_text(c.revealed));
  if (!c.all_nodes.empty())
    line("every node", fmt::format("{}, {} times each", sizes_text(c.all_nodes), c.repetitions));
  if (!c.probed.empty())
    line("masks",
         fmt::format("{} sizes, {} random probes each",
                     with_commas(static_cast<std::int64_t>(c.probed.size())), c.probes_per_size));
  line("replayed", fmt::format("{} of hostile random data of {}, bit for bit",
                               plural(c.random_vectors, "vector"), plural(c.random_sizes, "size")));
  line("classes", classes_text(c.classes));
  if (c.every_size_to > 0)
    line("every n", fmt::format("up to {}, with random data", with_commas(c.every_size_to)));
  line("largest n", with_commas(c.largest));
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

}  // namespace

std::string rules_text(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries,
                       const std::vector<const spec::MatrixEntry*>& matrices) {
  std::string out = heading(spec);
  std::vector<bool> printed(spec.orders.size(), false);
  for (const spec::Entry* entry : entries) {
    const spec::Order& order = spec.orders.at(entry->order);
    const std::string hash = spec::meaning_hash(order).substr(0, 12);
    out += fmt::format("\n{}  n = 1 .. {}  {}\n", routine_name(*entry), with_commas(entry->n_max),
                       spec::describe(entry->guard, entry->routine));
    out += fmt::format("  order {}: {}\n", hash, spec::describe(order));
    if (printed[entry->order])
      out += "  rules as above\n";
    else
      out += indented(spec::print(order), "    ");
    printed[entry->order] = true;
    out += "  evidence\n" + certificate_text(entry->certificate);
  }
  for (const spec::MatrixEntry* entry : matrices) out += matrix_rules_text(spec, *entry);
  return out + rest(spec);
}

std::string overview_text(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries,
                          const std::vector<const spec::MatrixEntry*>& matrices) {
  std::string out = heading(spec);
  for (const std::string& table : {entries_table(spec, entries), matrices_table(matrices)})
    if (!table.empty()) out += "\n" + table;
  out += rest(spec);
  return out + "\nThe rules and the evidence of one: --routine, and --trans of gemv and gemm.\n";
}

}  // namespace reprosum::cli
