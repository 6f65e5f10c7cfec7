#include "src/report/capture_report.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <nlohmann/json.hpp>

#include "spec/surface.h"
#include "src/report/arguments.h"
#include "src/report/empty_rules.h"
#include "src/report/entries.h"
#include "src/report/host.h"
#include "src/report/probed_libraries.h"

namespace reprosum::report {
namespace {

// Facts that the engine cannot know; the keys of the target's own identity win.
void add_provenance(spec::Spec& spec, const CaptureRequest& request) {
  const auto add = [&](const std::string& key, const std::string& value) {
    const auto same = [&](const auto& pair) { return pair.first == key; };
    if (std::none_of(spec.provenance.begin(), spec.provenance.end(), same))
      spec.provenance.emplace_back(key, value);
  };
  // The target names the variables of one thread count; the guards name all that were captured.
  std::erase_if(spec.provenance,
                [](const auto& pair) { return pair.first.starts_with("environment."); });
  add("threads", request.threads);
  add("target", request.probing.target);
  add("tool", "reprosum " REPROSUM_VERSION);
  add("date", utc_now());
  add("cpu", cpu_model());
  for (const auto& [name, value] : selecting_environment()) add("environment." + name, value);
  std::sort(spec.provenance.begin(), spec.provenance.end());
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

}  // namespace

bool is_known_gap(const spec::Refusal& refusal) {
  if (refusal.reason != "not_a_sum" && refusal.reason != "unmaskable") return false;
  const std::size_t at = refusal.context.find("incx=");
  if (!refusal.routine.ends_with("sum") || at == std::string::npos) return false;
  const char sign = refusal.context.c_str()[at + 5];
  return sign == '-' || sign == '0';
}

std::string core_not_taken(const spec::Spec& spec) {
  const auto fact = [&](const std::string& key) {
    for (const auto& [name, value] : spec.provenance)
      if (name == key) return value;
    return std::string();
  };
  const std::string asked = fact("environment.OPENBLAS_CORETYPE");
  const std::string runs = fact("says.openblas_get_corename");
  // OpenBLAS does not mind the case of letters.
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  if (asked.empty() || runs.empty() ||
      std::equal(asked.begin(), asked.end(), runs.begin(), runs.end(), same))
    return "";
  return "OPENBLAS_CORETYPE=" + asked + " was not taken: the library says that it runs " + runs;
}

Captured capture(const CaptureRequest& request, const Watch& watch) {
  Captured out;
  reveal::CaptureOptions& options = out.options;
  options = capture_options(request.probing, watch);
  options.routines = parse_routines(request.routines);
  options.threads = parse_threads(request.threads);
  if (!request.increments.empty()) options.increments = parse_increments(request.increments);
  options.n_max = parse_count("--n-max", request.n_max);
  options.reach.size = request.reach == "0" ? 0 : parse_count("--reach", request.reach);
  options.transposes = parse_transposes(request.transposes);
  options.alpha_one = request.alpha_one;
  options.small_products = request.small_products;
  std::int64_t calls = 0;
  options.progress = [&calls, shown = options.progress](const reveal::Progress& progress) {
    calls = progress.calls;
    if (shown) shown(progress);
  };
  const auto start = std::chrono::steady_clock::now();
  out.spec = reveal::capture(target_factory(request.probing), options);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  out.calls = calls;
  options.progress = nullptr;  // names what ends here
  require_usable_target(out.spec);
  add_provenance(out.spec, request);
  spec::canonicalize(out.spec);
  return out;
}

Json capture_json(const CaptureRequest& request, const Captured& captured, bool interrupted,
                  const Json& output) {
  const spec::Spec& spec = captured.spec;
  std::int64_t vectors = 0, outputs = 0;
  for (const spec::Entry& entry : spec.entries)
    (spec::has_matrices(entry.routine) ? outputs : vectors) += entry.certificate.outputs_checked;
  Json out{{"schema", "reprosum-capture/1"},
           {"target", request.probing.target},
           {"seed", request.probing.seed},
           {"threads", captured.options.threads},
           {"n_max", captured.options.n_max},
           {"timeout_s", request.probing.timeout_s},
           {"seconds", captured.seconds},
           {"interrupted", interrupted},
           {"calls", captured.calls},
           {"random_vectors", vectors},
           {"random_outputs", outputs},
           {"output", output},
           {"sha256", !covers_something(spec) ? Json() : Json(spec::meaning_hash(spec))},
           {"provenance", provenance_json(spec)},
           {"entries", Json::array()},
           {"empty", empty_rules_json(spec)},
           {"refused", Json::array()}};
  for (const spec::Entry& entry : spec.entries) out["entries"].push_back(to_json(spec, entry));
  for (const spec::Refusal& refusal : spec.refusals) out["refused"].push_back(to_json(refusal));
  return out;
}

}  // namespace reprosum::report
