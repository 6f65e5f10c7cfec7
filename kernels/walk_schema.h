// The streaming evaluator of one schema: the value of one piece, no tree.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/leaf_run.h"
#include "spec/order.h"

namespace reprosum::kernels {

// The value of a loop or an explicit tree of `order` on the n summands that start at `at`; nothing
// for another rule.
// `sum`: what the output leaf stands for in a piece that goes on from it, or nullptr.
// Throws UserError if the rule is not defined at n or names other than n summands of the piece.
template <class T>
std::optional<double> walk(const spec::Order& order, const spec::Rule& rule, std::int64_t n,
                           std::int64_t at, const Operands<T>& data, const double* sum = nullptr);

}  // namespace reprosum::kernels
