// The pieces of an order that a backend makes code of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/plan/chain_pieces.h"
#include "kernels/plan/plan.h"
#include "spec/order.h"
#include "spec/spec.h"

namespace reprosum::kernels {

// The regimes of an order and its sub-orders that code can be made of, in one fixed sequence:
// loops, explicit trees, and splits that are loops (loop_form.h). Other splits and parts are walked
// by walk_rules.h around the generated pieces; so are padded loops of very many lanes, around the
// code of some of their chains.
struct Piece {
  const spec::Order* order = nullptr;  // that the regime belongs to
  const spec::Regime* regime = nullptr;
  std::optional<ChainPiece> chain{};  // of the regime's loop; else the piece is all of it
  bool is_whole() const { return !chain; }
};
std::vector<Piece> pieces_of(const spec::Order& order);

// The regime as it is planned: in sums a split that is a loop is one, and a padded loop has cases
// instead.
spec::Regime planned_regime(const Piece& piece);

// The plan of a piece of a sum or dot product. Returns false, and why; `why` is empty where nothing
// is lost, because the piece is walked and those that it is made of are planned.
bool plan_piece(const Piece& piece, spec::Type type, RulePlan& plan, std::string& why);

// The plan of a piece of a matrix update, whose output may be a value that the walk goes on from.
// As above; wide values are refused.
bool plan_update_piece(const Piece& piece, RulePlan& plan, std::string& why);

// A piece of one summand that belongs to no regime has this plan.
RulePlan plan_of_single();

// "n = 1..31: "
std::string range_of(const spec::Regime& regime);

}  // namespace reprosum::kernels
