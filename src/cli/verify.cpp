// reprosum verify: does a spec still hold for a library?
#include <fmt/core.h>

#include <memory>

#include "spec/conditions.h"
#include "src/cli/output.h"
#include "src/cli/probing_arguments.h"
#include "src/cli/progress.h"
#include "src/cli/verb.h"
#include "src/cli/verify_device.h"
#include "src/report/entries.h"
#include "src/report/verify_report.h"

namespace reprosum::cli {
namespace {

struct Arguments {
  ProbingOptions probing;
  std::string spec;
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

int run(const Arguments& arguments) {
  if (!arguments.backend.empty())
    return verify_on_device(arguments.spec,
                            {arguments.backend, arguments.device, arguments.probing.random_vectors,
                             arguments.probing.seed, arguments.probing.timeout_s, arguments.json});
  const spec::Spec spec = load_spec(arguments.spec);
  const auto tell = [&](const std::string& what, const std::string& tested,
                        const reveal::VerifyReport& report) {
    clear_progress();
    if (!arguments.json) print(report_text(what, tested, report));
  };
  const Verified verified =
      verify(spec, arguments.spec, arguments.probing, {terminal_progress(), {}}, tell);
  if (arguments.json) {
    print_json(verify_json(spec, arguments.spec, arguments.probing, verified));
  } else {
    bool has_vectors = false, has_outputs = false;
    for (const spec::Entry& entry : spec.entries)
      (spec::has_matrices(entry.routine) ? has_outputs : has_vectors) = true;
    std::string replayed = has_vectors ? plural(verified.vectors, "vector") : "";
    if (has_outputs)
      replayed += (replayed.empty() ? "" : " and ") + plural(verified.outputs, "output");
    print(text_of(verified.other));
    std::string parts = plural(std::ssize(spec.entries), "group") + " of contexts";
    if (!spec.empty_rules.empty())
      parts += " and " + plural(std::ssize(spec.empty_rules), "rule") + " without summands";
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
  verb->add_flag("--json", arguments->json, "report as one JSON object");
  verb->footer(
      "Example:\n"
      "  reprosum verify openblas.json --target blas:libopenblas.so.0\n"
      "  reprosum verify openblas.json --backend opencl\n\n"
      "Exit codes: 0 every entry holds, 1 one differs, 2 trouble.");
  verb->callback([arguments, &action] {
    if (arguments->backend.empty() && arguments->probing.target.empty())
      throw CLI::RequiredError("--target or --backend");
    action = [arguments] { return run(*arguments); };
  });
}

}  // namespace reprosum::cli
