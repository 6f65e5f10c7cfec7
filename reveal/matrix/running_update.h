// Sums beyond a known border: blocks that go on from what those before them left in C.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "reveal/matrix/class_by_k.h"
#include "reveal/matrix/class_order.h"

namespace reprosum::reveal {

// The orders of pieces that tile 1..K as one, with what each does where beta = 0. nullopt where a
// piece has no order, or their rules for alpha = 0 differ.
std::optional<KnownClassOrder> joined(std::span<const KPiece> pieces);

// `known` is the order of a class at every k below lo. A micro-kernel does at the next block what
// it did at this one, onto what C holds by then. So blocks of 2..lo-1 summands are tried in two
// ways: each block goes on as `known` says of a sum that begins with C (spec::Split::through); or
// the whole sum is made in that way from nothing and then added to C. The way that explains most
// sizes from lo on is followed to the last k <= hi that random updates do not refute, and certified
// like any other order. nullopt: neither explains the first sizes. Throws TargetError.
std::optional<ClassOrder> go_on(Target& target, const CellsAt& cells, const KnownClassOrder& known,
                                std::int64_t lo, std::int64_t hi, const ClassOptions& options);

// The order of a class that was learned at every k below lo, as it goes on up to hi. nullopt where
// its own rule is right up to hi, as far as few random updates tell, or where go_on() finds
// nothing. Its k_max stays.
std::optional<ClassOrder> gone_on(Target& target, const CellsAt& cells, const ClassOrder& learned,
                                  std::int64_t lo, std::int64_t hi, const ClassOptions& options);

}  // namespace reprosum::reveal
