// reprosum verify: does a spec still hold for a library?
#include <fmt/core.h>

#include <memory>

#include "reveal/capture.h"
#include "spec/surface.h"
#include "src/cli/captured_from.h"
#include "src/cli/entries.h"
#include "src/cli/matrix_entries.h"
#include "src/cli/output.h"
#include "src/cli/probing.h"
#include "src/cli/progress.h"
#include "src/cli/verb.h"
#include "src/cli/verify_device.h"

namespace reprosum::cli {
namespace {

struct Arguments {
  ProbingOptions probing;
  std::string spec;
  std::string backend;       // a device in place of a target
  std::uint64_t device = 0;  // its number
  bool json = false;
};

// One entry at a time, so that the report can say which of them holds.
reveal::VerifyReport verify_entry(const spec::Spec& spec, const spec::Entry& entry,
                                  const reveal::TargetFactory& open,
                                  const reveal::CaptureOptions& options) {
  spec::Spec one;
  one.orders.push_back(spec.orders.at(entry.order));
  one.entries.push_back(entry);
  one.entries.front().order = 0;
  one.provenance = spec.provenance;
  return reveal::verify(one, open, options);
}

reveal::VerifyReport verify_entry(const spec::Spec& spec, const spec::MatrixEntry& entry,
                                  const reveal::TargetFactory& open,
                                  const reveal::CaptureOptions& options) {
  spec::Spec one;
  one.orders = spec.orders;
  one.matrices.push_back(entry);
  one.provenance = spec.provenance;
  return reveal::verify(one, open, options);
}

const char* verdict(const reveal::VerifyReport& report) {
  if (!report.holds) return report.first.empty() ? "missing" : "differs";
  return report.skipped.empty() ? "holds" : report.vectors > 0 ? "holds in part" : "not tested";
}

std::string covered_text(const spec::Entry& entry) { return "n up to " + with_commas(entry.n_max); }
std::string covered_text(const spec::MatrixEntry& entry) { return "up to " + largest_text(entry); }
const char* unit(const spec::Entry&) { return "vector"; }
const char* unit(const spec::MatrixEntry&) { return "output"; }

template <class Entry>
std::string report_text(const Entry& entry, const reveal::VerifyReport& report) {
  std::string out =
      fmt::format("{:<13} {}  {}, {}: {}\n", verdict(report), routine_name(entry),
                  context_text(entry), covered_text(entry), plural(report.vectors, unit(entry)));
  for (const reveal::Mismatch& m : report.first) {
    out += fmt::format("    first mismatch: {}\n", m.context);
    out += fmt::format("    expected {}\n    got      {}\n", m.expected, m.got);
    if (!m.seed.empty()) out += fmt::format("    seed {}\n", m.seed);
  }
  for (const std::string& line : report.skipped) out += fmt::format("    not tested: {}\n", line);
  return out;
}

template <class Entry>
Json report_json(const Entry& entry, const reveal::VerifyReport& report) {
  Json out{{"routine", routine_name(entry)}, {"guard", to_json(entry.guard)},
           {"n_max", entry.n_max},           {"verdict", verdict(report)},
           {"holds", report.holds},          {"vectors", report.vectors},
           {"calls", report.calls},          {"mismatches", Json::array()},
           {"not_tested", report.skipped}};
  for (const reveal::Mismatch& m : report.first)
    out["mismatches"].push_back(
        {{"context", m.context}, {"expected", m.expected}, {"got", m.got}, {"seed", m.seed}});
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

Json json_of(const std::vector<OtherFact>& facts) {
  Json out = Json::object();
  for (const OtherFact& fact : facts) out[fact.key] = {fact.captured, fact.here};
  return out;
}

int run(const Arguments& arguments) {
  if (!arguments.backend.empty())
    return verify_on_device(arguments.spec,
                            {arguments.backend, arguments.device, arguments.probing.random_vectors,
                             arguments.probing.seed, arguments.probing.timeout_s, arguments.json});
  const spec::Spec spec = load_spec(arguments.spec);
  if (spec.entries.empty() && spec.matrices.empty())
    throw UserError(arguments.spec + ": the spec covers nothing");
  const reveal::TargetFactory open = target_factory(arguments.probing);
  const reveal::CaptureOptions options = capture_options(arguments.probing);
  Json entries = Json::array();
  std::int64_t vectors = 0, outputs = 0, calls = 0, different = 0, untested = 0;
  const auto check = [&](const auto& entry, std::int64_t& replayed) {
    const reveal::VerifyReport report = verify_entry(spec, entry, open, options);
    clear_progress();
    replayed += report.vectors;
    calls += report.calls;
    if (!report.holds) ++different;
    if (report.holds && report.vectors == 0) ++untested;
    if (arguments.json)
      entries.push_back(report_json(entry, report));
    else
      print(report_text(entry, report));
  };
  for (const spec::Entry& entry : spec.entries) check(entry, vectors);
  for (const spec::MatrixEntry& entry : spec.matrices) check(entry, outputs);
  const std::vector<OtherFact> other = other_facts(spec, open(1)->identity());
  const auto count = static_cast<std::int64_t>(spec.entries.size() + spec.matrices.size());
  if (untested == count)
    throw EnvironmentError("no entry of " + arguments.spec + " could be tested on " +
                           arguments.probing.target);
  if (arguments.json) {
    print_json(Json{{"schema", "reprosum-verify/1"},
                    {"spec", arguments.spec},
                    {"sha256", spec::meaning_hash(spec)},
                    {"target", arguments.probing.target},
                    {"captured_from", provenance(spec, "target")},
                    {"other_facts", json_of(other)},
                    {"seed", arguments.probing.seed},
                    {"holds", different == 0},
                    {"different", different},
                    {"vectors", vectors},
                    {"outputs", outputs},
                    {"calls", calls},
                    {"entries", entries}});
  } else {
    std::string replayed = spec.entries.empty() ? "" : plural(vectors, "vector");
    if (!spec.matrices.empty())
      replayed += (replayed.empty() ? "" : " and ") + plural(outputs, "output");
    print(text_of(other));
    print(fmt::format("\n{}: {} of {} differ, {} replayed, {}, seed {}\n",
                      different == 0 ? "the spec holds" : "the spec does not hold", different,
                      plural(count, "group") + " of contexts", replayed, plural(calls, "call"),
                      arguments.probing.seed));
  }
  return different == 0 ? kSame : kDifferent;
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
