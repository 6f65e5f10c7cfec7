#include "src/cli/verify_report.h"

#include "spec/error.h"
#include "spec/json.h"
#include "spec/surface.h"
#include "src/cli/entries.h"

namespace reprosum::cli {
namespace {

// One entry at a time, so that the report can say which of them holds.
reveal::VerifyReport verify_entry(const spec::Spec& spec, const spec::Entry& entry,
                                  const reveal::TargetFactory& open,
                                  const reveal::CaptureOptions& options) {
  spec::Spec one;
  one.orders = spec.orders;
  one.entries = {entry};
  one.provenance = spec.provenance;
  return reveal::verify(one, open, options);
}

Json report_json(const spec::Entry& entry, const reveal::VerifyReport& report) {
  Json out{{"routine", routine_name(entry)},
           {"guard", spec::json_of(entry.guard, entry.routine)},
           {"n_max", spec::has_matrices(entry.routine) ? entry.n_max : spec::most_summands(entry)},
           {"verdict", verdict(report)},
           {"holds", report.holds},
           {"vectors", report.vectors},
           {"calls", report.calls},
           {"mismatches", Json::array()},
           {"not_tested", report.skipped}};
  for (const reveal::Mismatch& m : report.first)
    out["mismatches"].push_back(
        {{"context", m.context}, {"expected", m.expected}, {"got", m.got}, {"seed", m.seed}});
  return out;
}

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
                const Watch& watch, const EntryVerified& told) {
  if (spec.entries.empty()) throw UserError(name + ": the spec covers nothing");
  const reveal::TargetFactory open = target_factory(probing);
  const reveal::CaptureOptions options = capture_options(probing, watch);
  Verified out;
  std::int64_t untested = 0;
  for (const spec::Entry& entry : spec.entries) {
    const reveal::VerifyReport report = verify_entry(spec, entry, open, options);
    (spec::has_matrices(entry.routine) ? out.outputs : out.vectors) += report.vectors;
    out.calls += report.calls;
    ++out.count;
    if (!report.holds) ++out.different;
    if (report.holds && report.vectors == 0) ++untested;
    out.entries.push_back(report_json(entry, report));
    if (told) told(entry, report);
  }
  out.other = other_facts(spec, open(1)->identity());
  if (untested == out.count)
    throw EnvironmentError("no entry of " + name + " could be tested on " + probing.target);
  return out;
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
              {"entries", verified.entries}};
}

}  // namespace reprosum::cli
