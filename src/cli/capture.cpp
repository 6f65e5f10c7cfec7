// reprosum capture: from a library to a certified spec.
#include "reveal/capture.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "spec/surface.h"
#include "src/cli/arguments.h"
#include "src/cli/context_tables.h"
#include "src/cli/empty_rules.h"
#include "src/cli/entries.h"
#include "src/cli/host.h"
#include "src/cli/interrupt.h"
#include "src/cli/matrix_entries.h"
#include "src/cli/output.h"
#include "src/cli/probed_libraries.h"
#include "src/cli/probing.h"
#include "src/cli/progress.h"
#include "src/cli/verb.h"

namespace reprosum::cli {
namespace {

struct Arguments {
  ProbingOptions probing;
  std::string routines, threads = "1", increments, transposes, n_max = "10M",
                        reach = std::to_string(kReach), output;
  std::int64_t small_products = 0;
  bool alpha_one = false;
  bool json = false;
};

// Facts that the engine cannot know; the keys of the target's own identity win.
void add_provenance(spec::Spec& spec, const Arguments& arguments) {
  const auto add = [&](const std::string& key, const std::string& value) {
    const auto same = [&](const auto& pair) { return pair.first == key; };
    if (std::none_of(spec.provenance.begin(), spec.provenance.end(), same))
      spec.provenance.emplace_back(key, value);
  };
  // The target names the variables of one thread count; the guards name all that were captured.
  std::erase_if(spec.provenance,
                [](const auto& pair) { return pair.first.starts_with("environment."); });
  add("threads", arguments.threads);
  add("target", arguments.probing.target);
  add("tool", "reprosum " REPROSUM_VERSION);
  add("date", utc_now());
  add("cpu", cpu_model());
  for (const auto& [name, value] : selecting_environment()) add("environment." + name, value);
  std::sort(spec.provenance.begin(), spec.provenance.end());
}

constexpr const char* kNotReached = "not_reached";

bool covers_something(const spec::Spec& spec) {
  return !spec.entries.empty() || !spec.matrices.empty();
}

// A target that failed in every routine for one reason is trouble, not an order to be refused.
void require_usable_target(const spec::Spec& spec) {
  if (covers_something(spec) || spec.refusals.empty()) return;
  constexpr const char* kBroken[] = {"crashed",  "illegal_instruction", "timed_out",
                                     "protocol", "missing_symbol",      "cannot_load",
                                     "failed"};
  const spec::Refusal* first = nullptr;
  for (const spec::Refusal& refusal : spec.refusals) {
    if (refusal.reason == kNotReached) continue;  // may be what a hanging target took the time of
    if (std::find(std::begin(kBroken), std::end(kBroken), refusal.reason) == std::end(kBroken))
      return;
    if (first == nullptr) first = &refusal;
  }
  if (first != nullptr) throw reveal::TargetError(first->reason, first->detail);
}

std::string refusals_text(const spec::Spec& spec) {
  std::string out;
  for (const spec::Refusal& refusal : spec.refusals) out += "refused  " + refusal_text(refusal);
  return out;
}

int run(const Arguments& arguments) {
  reveal::CaptureOptions options = capture_options(arguments.probing);
  options.routines = parse_routines(arguments.routines);
  options.threads = parse_threads(arguments.threads);
  if (!arguments.increments.empty()) options.increments = parse_increments(arguments.increments);
  options.n_max = parse_count("--n-max", arguments.n_max);
  options.reach.size = arguments.reach == "0" ? 0 : parse_count("--reach", arguments.reach);
  options.transposes = parse_transposes(arguments.transposes);
  options.alpha_one = arguments.alpha_one;
  options.small_products = arguments.small_products;

  std::int64_t calls = 0;  // of all that was probed, certified or not
  options.progress = [&calls, shown = options.progress](const reveal::Progress& progress) {
    calls = progress.calls;
    if (shown) shown(progress);
  };
  const Interrupt interrupt;
  options.is_over = [is_late = options.is_over] { return is_late() || Interrupt::came(); };
  const auto start = std::chrono::steady_clock::now();
  spec::Spec spec = reveal::capture(target_factory(arguments.probing), options);
  clear_progress();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  require_usable_target(spec);
  add_provenance(spec, arguments);
  spec::canonicalize(spec);

  const bool kept = covers_something(spec) && !arguments.output.empty();
  const bool spec_on_stdout = kept && arguments.output == "-";
  if (kept) write_output(arguments.output, spec::to_json(spec) + "\n");
  std::int64_t vectors = 0, outputs = 0;
  for (const spec::Entry& entry : spec.entries) vectors += entry.certificate.random_vectors;
  for (const spec::MatrixEntry& entry : spec.matrices) outputs += entry.certificate.outputs_checked;
  const int code = !covers_something(spec) || !spec.refusals.empty() ? kDifferent : kSame;
  if (arguments.json && !spec_on_stdout) {
    Json out{{"schema", "reprosum-capture/1"},
             {"target", arguments.probing.target},
             {"seed", arguments.probing.seed},
             {"threads", options.threads},
             {"n_max", options.n_max},
             {"timeout_s", arguments.probing.timeout_s},
             {"seconds", seconds},
             {"interrupted", Interrupt::came()},
             {"calls", calls},
             {"random_vectors", vectors},
             {"random_outputs", outputs},
             {"output", kept ? Json(arguments.output) : Json()},
             {"sha256", !covers_something(spec) ? Json() : Json(spec::meaning_hash(spec))},
             {"provenance", provenance_json(spec)},
             {"entries", Json::array()},
             {"matrices", Json::array()},
             {"empty", empty_rules_json(spec)},
             {"refused", Json::array()}};
    for (const spec::Entry& entry : spec.entries) out["entries"].push_back(to_json(spec, entry));
    for (const spec::MatrixEntry& entry : spec.matrices)
      out["matrices"].push_back(to_json(spec, entry));
    for (const spec::Refusal& refusal : spec.refusals) out["refused"].push_back(to_json(refusal));
    print_json(out);
  } else if (!spec_on_stdout) {
    std::string table = entries_table(spec, all_of(spec.entries));
    const std::string matrices = matrices_table(all_of(spec.matrices)),
                      refused = refusals_text(spec);
    if (!table.empty() && !matrices.empty()) table += "\n";
    table += matrices;
    if (const std::string empty = empty_rules_text(spec); !table.empty() && !empty.empty())
      table += "\n" + empty;
    print(table + (table.empty() || refused.empty() ? "" : "\n") + refused);
    const std::string found =
        !covers_something(spec)
            ? "nothing certified"
            : plural(static_cast<std::int64_t>(spec.orders.size()), "order") + " in " +
                  plural(static_cast<std::int64_t>(spec.entries.size() + spec.matrices.size()),
                         "group") +
                  " of contexts";
    print(fmt::format("\n{} of {}, {}, {:.1f} s, seed {}\n", found, arguments.probing.target,
                      plural(calls, "call"), seconds, arguments.probing.seed));
    std::int64_t every = options.every_size_to;
    for (const spec::Entry& entry : spec.entries)
      if (entry.certificate.every_size_to < entry.n_max)
        every = std::min(every, entry.certificate.every_size_to);
    if (covers_something(spec))
      print(fmt::format(
          "Sampling cannot see: one size alone (n above {}) that breaks its rule, or an "
          "order that changes with time or with what was called before.\n",
          with_commas(every)));
  } else {
    for (const spec::Refusal& refusal : spec.refusals) remark("refused: " + refusal_text(refusal));
  }
  if (std::any_of(spec.refusals.begin(), spec.refusals.end(),
                  [](const auto& refusal) { return refusal.reason == kNotReached; }))
    remark(Interrupt::came()
               ? fmt::format("reprosum: interrupted after {:.1f} s, before everything was captured",
                             seconds)
               : fmt::format("reprosum: the run was over after {:g} s, before everything was "
                             "captured; raise --timeout, or ask for fewer --routines",
                             arguments.probing.timeout_s));
  if (!covers_something(spec))
    remark("reprosum: nothing was certified, so no spec was written");
  else if (arguments.output.empty())
    remark("reprosum: the spec was not kept; give -o FILE to keep it");
  return code;
}

}  // namespace

void add_capture(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "capture", "Probe a library and write down, with evidence, in which order it adds.");
  add_probing_options(*verb, arguments->probing);
  verb->add_option(
      "--routines", arguments->routines,
      "comma-separated, of ssum dsum sdot ddot sgemv dgemv sgemm dgemm; default: all that "
      "the target has");
  verb->add_option("--threads", arguments->threads,
                   "thread counts that the library is told to use, such as 1,2")
      ->capture_default_str();
  verb->add_option("--increments", arguments->increments,
                   "incx:incy, such as 1:1,2..:1,..-1:any; 2.. stands for all from 2 on; which of "
                   "them share an order is looked for; the first is the reference; default: any");
  verb->add_option("--n-max", arguments->n_max,
                   "largest n of sum and dot asked for; 1e6 and 16M are understood")
      ->capture_default_str();
  verb->add_option(
          "--reach", arguments->reach,
          "of gemv and gemm, which are learned up to 2048 rows, columns and summands, try the "
          "rules "
          "on longer products, of up to so many, and let them cover what they are right for; 0: "
          "not")
      ->capture_default_str();
  verb->add_option(
          "--small-products", arguments->small_products,
          "of gemm, look at each product of m, n and k up to here, and compare every one in each "
          "context, which takes minutes; of gemv where no rule of all sizes is found; 0: not")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  verb->add_option("--transposes", arguments->transposes,
                   "of gemv and gemm, such as NN,TN; one letter is that of A; default: all");
  verb->add_flag("--alpha-one", arguments->alpha_one,
                 "capture gemv and gemm for alpha = 1 alone: where a library lets alpha act by the "
                 "shape, the rest takes most of the time and is refused in the end");
  verb->add_option("-o,--output", arguments->output, "the spec file to write; - is stdout");
  verb->add_flag("--json", arguments->json, "report as one JSON object");
  verb->footer(
      "Examples:\n"
      "  reprosum capture --target blas:libopenblas.so.0 --threads 1,2 -o openblas.json\n"
      "  OPENBLAS_CORETYPE=Haswell reprosum capture -t blas:libopenblas.so.0 -o haswell.json\n"
      "  reprosum capture -t 'exec:python3 numpy_target.py' --routines dsum -o numpy.json\n\n"
      "Exit codes: 0 all captured, 1 something was refused (the rest is written), 2 trouble.");
  verb->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace reprosum::cli
