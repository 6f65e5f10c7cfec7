// Rules that are not written as a loop of blocks but are one: the same tree at every n.
#pragma once

#include <optional>

#include "spec/order.h"

namespace reprosum::kernels {

// The loop of a regime whose rule is a split that cuts pieces of at most kMaxFoldedPiece summands
// off one end, again and again, down to a constant rest: F(n) = F(n - m) + P is a run of P's. Equal
// to the rule for every n of the regime, and only there. Nothing for any other rule, nor if the
// result would be too large for straight code.
inline constexpr std::int64_t kMaxFoldedPiece = 256;
std::optional<spec::Loop> fold_split(const spec::Order& order, const spec::Regime& regime);

// A padded loop as a loop without padding: every residue gets the schema without the leaves beyond
// n. Nothing for any other rule, or if such a schema is not linear in n.
std::optional<spec::Loop> unpad_loop(const spec::Regime& regime);

}  // namespace reprosum::kernels
