// A spec's rules and evidence in words.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::cli {

std::string rules_text(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries,
                       const std::vector<const spec::MatrixEntry*>& matrices);

// The same in a row for each group of contexts, and how to see its rules: for a spec whose rules
// fill many pages.
std::string overview_text(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries,
                          const std::vector<const spec::MatrixEntry*>& matrices);

}  // namespace reprosum::cli
