// The tree evaluator of a matrix update: independent of the walk, so that each referees the other.
#pragma once

#include <cstdint>

#include "spec/evaluate/evaluate_matrix.h"
#include "spec/tree.h"

namespace reprosum::spec {

// As evaluate_update() of an order at n, from expand(order, n).
template <class T>
T evaluate_update(const Tree& tree, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                  const Update<T>& update);

}  // namespace reprosum::spec
