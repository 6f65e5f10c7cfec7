// The streaming evaluator of one schema: the value of one piece, no tree.
#pragma once

#include <cstdint>
#include <optional>

#include "spec/evaluate/chain_piece.h"
#include "spec/evaluate/leaf_run.h"
#include "spec/order.h"

namespace reprosum::spec {

// The value of a loop or an explicit tree of `order` on the n summands that start at `at`; nothing
// for another rule.
// `sum`: what the output leaf stands for in a piece that goes on from it, or nullptr.
// Throws UserError if the rule is not defined at n or names other than n summands of the piece.
template <class T>
std::optional<double> walk(const Order& order, const Rule& rule, std::int64_t n, std::int64_t at,
                           const Operands<T>& data, const double* sum = nullptr);

// The code of chains of one loop.
class ChainCodes {
 public:
  virtual ~ChainCodes() = default;
  // The piece whose code serves the chain, or nullptr.
  virtual const ChainPiece* find(std::size_t chain) const = 0;
  // The value of the copy whose first summand is `at`. @pre rows >= 1, and all of them exist
  virtual double value(const ChainPiece& piece, std::int64_t at, std::int64_t rows) const = 0;
};

// The same for a loop, by the code of those of its chains that have some.
template <class T>
std::optional<double> walk(const Order& order, const Rule& rule, std::int64_t n, std::int64_t at,
                           const Operands<T>& data, const ChainCodes& codes);

}  // namespace reprosum::spec
