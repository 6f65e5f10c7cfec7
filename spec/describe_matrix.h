// Region rules in short lines, for tables and people.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::spec {

// "m*n <= 1200, k > 8"; "every shape" of none.
std::string describe(const std::vector<Atom>& guard);

// E.g. "m*n <= 1200: 2 row types (period 4), 2 column types (period 4), 2 classes; k <= 2048".
std::string describe(const MatrixRegime& regime);

// How the atom compares its product with the limit, or floor(m/a) with floor(n/b).
const char* comparison(Atom::Kind kind);

// "beta = 0 leaves C out", "beta = 0 leaves C out from k = 5 on, and up to k = 4 stores +0"; ""
// where it stores +0 at every k.
std::string describe_beta_zero(const MatrixClass& output);
std::string describe(MatrixClass::BetaZero rule);

// The entry, then each regime, each followed by its classes: one line each, without line ends.
std::vector<std::string> describe(const Spec& spec, const Entry& entry);

}  // namespace reprosum::spec
