// reprosum capture: from a library to a certified spec.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "spec/surface.h"
#include "src/cli/interrupt.h"
#include "src/cli/output.h"
#include "src/cli/probing_arguments.h"
#include "src/cli/progress.h"
#include "src/cli/verb.h"
#include "src/report/capture_report.h"
#include "src/report/context_tables.h"
#include "src/report/empty_rules.h"
#include "src/report/entries.h"

namespace reprosum::cli {
namespace {

// "dgemm NT, ssum": what the run had no time for; "": nothing.
std::string not_captured(const spec::Spec& spec) {
  std::string all;
  for (const spec::Refusal& refusal : spec.refusals) {
    if (refusal.reason != kNotReached) continue;
    const bool names_it = refusal.context.starts_with(refusal.routine);
    if (!all.empty()) all += ", ";
    all += names_it ? refusal.context : refusal.routine;
    if (!names_it && !refusal.context.empty()) all += " " + refusal.context;
  }
  return all;
}

struct Arguments {
  CaptureRequest request;
  std::string output;
  bool json = false;
  bool strict = false;  // a known gap is a refusal like any other
};

std::string refusals_text(const spec::Spec& spec) {
  std::string out;
  for (const spec::Refusal& refusal : spec.refusals) out += "refused  " + refusal_text(refusal);
  return out;
}

int run(const Arguments& arguments) {
  const ProbingOptions& probing = arguments.request.probing;
  const Interrupt interrupt;
  const Captured captured =
      capture(arguments.request, {terminal_progress(), [] { return Interrupt::came(); }});
  clear_progress();
  const spec::Spec& spec = captured.spec;
  const reveal::CaptureOptions& options = captured.options;
  const std::int64_t calls = captured.calls;
  const double seconds = captured.seconds;

  const bool kept = covers_something(spec) && !arguments.output.empty();
  const bool spec_on_stdout = kept && arguments.output == "-";
  if (kept) write_output(arguments.output, spec::to_json(spec) + "\n");
  const bool has_gaps_alone =
      std::all_of(spec.refusals.begin(), spec.refusals.end(), is_known_gap) && !arguments.strict;
  const int code =
      covers_something(spec) && (spec.refusals.empty() || has_gaps_alone) ? kSame : kDifferent;
  if (arguments.json && !spec_on_stdout) {
    print_json(capture_json(arguments.request, captured, Interrupt::came(),
                            kept ? Json(arguments.output) : Json()));
  } else if (!spec_on_stdout) {
    std::string table = entries_table(spec, entries_of(spec));
    const std::string refused = refusals_text(spec);
    if (const std::string empty = empty_rules_text(spec); !table.empty() && !empty.empty())
      table += "\n" + empty;
    print(table + (table.empty() || refused.empty() ? "" : "\n") + refused);
    const std::string found = !covers_something(spec)
                                  ? "nothing certified"
                                  : plural(std::ssize(spec.orders), "order") + " in " +
                                        plural(std::ssize(spec.entries), "group") + " of contexts";
    print(fmt::format("\n{} of {}, {}, {:.1f} s, seed {}\n", found, probing.target,
                      plural(calls, "call"), seconds, probing.seed));
    std::int64_t every = options.every_size_to;
    for (const spec::Entry& entry : spec.entries)
      if (!spec::has_matrices(entry.routine) &&
          entry.certificate.every_size_to < spec::most_summands(entry))
        every = std::min(every, entry.certificate.every_size_to);
    if (covers_something(spec))
      print(fmt::format(
          "Sampling cannot see: one size alone (n above {}) that breaks its rule, or an "
          "order that changes with time or with what was called before.\n",
          with_commas(every)));
  } else {
    for (const spec::Refusal& refusal : spec.refusals) remark("refused: " + refusal_text(refusal));
  }
  if (const std::string core = core_not_taken(spec); !core.empty())
    remark("reprosum: " + core + "; what was captured is that core's");
  if (code == kSame && !spec.refusals.empty())
    remark(
        "reprosum: refused was only what no capture of such a library has: it computes no sum for "
        "these increments (--strict: exit code 1)");
  if (!covers_something(spec))
    remark("reprosum: nothing was certified, so no spec was written");
  else if (arguments.output.empty())
    remark("reprosum: the spec was not kept; give -o FILE to keep it");
  // Last, so that nobody takes a part for the whole.
  if (const std::string missing = not_captured(spec); !missing.empty())
    remark(Interrupt::came()
               ? fmt::format("reprosum: interrupted after {:.1f} s; not captured: {}", seconds,
                             missing)
               : fmt::format("reprosum: the run was over after {:g} s; not captured: {}; raise "
                             "--timeout, or ask for fewer --routines",
                             probing.timeout_s, missing));
  return code;
}

}  // namespace

void add_capture(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "capture", "Probe a library and write down, with evidence, in which order it adds.");
  add_probing_options(*verb, arguments->request.probing);
  verb->add_option(
      "--routines", arguments->request.routines,
      "comma-separated, of ssum dsum sdot ddot sgemv dgemv sgemm dgemm; default: all that "
      "the target has");
  verb->add_option("--threads", arguments->request.threads,
                   "thread counts that the library is told to use, such as 1,2")
      ->capture_default_str();
  verb->add_option("--increments", arguments->request.increments,
                   "incx:incy, such as 1:1,2..:1,..-1:any; 2.. stands for all from 2 on; which of "
                   "them share an order is looked for; the first is the reference; default: any");
  verb->add_option("--n-max", arguments->request.n_max,
                   "largest n of sum and dot asked for; 1e6 and 16M are understood")
      ->capture_default_str();
  verb->add_option(
          "--reach", arguments->request.reach,
          "of gemv and gemm, which are learned up to 2048 rows, columns and summands, try the "
          "rules "
          "on longer products, of up to so many, and let them cover what they are right for; 0: "
          "not")
      ->capture_default_str();
  verb->add_option(
          "--small-products", arguments->request.small_products,
          "of gemm, look at each product of m, n and k up to here, and compare every one in each "
          "context, which takes minutes; of gemv where no rule of all sizes is found; 0: not")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  verb->add_option("--transposes", arguments->request.transposes,
                   "of gemv and gemm, such as NN,TN; one letter is that of A; default: all");
  verb->add_flag("--alpha-one", arguments->request.alpha_one,
                 "capture gemv and gemm for alpha = 1 alone: where a library lets alpha act by the "
                 "shape, the rest takes most of the time and is refused in the end");
  verb->add_option("-o,--output", arguments->output, "the spec file to write; - is stdout");
  verb->add_flag(
      "--strict", arguments->strict,
      "exit code 1 for every refusal, also of ?sum with increments of zero or less where "
      "the library computes no sum");
  verb->add_flag("--json", arguments->json, "report as one JSON object");
  verb->footer(
      "Examples:\n"
      "  reprosum capture --target blas:libopenblas.so.0 --threads 1,2 -o openblas.json\n"
      "  OPENBLAS_CORETYPE=Haswell reprosum capture -t blas:libopenblas.so.0 -o haswell.json\n"
      "  reprosum capture -t 'exec:python3 numpy_target.py' --routines dsum -o numpy.json\n\n"
      "All routines take 3 to 10 minutes on two cores, ?sum and ?dot one or two of them.\n\n"
      "Exit codes: 0 all captured, but for ?sum where the library computes no sum (increments of\n"
      "zero or less), 1 something else was refused (the rest is written), 2 trouble.");
  verb->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace reprosum::cli
