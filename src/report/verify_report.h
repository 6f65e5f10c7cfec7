// A verification as a value, entry by entry.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reveal/capture.h"
#include "spec/spec.h"
#include "src/report/captured_from.h"
#include "src/report/probing.h"
#include "src/report/wording.h"

namespace reprosum::report {

struct Verified {
  Json entries = Json::array(), empty_rules = Json::array();
  std::int64_t vectors = 0, outputs = 0;  // of sum and dot; of gemv and gemm
  // `count`: of entries and rules, and `different` of those.
  std::int64_t calls = 0, different = 0, count = 0;
  std::vector<OtherFact> other;  // than where the spec was captured
};

// "holds", "holds in part", "differs", "missing" or "not tested".
const char* verdict(const reveal::VerifyReport& report);

// Called after each entry and each rule of calls without summands, if it is not empty. `what` says
// of which calls it speaks, `tested` what was tested: "120 vectors".
using PartVerified = std::function<void(const std::string& what, const std::string& tested,
                                        const reveal::VerifyReport&)>;

// `name` is what messages call the spec. Throws UserError for a spec that covers nothing,
// EnvironmentError where no entry could be tested, TargetError (timed_out) where the run is over
// before every entry was.
Verified verify(const spec::Spec& spec, const std::string& name, const ProbingOptions& probing,
                const Watch& watch, const PartVerified& told = {});

Json verify_json(const spec::Spec& spec, const std::string& name, const ProbingOptions& probing,
                 const Verified& verified);

}  // namespace reprosum::report
