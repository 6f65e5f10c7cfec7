// A spec's rules and evidence in words.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::cli {

std::string rules_text(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries,
                       const std::vector<const spec::MatrixEntry*>& matrices);

}  // namespace reprosum::cli
