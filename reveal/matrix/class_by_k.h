// A class whose arithmetic changes with k, piece by piece.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reveal/matrix/class_order.h"

namespace reprosum::reveal {

// What is known about the outputs of a class with lo <= k <= hi: an order, or why there is none.
struct KPiece {
  std::int64_t lo = 1, hi = 0;
  std::optional<ClassOrder> order{};
  std::string reason{}, why{};
};

// A change of the order or of its arithmetic at some k that leaves the classes as they are is
// invisible where classes are told apart. Here a class that has no order over all its k is cut
// where the trouble is, a few times at most. The pieces tile 1..options.k_max, ascending; an order
// that ends early leaves a piece without one. Throws TargetError.
std::vector<KPiece> reveal_class_by_k(Target& target, const CellsAt& cells,
                                      const ClassOptions& options);

}  // namespace reprosum::reveal
