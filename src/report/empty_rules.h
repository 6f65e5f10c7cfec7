// Calls without summands in words, for capture and show.
#pragma once

#include <string>

#include "spec/spec.h"
#include "src/report/wording.h"

namespace reprosum::report {

// "dgemv N", "dgemm NT", "ddot".
std::string name_of(const spec::EmptyRule& rule);

// "without summands" and a line for each rule with all that follow it; "" if nothing is known.
std::string empty_rules_text(const spec::Spec& spec);
Json empty_rules_json(const spec::Spec& spec);

}  // namespace reprosum::report
