// The orders of captured specs, each once, for tests that go through what is made of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/matrix/order_tiles.h"
#include "kernels/plan/fold.h"
#include "spec/order.h"
#include "spec/spec.h"

namespace reprosum::kernels::test {

struct CapturedOrder {
  std::string name;  // of the document and the routine
  spec::Order order;
  spec::Routine routine = spec::Routine::sum;  // sum and dot, or that of a matrix update
  spec::Type type = spec::Type::f64;
  bool is_update() const { return spec::has_matrices(routine); }
};

// Orders of the specs in spec/library, or of the files that REPROSUM_CAPTURED_SPECS names,
// separated by colons: all those of sums and dot products, and one of every REPROSUM_CAPTURED_EVERY
// (or `every`) others.
std::vector<CapturedOrder> captured_orders(std::size_t every);

// fold_of(), false as well where the order has no such n: a class need not exist at each.
bool fold_if_defined(const OrderTiles& tiles, std::int64_t n, OutputMode mode,
                     std::vector<FoldStep>& steps);

}  // namespace reprosum::kernels::test
