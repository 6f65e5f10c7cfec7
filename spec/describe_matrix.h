// Region rules in short lines, for tables and people.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::spec {

// E.g. "m*n <= 1200: 2 row types (period 4), 2 column types (period 4), 2 classes; k <= 2048".
std::string describe(const MatrixRegime& regime);

// How the atom compares its product with the limit, or floor(m/a) with floor(n/b).
const char* comparison(Atom::Kind kind);

// The entry, then each regime, each followed by its classes: one line each, without line ends.
std::vector<std::string> describe(const Spec& spec, const MatrixEntry& entry);

}  // namespace reprosum::spec
