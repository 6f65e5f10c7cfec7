// The value of an annotated tree, for predicting what a probe must answer.
#pragma once

#include <span>

#include "spec/spec.h"
#include "spec/tree.h"

namespace reprosum::reveal {

// x and y hold tree.n values of the type. Of a sum y is empty, or all ones where nothing is
// flushed. Rounded to the type.
double evaluate(const spec::Tree& tree, spec::Type type, std::span<const double> x,
                std::span<const double> y);

}  // namespace reprosum::reveal
