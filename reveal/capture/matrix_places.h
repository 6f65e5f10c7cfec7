// Does it matter to a gemv or gemm where its operands lie, whether A and B are one matrix, or how
// it is called?
//
// A few calls that differ in nothing else, whose bits all agree, decide it; where one does not, the
// refusal names what it differs in. A spec has no condition for any of that, but for addresses and
// leading dimensions modulo 64 (matrix_addresses.h). Random products of every check are placed and
// called in all of these ways besides (MatrixCheck::keeps_place).
#pragma once

#include <cstdint>
#include <optional>

#include "reveal/refused.h"
#include "reveal/target.h"
#include "spec/region.h"

namespace reprosum::reveal {

// The first thing that matters: address_dependent or faces_differ, or not_deterministic where the
// usual call then gives other bits than before. Keeps the increments of the call and, modulo 64,
// addresses that the guard admits. Of a target that cannot choose addresses, the faces alone are
// asked.
std::optional<Refused> product_place_matters(Target& target, const Call& context,
                                             const spec::AddressGuard& addresses,
                                             const spec::Shape3& largest, std::uint64_t seed);

}  // namespace reprosum::reveal
