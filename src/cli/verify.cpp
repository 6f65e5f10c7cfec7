// reprosum verify: does a spec still hold for a library?
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "spec/conditions.h"
#include "spec/error.h"
#include "spec/surface.h"
#include "src/cli/junit.h"
#include "src/cli/output.h"
#include "src/cli/probing_arguments.h"
#include "src/cli/progress.h"
#include "src/cli/verb.h"
#include "src/cli/verify_device.h"
#include "src/report/arguments.h"
#include "src/report/entries.h"
#include "src/report/verify_report.h"

namespace reprosum::cli {
namespace {

struct Arguments {
  ProbingOptions probing;
  std::string spec;
  std::string routines;      // "": all
  std::string junit;         // the file to write; "": none
  std::string backend;       // a device in place of a target
  std::uint64_t device = 0;  // its number
  bool json = false;
};

std::string report_text(const std::string& what, const std::string& tested,
                        const reveal::VerifyReport& report) {
  std::string out = fmt::format("{:<13} {}: {}\n", verdict(report), what, tested);
  for (const reveal::Mismatch& m : report.first) {
    out += fmt::format("    first mismatch: {}\n", m.context);
    out += fmt::format("    expected {}\n    got      {}\n", m.expected, m.got);
    if (!m.seed.empty()) out += fmt::format("    seed {}\n", m.seed);
  }
  for (const std::string& line : report.skipped) out += fmt::format("    not tested: {}\n", line);
  return out;
}

std::string text_of(const std::vector<OtherFact>& facts) {
  const auto shown = [](const std::string& value) { return value.empty() ? "nothing" : value; };
  std::string out = facts.empty() ? "" : "\nnot what the spec was captured from:\n";
  for (const OtherFact& fact : facts)
    out +=
        fmt::format("    {}: {} then, {} here\n", fact.key, shown(fact.captured), shown(fact.here));
  return out;
}

// Those entries and rules alone.
spec::Spec part_of(const spec::Spec& whole, const Arguments& arguments) {
  spec::Spec part = whole;
  const std::vector<RoutineType> asked = parse_routines(arguments.routines);
  if (asked.empty()) return part;
  const auto is_other = [&](const auto& one) {
    return std::find(asked.begin(), asked.end(), RoutineType{one.routine, one.type}) == asked.end();
  };
  std::erase_if(part.entries, is_other);
  std::erase_if(part.empty_rules, is_other);
  for (const RoutineType& routine : asked)
    if (std::none_of(part.entries.begin(), part.entries.end(), [&](const spec::Entry& entry) {
          return RoutineType{entry.routine, entry.type} == routine;
        }))
      throw UserError(arguments.spec + ": the spec covers no " +
                      spec::blas_name(routine.first, routine.second));
  return part;
}

// Collects the cases of --junit and writes them, also where the run ends in trouble.
class Junit {
 public:
  explicit Junit(const Arguments& arguments) : arguments_(arguments) {}

  void add(const std::string& what, const std::string& text, const reveal::VerifyReport& report) {
    const bool is_skipped = report.holds && report.vectors == 0 && !report.skipped.empty();
    const auto verdict = !report.holds ? JunitCase::Verdict::failed
                         : is_skipped  ? JunitCase::Verdict::skipped
                                       : JunitCase::Verdict::passed;
    cases_.push_back({what, verdict, text, seconds_since_last()});
  }
  void write_trouble(const std::string& what) {
    cases_.push_back({"the run", JunitCase::Verdict::error, what, seconds_since_last()});
    write();
  }
  void write() const {
    if (arguments_.junit.empty()) return;
    write_output(arguments_.junit, junit_text("reprosum verify " + arguments_.spec, cases_));
  }

 private:
  double seconds_since_last() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

