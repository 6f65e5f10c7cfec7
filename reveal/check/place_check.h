// Does it matter where the operands lie, whether they are one vector, or which face is called?
//
// A few calls in differing placements (check/placements.h) whose bits all agree decide it; where
// one does not, the bit of an address or the relation that it differs in is named. A spec has no
// condition for any of that, but for addresses modulo 64, so the context is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "reveal/refused.h"
#include "reveal/target.h"

namespace reprosum::reveal {

// The first thing that matters, with the evidence: address_dependent, faces_differ, or
// not_deterministic where the usual place then gives other bits than before. For sum and dot. The
// calls keep the residues modulo 64 and the increments of `context`. Places are asked only if
// `has_places`: the target puts vectors where calls say.
std::optional<Refused> place_matters(Target& target, const Call& context,
                                     std::span<const std::int64_t> sizes, bool has_places,
                                     std::uint64_t seed);

// A line of a certificate's not_checked.
inline constexpr const char* kPlacesNotChecked =
    "an order that depends on bits of an address above 12, or on a relation of x and y in memory "
    "that was not tried: that they overlap with different increments, or lie a certain distance "
    "apart that is no multiple of a page";

// What a capture asks of every context.
inline constexpr std::int64_t kPlaceSizes[] = {17, 129, 1533};

}  // namespace reprosum::reveal
