// The pieces of an order that a backend makes code of.
#pragma once

#include <vector>

#include "spec/order.h"

namespace reprosum::kernels {

// The regimes of an order and its sub-orders that code can be made of, in one fixed sequence:
// loops, explicit trees, and splits that are loops (loop_form.h). Other splits and parts are walked
// by walk_rules.h around the generated pieces.
struct Piece {
  const spec::Order* order = nullptr;  // that the regime belongs to
  const spec::Regime* regime = nullptr;
};
std::vector<Piece> pieces_of(const spec::Order& order);

}  // namespace reprosum::kernels
