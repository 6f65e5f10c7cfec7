// A library may cut a long side into blocks and sum the few outputs behind the last one in another
// way, but only where the other side is short: rules of all sizes are right beside such bands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "spec/region.h"

namespace reprosum::reveal {

// The first of these shapes (of one gemv each, random data) whose bits the rules do not give.
using FirstWrong = std::function<std::optional<spec::Shape3>(std::span<const spec::Shape3> shapes)>;

// @pre the rules are wrong at `shape`, of a gemv. Regimes that cover nothing, one for each band, to
// stand before all rules. A band is a few lengths of the long side at which the rules are wrong
// while the short side is at most some length; all lengths of the long side are searched for bands.
// Empty if the shape is not in a band, or if `trials` products of each shape, as many as it takes
// for a wrong one to show, are too dear.
std::vector<spec::MatrixRegime> bands_of_few_sizes(const spec::Shape3& shape,
                                                   const spec::Shape3& largest, int trials,
                                                   const FirstWrong& first_wrong);

}  // namespace reprosum::reveal
