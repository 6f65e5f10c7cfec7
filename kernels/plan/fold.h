// The order of a matrix update at one k as a fold: what is added onto C, step after step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/order.h"

namespace reprosum::kernels {

// What the output is where the order names it.
enum class OutputMode : std::uint8_t {
  value,          // beta*c
  zero,           // +0: beta == 0 and the class stores
  dropped,        // absent: beta == 0 and the class drops it
  dropped_zeros,  // absent, and so is every +0 of the order
};

struct FoldStep {
  enum class Kind : std::uint8_t { zero, output, piece, sum } kind = Kind::zero;
  std::vector<FoldStep> steps{};     // sum: a fold of its own, made apart
  const spec::Rule* rule = nullptr;  // piece: a loop or explicit tree, or a split that is one
  std::int64_t n = 0, at = 0;        // piece
  spec::Scale scale = spec::Scale::none;
  bool fuses_output = false;  // of a first piece: then fma(beta, c, value)
  bool goes_on = false;       // its output is the sum so far, which the value takes the place of
};

// The rules that can be one piece of n summands.
class PieceRules {
 public:
  virtual ~PieceRules() = default;
  virtual bool is_piece(const spec::Rule& rule, std::int64_t n) const = 0;
};

// The first step starts the sum, every other is added onto it from the right (or from the left,
// which is the same) or goes on from it. A sum of pieces may be such a step, but of no sums itself.
// Returns false, and why, where the order is not a fold.
bool fold_of(const spec::Order& order, std::int64_t n, OutputMode mode, const PieceRules& rules,
             std::vector<FoldStep>& steps, std::string& why);

// The order with every output leaf of its schemas a +0 or absent, or every +0 as well; folds keep
// theirs, since fold_of() is told.
spec::Order with_output(const spec::Order& order, OutputMode mode);

inline bool is_dropped(OutputMode mode) {
  return mode == OutputMode::dropped || mode == OutputMode::dropped_zeros;
}

// Whether k summands may leave a product out beside an output that is dropped: what takes the place
// of the output depends on the data then, and no plan says it.
bool depends_on_data(const spec::Order& order, std::int64_t k, OutputMode mode);

// Whether a piece names the output itself, so that it must come first.
bool names_output(const spec::Rule& rule);

}  // namespace reprosum::kernels
