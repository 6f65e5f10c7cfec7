// The proof that an order is one: that at every n its trees name each summand once.
#pragma once

#include <cstdint>

#include "spec/order.h"

namespace reprosum::spec {

// How much work proofs may be, in items looked at: some seconds. All orders of a document share it.
struct ProofAllowance {
  std::int64_t items = std::int64_t{1} << 26;
};

// Throws UserError naming the place and an n that is wrong unless every schema of the order names
// each of 0..n-1 once at every n that it can be asked for. Splits and parts need no proof: their
// pieces are contiguous. Also refused: a place of something present far beyond n, and what takes
// too long to prove.
// @pre validate(order) holds
void prove_trees(const Order& order, ProofAllowance& allowance);

}  // namespace reprosum::spec
