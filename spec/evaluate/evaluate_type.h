// The meaning of an order in any formats, fused nodes included: the interpreter of what has no
// kernels.
#pragma once

#include <cstdint>

#include "spec/format.h"
#include "spec/tree.h"

namespace reprosum::spec {

// x and y hold n numbers, each one of the type's input format; y == nullptr means sum. The value is
// one of the output format. Every product is exact until the order rounds it, and every node rounds
// once to nearest even. Throws UserError for the order of a matrix update, for a wide node where
// nothing is wider than the accumulator, and for an order that flushes subnormal numbers (a format
// says that of itself).
double evaluate_in(const Type& type, const Tree& tree, const double* x, const double* y);
// @pre n >= 1; at most 2^20, as for every explicit tree.
double evaluate_in(const Type& type, const Order& order, std::int64_t n, const double* x,
                   const double* y);

}  // namespace reprosum::spec
