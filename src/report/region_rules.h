// The rules of a regime in words.
#pragma once

#include <string>

#include "spec/spec.h"
#include "src/report/wording.h"

namespace reprosum::report {

// "m*n <= 1200, k > 48"; "every shape" without atoms.
std::string guard_text(const spec::MatrixRegime& regime);

// One line per kind of size: "24 + r + 16 Q, r = 0..7: 8 of type 0, 8+16Q of type 1, r of type 3".
// `letter` is the size's name, m or n.
std::string axis_text(const spec::Axis& axis, char letter, const std::string& margin);

// Axes, table and classes.
std::string regime_text(const spec::Spec& spec, const spec::MatrixRegime& regime, bool is_vector);

Json to_json(const spec::Spec& spec, const spec::MatrixClass& which);
Json to_json(const spec::Spec& spec, const spec::MatrixRegime& regime);

}  // namespace reprosum::report
