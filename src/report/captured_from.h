// Is the probed library the one that a spec was captured from?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "spec/spec.h"

namespace reprosum::report {

struct OtherFact {
  std::string key, captured, here;  // "" where it has none
};

// Facts of the library, its settings and its device that are others in `identity`, which a target
// gives, than in the spec's provenance. No guard names them: a call on a CPU has no GPU. Empty for
// a spec without provenance of a library.
std::vector<OtherFact> other_facts(
    const spec::Spec& spec, const std::vector<std::pair<std::string, std::string>>& identity);

}  // namespace reprosum::report
