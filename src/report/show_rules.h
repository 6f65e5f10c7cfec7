// A spec's rules and evidence in words.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"
#include "src/report/wording.h"

namespace reprosum::report {

std::string rules_text(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries);

// The same in a row for each group of contexts, and how to see its rules: for a spec whose rules
// fill many pages.
std::string overview_text(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries);

// Everything of to_json(spec, entry), and its orders or regimes.
Json rules_json(const spec::Spec& spec, const spec::Entry& entry);

}  // namespace reprosum::report
