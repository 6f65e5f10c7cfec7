// The value of an annotated tree, for predicting what a probe must answer.
#pragma once

#include <span>

#include "spec/spec.h"
#include "spec/tree.h"

namespace reprosum::reveal {

// The value of the tree, rounded to the type. x and y hold tree.n values of the type; for a sum, y
// is empty, or all ones if nothing is flushed.
double evaluate(const spec::Tree& tree, spec::Type type, std::span<const double> x,
                std::span<const double> y);

}  // namespace reprosum::reveal
