#include "src/report/verify_report.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "spec/conditions.h"
#include "spec/error.h"
#include "spec/json.h"
#include "spec/surface.h"
#include "src/report/empty_rules.h"
#include "src/report/entries.h"

namespace reprosum::report {
namespace {

void add(Json& out, const reveal::VerifyReport& report) {
  out["verdict"] = verdict(report);
  out["holds"] = report.holds;
  out["calls"] = report.calls;
  out["mismatches"] = Json::array();
  for (const reveal::Mismatch& m : report.first)
    out["mismatches"].push_back(
        {{"context", m.context}, {"expected", m.expected}, {"got", m.got}, {"seed", m.seed}});
  out["not_tested"] = report.skipped;
}

// One entry or rule at a time, so that the report can say which of them holds.
class Verifying {
 public:
  Verifying(const spec::Spec& spec, const reveal::TargetFactory& open,
            const reveal::CaptureOptions& options, const PartVerified& told)
      : spec_(spec), open_(open), options_(options), told_(told) {}

  void look_at(const spec::Entry& entry) {
    spec::Spec one;
    one.orders = spec_.orders;
    one.entries = {entry};
    const bool has_matrices = spec::has_matrices(entry.routine);
    const std::string what =
        fmt::format("{}  {}, up to {}", routine_name(entry),
                    spec::describe(entry.guard, entry.routine), largest_text(entry));
    const reveal::VerifyReport report =
        verify(std::move(one), what, has_matrices ? "output" : "vector");
    (has_matrices ? verified.outputs : verified.vectors) += report.vectors;
    if (report.holds && report.vectors == 0) ++untested;
    Json row{{"routine", routine_name(entry)},
             {"guard", spec::json_of(entry.guard, entry.routine)},
             {"n_max", has_matrices ? entry.n_max : spec::most_summands(entry)},
             {"vectors", report.vectors}};
    add(row, report);
    verified.entries.push_back(std::move(row));
  }

  void look_at(const spec::EmptyRule& rule) {
    spec::Spec one;
    one.empty_rules = {rule};
    const std::string name = name_of(rule);
    const reveal::VerifyReport report =
        verify(std::move(one),
               fmt::format("{}  without summands, threads {}: {}", name,
                           fmt::join(rule.threads, " "), spec::describe(rule)),
               "");
    Json row{{"routine", name}, {"rule", spec::json_of(rule)}};
    add(row, report);
    verified.empty_rules.push_back(std::move(row));
  }

  Verified verified;
  std::int64_t untested = 0;  // entries

 private:
  reveal::VerifyReport verify(spec::Spec one, const std::string& what, const char* unit) {
    one.provenance = spec_.provenance;
    reveal::VerifyReport report = reveal::verify(one, open_, options_);
    verified.calls += report.calls;
    ++verified.count;
    if (!report.holds) ++verified.different;
    if (told_)
      told_(what, *unit != 0 ? plural(report.vectors, unit) : plural(report.calls, "call"), report);
    return report;
  }

  const spec::Spec& spec_;
  const reveal::TargetFactory& open_;
  const reveal::CaptureOptions& options_;
  const PartVerified& told_;
};

Json json_of(const std::vector<OtherFact>& facts) {
  Json out = Json::object();
  for (const OtherFact& fact : facts) out[fact.key] = {fact.captured, fact.here};
  return out;
}

}  // namespace

const char* verdict(const reveal::VerifyReport& report) {
  if (!report.holds) return report.first.empty() ? "missing" : "differs";
  return report.skipped.empty() ? "holds" : report.vectors > 0 ? "holds in part" : "not tested";
}

Verified verify(const spec::Spec& spec, const std::string& name, const ProbingOptions& probing,
                const Watch& watch, const PartVerified& told) {
  if (spec.entries.empty()) throw UserError(name + ": the spec covers nothing");
  const reveal::TargetFactory open = target_factory(probing);
  const reveal::CaptureOptions options = capture_options(probing, watch);
  Verifying verifying(spec, open, options, told);
  for (const spec::Entry& entry : spec.entries) verifying.look_at(entry);
  if (verifying.untested == std::ssize(spec.entries))
    throw EnvironmentError("no entry of " + name + " could be tested on " + probing.target);
  for (const spec::EmptyRule& rule : spec.empty_rules) verifying.look_at(rule);
  verifying.verified.other = other_facts(spec, open(1)->identity());
  return std::move(verifying.verified);
}

Json verify_json(const spec::Spec& spec, const std::string& name, const ProbingOptions& probing,
                 const Verified& verified) {
  return Json{{"schema", "reprosum-verify/1"},
              {"spec", name},
              {"sha256", spec::meaning_hash(spec)},
              {"target", probing.target},
              {"captured_from", provenance(spec, "target")},
              {"other_facts", json_of(verified.other)},
              {"seed", probing.seed},
              {"holds", verified.different == 0},
              {"different", verified.different},
              {"vectors", verified.vectors},
              {"outputs", verified.outputs},
              {"calls", verified.calls},
              {"entries", verified.entries},
              {"empty_rules", verified.empty_rules}};
}

}  // namespace reprosum::report
