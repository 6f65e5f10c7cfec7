#include "src/cli/show_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "spec/conditions.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/refused.h"
#include "spec/surface.h"
#include "src/cli/arguments.h"
#include "src/cli/empty_rules.h"
#include "src/cli/entries.h"
#include "src/cli/matrix_rules.h"
#include "src/cli/show_matrix.h"
#include "src/cli/show_rules.h"
#include "src/cli/show_tree.h"

namespace reprosum::cli {
namespace {

constexpr std::int64_t kMostLines = 300;  // of the rules of several routines

// The entries that the options admit.
std::vector<const spec::Entry*> selected(const spec::Spec& spec, const ShowArguments& arguments) {
  std::vector<const spec::Entry*> out;
  for (const spec::Entry& entry : spec.entries) {
    if (!arguments.routine.empty() &&
        parse_routine(arguments.routine) != RoutineType{entry.routine, entry.type})
      continue;
    const auto& guard = entry.guard;
    if (arguments.threads > 0 && std::find(guard.threads.begin(), guard.threads.end(),
                                           arguments.threads) == guard.threads.end())
      continue;
    if (!arguments.increments.empty()) {
      const auto asked = parse_pair("--inc", arguments.increments);
      const std::int64_t incy = entry.routine == spec::Routine::sum ? 0 : asked.second;
      if (!spec::admits(guard.increments, asked.first, incy)) continue;
    }
    out.push_back(&entry);
  }
  return out;
}

Caption caption_of(const spec::Spec& spec, const spec::Entry& entry, std::int64_t n) {
  Caption out;
  out.title = fmt::format("{}, n = {}", routine_name(entry), with_commas(n));
  out.order = "the rule of every n: " + spec::describe(spec.orders.at(entry.order));
  out.context = spec::describe(entry.guard, entry.routine);
  out.identity = "order " + spec::meaning_hash(spec.orders.at(entry.order)).substr(0, 12);
  const std::string target = provenance(spec, "target"), cpu = provenance(spec, "cpu");
  if (!target.empty()) out.identity += ", captured from " + target;
  if (!cpu.empty()) out.identity += " on " + cpu;
  out.products = entry.routine == spec::Routine::dot;
  return out;
}

std::string json_text(const spec::Spec& spec, const ShowArguments& arguments, std::int64_t n) {
  Json out{{"schema", "reprosum-show/1"},
           {"spec", arguments.spec},
           {"sha256", spec::meaning_hash(spec)},
           {"provenance", provenance_json(spec)}};
  if (n == 0) {
    out["entries"] = Json::array();
    for (const spec::Entry* entry : selected(spec, arguments)) {
      Json each = to_json(spec, *entry);
      each["rules"] = spec::print(spec.orders.at(entry->order));
      out["entries"].push_back(std::move(each));
    }
    out["matrices"] = Json::array();
    for (const spec::MatrixEntry* entry : selected_matrices(spec, arguments))
      out["matrices"].push_back(matrix_rules_json(spec, *entry));
    out["empty"] = empty_rules_json(spec);
    out["refused"] = Json::array();
    for (const spec::Refusal& refusal : spec.refusals) out["refused"].push_back(to_json(refusal));
  } else {
    const spec::Entry& entry = the_entry(spec, arguments, n);
    out["entry"] = to_json(spec, entry);
    out["n"] = n;
    out["postorder"] = tree_json(spec::expand(spec.orders.at(entry.order), n));
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

const spec::Entry& the_entry(const spec::Spec& spec, const ShowArguments& arguments,
                             std::int64_t n) {
  const auto candidates = selected(spec, arguments);
  if (candidates.empty())
    throw UserError("the spec has no entry for " +
                    (arguments.routine.empty() ? "these options" : arguments.routine) +
                    spec::refused_because(spec, arguments.routine) +
                    "; `reprosum show SPEC` lists what it covers");
  spec::Context context;
  context.routine = candidates.front()->routine;
  context.type = candidates.front()->type;
  for (const spec::Entry* entry : candidates)
    if (entry->routine != context.routine || entry->type != context.type)
      throw UserError("the spec has several routines; choose one with --routine, such as " +
                      routine_name(*candidates.front()));
  context.shape = {1, 1, n};
  if (!arguments.increments.empty())
    std::tie(context.incx, context.incy) = parse_pair("--inc", arguments.increments);
  if (!arguments.alignment.empty()) {
    const auto pair = parse_pair("--align", arguments.alignment);
    if (pair.first < 0 || pair.first > 63 || pair.second < 0 || pair.second > 63)
      throw UserError("--align: addresses are modulo 64");
    context.addresses[0] = static_cast<int>(pair.first);
    context.addresses[1] = static_cast<int>(pair.second);
  }
  context.threads = arguments.threads;
  if (context.threads == 0) {
    context.threads = candidates.front()->guard.threads.front();
    for (const spec::Entry* entry : candidates)
      context.threads = std::min(context.threads, entry->guard.threads.front());
  }
  std::string why;
  const spec::Entry* entry = spec::find(spec, context, &why);
  if (entry == nullptr) throw UserError("not covered: " + why);
  return *entry;
}

bool wants_matrix(const spec::Spec& spec, const ShowArguments& arguments) {
  if (!arguments.routine.empty()) {
    const spec::Routine routine = parse_routine(arguments.routine).first;
    const bool is_matrix = routine == spec::Routine::gemv || routine == spec::Routine::gemm;
    if (!is_matrix && asks_for_matrix(arguments))
      throw UserError("--trans, --m, --k, --class, --at and --gaps are of gemv and gemm");
    return is_matrix;
  }
  return asks_for_matrix(arguments) || (spec.entries.empty() && !spec.matrices.empty());
}

void check_numbers(const ShowArguments& arguments) {
  for (const auto& [option, text] :
       {std::pair{"--n", arguments.n}, {"--m", arguments.m}, {"--k", arguments.k}})
    if (!text.empty()) parse_count(option, text);
  if (!arguments.increments.empty()) parse_pair("--inc", arguments.increments);
  if (!arguments.alignment.empty()) parse_integers("--align", arguments.alignment);
  if (!arguments.which_class.empty()) parse_pair("--class", arguments.which_class);
}

std::string shown(const spec::Spec& spec, const ShowArguments& arguments) {
  check_numbers(arguments);
  const std::int64_t n = arguments.n.empty() ? 0 : parse_count("--n", arguments.n);
  if (!arguments.routine.empty()) parse_routine(arguments.routine);
  const std::string format = arguments.as();
  if (wants_matrix(spec, arguments)) {
    const bool overview = arguments.m.empty() && arguments.k.empty() && arguments.n.empty() &&
                          arguments.which_class.empty() && arguments.which_output.empty();
    if (!overview || (format != "text" && format != "json")) return show_matrix(spec, arguments);
  }
  const bool drawing = format == "svg" || format == "dot";
  if (drawing && n == 0) throw UserError("--format " + format + " draws one size: give --n");
  if (format == "json") return json_text(spec, arguments, n);
  if (n == 0) {
    const auto entries = selected(spec, arguments);
    const auto matrices = selected_matrices(spec, arguments);
    if (entries.empty() && matrices.empty()) the_entry(spec, arguments, 1);  // says what is missing
    const std::string text = rules_text(spec, entries, matrices);
    const bool is_long = std::count(text.begin(), text.end(), '\n') > kMostLines;
    return is_long && arguments.routine.empty() ? overview_text(spec, entries, matrices) : text;
  }
  const spec::Entry& entry = the_entry(spec, arguments, n);
  return tree_in(format, spec.orders.at(entry.order), n, caption_of(spec, entry, n));
}

}  // namespace reprosum::cli
