// reprosum show: look at a spec, or at the tree of one size.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "kernels/kernel.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/refused.h"
#include "spec/surface.h"
#include "src/cli/arguments.h"
#include "src/cli/empty_rules.h"
#include "src/cli/entries.h"
#include "src/cli/isa.h"
#include "src/cli/matrix_rules.h"
#include "src/cli/output.h"
#include "src/cli/show_arguments.h"
#include "src/cli/show_matrix.h"
#include "src/cli/show_rules.h"
#include "src/cli/show_tree.h"
#include "src/cli/verb.h"

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

// The one entry for a single tree or kernel, by the rules of a replayed call.
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
  context.n = n;
  if (!arguments.increments.empty())
    std::tie(context.incx, context.incy) = parse_pair("--inc", arguments.increments);
  if (!arguments.alignment.empty()) {
    const auto pair = parse_pair("--align", arguments.alignment);
    if (pair.first < 0 || pair.first > 63 || pair.second < 0 || pair.second > 63)
      throw UserError("--align: addresses are modulo 64");
    context.align_x = static_cast<int>(pair.first);
    context.align_y = static_cast<int>(pair.second);
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

Caption caption_of(const spec::Spec& spec, const spec::Entry& entry, std::int64_t n) {
  Caption out;
  out.title = fmt::format("{}, n = {}", routine_name(entry), with_commas(n));
  out.order = "the rule of every n: " + spec::describe(spec.orders.at(entry.order));
  out.context = context_text(entry);
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

// Whether gemv or gemm is asked for: by name, or because the spec has nothing else.
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

// Also where what is shown depends on none of them.
void check_numbers(const ShowArguments& arguments) {
  for (const auto& [option, text] :
       {std::pair{"--n", arguments.n}, {"--m", arguments.m}, {"--k", arguments.k}})
    if (!text.empty()) parse_count(option, text);
  if (!arguments.increments.empty()) parse_pair("--inc", arguments.increments);
  if (!arguments.alignment.empty()) parse_integers("--align", arguments.alignment);
  if (!arguments.which_class.empty()) parse_pair("--class", arguments.which_class);
}

int run(const ShowArguments& arguments) {
  check_numbers(arguments);
  const spec::Spec spec = load_spec(arguments.spec);
  const std::int64_t n = arguments.n.empty() ? 0 : parse_count("--n", arguments.n);
  if (!arguments.routine.empty()) parse_routine(arguments.routine);
  const std::string format = arguments.as();
  const bool code = format == "asm" || format == "ir";
  if (wants_matrix(spec, arguments)) {
    const bool overview = arguments.m.empty() && arguments.k.empty() && arguments.n.empty() &&
                          arguments.which_class.empty() && arguments.which_output.empty();
    if (!overview || (format != "text" && format != "json")) {
      write_output(arguments.output, show_matrix(spec, arguments));
      return kSame;
    }
  }
  const bool drawing = format == "svg" || format == "dot";
  if (drawing && n == 0) throw UserError("--format " + format + " draws one size: give --n");

  std::string text;
  if (format == "json") {
    text = json_text(spec, arguments, n);
  } else if (n == 0 && !code) {
    const auto entries = selected(spec, arguments);
    const auto matrices = selected_matrices(spec, arguments);
    if (entries.empty() && matrices.empty()) the_entry(spec, arguments, 1);  // says what is missing
    text = rules_text(spec, entries, matrices);
    const bool is_long = std::count(text.begin(), text.end(), '\n') > kMostLines;
    if (is_long && arguments.routine.empty()) text = overview_text(spec, entries, matrices);
  } else {
    const spec::Entry& entry = the_entry(spec, arguments, n == 0 ? 1 : n);
    const spec::Order& order = spec.orders.at(entry.order);
    const Caption caption = caption_of(spec, entry, n);
    if (code) {
      const kernels::Isa isa =
          arguments.isa.empty() ? chosen_isa() : parse_isa("--isa", arguments.isa);
      const kernels::Listing listing = kernels::listing(order, entry.routine, entry.type, isa);
      text = format == "asm" ? listing.assembly : listing.ir;
      if (text.empty())
        throw UserError(std::string("no code is generated for ") + kernels::name(isa) +
                        "; the interpreter runs this order");
    } else {
      text = tree_in(format, order, n, caption);
    }
  }
  write_output(arguments.output, text);
  return kSame;
}

}  // namespace

void add_show(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* verb =
      app.add_subcommand("show",
                         "Show a spec's rules and evidence, or a table of them if they are long; "
                         "with sizes, the tree of one, or which output of a gemv or "
                         "gemm follows which order.");
  verb->add_option("spec", arguments->spec, "the spec file")->required();
  verb->add_option("--routine", arguments->routine,
                   "one of ssum dsum sdot ddot sgemv dgemv sgemm dgemm");
  verb->add_option("--n", arguments->n, "the size whose tree is shown; of gemm: columns of C");
  verb->add_option("--m", arguments->m, "gemv, gemm: rows of C, outputs of gemv");
  verb->add_option("--k", arguments->k, "gemv, gemm: summands of an output");
  verb->add_option("--trans", arguments->trans, "gemv: N or T; gemm: NN, NT, TN or TT");
  verb->add_option("--class", arguments->which_class,
                   "gemv, gemm: the tree of this class instead of the map");
  verb->add_option("--at", arguments->which_output,
                   "gemv, gemm: the tree of the output I,J, counted from 0")
      ->excludes("--class");
  verb->add_option(
      "--gaps", arguments->gaps,
      "gemv, gemm: whose leading dimension is greater than the least, such as A or BC");
  verb->add_option("--threads", arguments->threads, "the captured thread count; default: least")
      ->check(CLI::PositiveNumber);
  verb->add_option("--inc", arguments->increments, "incx:incy; default 1:1");
  verb->add_option(
      "--align", arguments->alignment,
      "addresses of x and y modulo 64, default 0:0; of gemv and gemm: bytes that divide every "
      "address and leading dimension, default 64, or A:x:y:lda (A:B:C:lda:ldb:ldc) modulo 64");
  verb->add_option("--format", arguments->format, "text, dot (graphviz), svg, json, asm or ir")
      ->check(CLI::IsMember({"text", "dot", "svg", "json", "asm", "ir"}))
      ->capture_default_str();
  verb->add_option("--isa,--backend", arguments->isa,
                   "of asm and ir: the backend, such as avx2; default: this host's");
  verb->add_option("-o,--output", arguments->output, "write to this file");
  verb->add_flag("--json", arguments->json, "the same as --format json");
  verb->footer(
      "Examples:\n"
      "  reprosum show spec.json\n"
      "  reprosum show spec.json --routine sdot --n 20\n"
      "  reprosum show spec.json --routine dsum --n 1000000 --format svg -o dsum.svg\n"
      "  reprosum show spec.json --routine ddot --format asm --isa avx2\n"
      "  reprosum show spec.json --routine sgemm --trans NT --m 100 --n 100 --k 64 --format svg\n"
      "  reprosum show spec.json --routine sgemm --trans NT --m 100 --n 100 --k 64 --class 0");
  verb->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace reprosum::cli
