// The correctly rounded sum of a short list of doubles, to recognise targets that have no order.
#pragma once

#include <span>

#include "spec/spec.h"

namespace reprosum::reveal {

// The sum of x[k] (y empty) or x[k]*y[k], rounded once to `type` (Shewchuk 1997, grow-expansion;
// Dekker/Knuth error-free transformations). @pre finite, no overflow, and no product below 2^-900.
double exact_result(spec::Type type, std::span<const double> x, std::span<const double> y);

}  // namespace reprosum::reveal
