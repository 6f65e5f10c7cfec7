// Padded loops of more lanes than a program holds, as reductions on GPUs have: each work-item adds
// every 65,536th summand, and trees add the lanes. The code of a few neighbouring lanes serves all
// of them, at one place after the other; the walk through the schema adds what is above.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/evaluate/chain_piece.h"
#include "spec/order.h"

namespace reprosum::kernels {

using spec::ChainPiece;

// The chains that code is made of: as many lanes as a program takes, and a single lane, for the
// lanes of a block that the end of the sum cuts. Empty for a regime that is a piece as a whole, and
// where the chains below a block are of another kind. Ascending.
std::vector<ChainPiece> chain_pieces(const spec::Regime& regime);

// What the code is asked for: the fewest summands from the copy's place on in which each lane has
// `rows` of them. @pre rows >= 1
inline std::int64_t summands_of_rows(const ChainPiece& piece, std::int64_t rows) {
  return piece.block * (rows - 1) + piece.lanes;
}

// The regime that is planned in place of the chain: defined for summands_of_rows(1), (2), ... .
spec::Regime regime_of_chain(const spec::Regime& regime, const ChainPiece& piece);

}  // namespace reprosum::kernels
