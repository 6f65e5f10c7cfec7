// A table of what a spec covers: a row for each group of contexts.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::report {

std::vector<const spec::Entry*> entries_of(const spec::Spec& spec);

// "" if there are none.
std::string entries_table(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries);

}  // namespace reprosum::report
