// A sum of n summands as pieces and the sums of their values, level by level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/plan/pieces.h"
#include "spec/order.h"

namespace reprosum::kernels::launch {

// Pieces of one length that one rule adds: their values are neighbours.
struct PieceGroup {
  std::size_t piece = 0;  // index into the pieces of the order, or kSingle
  std::int64_t n = 0;
  std::int64_t values_at = 0;        // of the first one's value
  std::vector<std::int64_t> places;  // the first summand of each
};
inline constexpr std::size_t kSingle = static_cast<std::size_t>(-1);  // one summand of no regime

struct SumPieces {
  std::vector<PieceGroup> groups;
  // As device_combine() takes it: where each sum is, the first sum of each level and the end of the
  // last, the sums.
  std::vector<std::int64_t> list;
  std::vector<std::int64_t> levels;  // first sum of each level, and the end of the last
  std::int64_t levels_at = 0;        // in the list
  std::int64_t root = 0, values = 0;
};

// Which rules of an order are pieces that code is made of, and why the others are not.
struct PieceTable {
  std::vector<Piece> pieces;
  std::vector<RulePlan> plans;                       // of each piece
  std::vector<std::string> whys;                     // empty where it has a plan
  std::map<const spec::Rule*, std::size_t> of_rule;  // pieces that are whole
  std::map<const spec::Rule*, std::vector<std::size_t>> chains_of_rule;  // that are its chains
};
PieceTable piece_table(const spec::Order& order, spec::Type type);

// Throws UserError where a piece that n needs has no plan, where the order is not defined at n, and
// where there are more pieces than a call is given.
SumPieces sum_pieces(const spec::Order& order, const PieceTable& table, std::int64_t n);

}  // namespace reprosum::kernels::launch