  const Arguments& arguments_;
  std::vector<JunitCase> cases_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

int run(const Arguments& arguments) {
  if (!arguments.backend.empty())
    return verify_on_device(arguments.spec,
                            {arguments.backend, arguments.device, arguments.probing.random_vectors,
                             arguments.probing.seed, arguments.probing.timeout_s, arguments.json});
  const spec::Spec spec = load_spec(arguments.spec);
  const spec::Spec part = part_of(spec, arguments);
  Junit junit(arguments);
  const auto tell = [&](const std::string& what, const std::string& tested,
                        const reveal::VerifyReport& report) {
    clear_progress();
    const std::string text = report_text(what, tested, report);
    if (!arguments.json) print_now(text);
    junit.add(what, text, report);
  };
  Verified verified;
  try {
    verified = verify(part, arguments.spec, arguments.probing, {terminal_progress(), {}}, tell);
  } catch (const std::exception& trouble) {
    junit.write_trouble(trouble.what());
    throw;
  }
  junit.write();
  if (arguments.json) {
    print_json(verify_json(spec, arguments.spec, arguments.probing, verified));
  } else {
    bool has_vectors = false, has_outputs = false;
    for (const spec::Entry& entry : part.entries)
      (spec::has_matrices(entry.routine) ? has_outputs : has_vectors) = true;
    std::string replayed = has_vectors ? plural(verified.vectors, "vector") : "";
    if (has_outputs)
      replayed += (replayed.empty() ? "" : " and ") + plural(verified.outputs, "output");
    print(text_of(verified.other));
    std::string parts = plural(std::ssize(part.entries), "group") + " of contexts";
    if (!part.empty_rules.empty())
      parts += " and " + plural(std::ssize(part.empty_rules), "rule") + " without summands";
    if (arguments.probing.is_quick) replayed += " (--quick)";
    print(fmt::format("\n{}: {} of {} differ, {} replayed, {}, seed {}\n",
                      verified.different == 0 ? "the spec holds" : "the spec does not hold",
                      verified.different, parts, replayed, plural(verified.calls, "call"),
                      arguments.probing.seed));
  }
  return verified.different == 0 ? kSame : kDifferent;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "verify", "Check a spec against a library: after an upgrade, on another machine, in CI.");
  verb->add_option("spec", arguments->spec, "the spec file")->required();
  add_probing_options(*verb, arguments->probing);
  CLI::Option* target = verb->get_option("--target")->required(false);
  CLI::Option* backend =
      verb->add_option(
              "--backend", arguments->backend,
              "in place of a target: opencl or cuda, a device of this host, whose bits are "
              "compared with the interpreter's")
          ->excludes(target);
  verb->add_option("--device", arguments->device, "which of them, as `reprosum list` counts")
      ->needs(backend)
      ->capture_default_str();
  verb->add_option("--routines", arguments->routines,
                   "comma-separated; default: all that the spec covers")
      ->excludes(backend);
  verb->add_flag(
          "--quick", arguments->probing.is_quick,
          "100 vectors, no long products: a gate of some seconds a routine; what passes it is "
          "worth a full run now and then")
      ->excludes(backend);
  verb->add_option("--junit", arguments->junit,
                   "also write the results to this file, as the XML that CI systems read")
      ->excludes(backend);
  verb->add_flag("--json", arguments->json, "report as one JSON object");
  verb->footer(
      "Examples:\n"
      "  reprosum verify openblas.json --target blas:libopenblas.so.0\n"
      "  reprosum verify openblas.json -t blas:libopenblas.so.0 --routines ddot,dgemm --quick\n"
      "  reprosum verify openblas.json -t blas:libopenblas.so.0 --junit bits.xml\n"
      "  reprosum verify openblas.json --backend opencl\n\n"
      "Exit codes: 0 every entry holds, 1 one differs, 2 trouble.");
  verb->callback([arguments, &action] {
    if (arguments->backend.empty() && arguments->probing.target.empty())
      throw CLI::RequiredError("--target or --backend");
    action = [arguments] { return run(*arguments); };
  });
}

}  // namespace reprosum::cli
