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

// @pre the rules are wrong at `shape`, of a gemv. Where one side is long, the other short, and
// nothing is wrong but with few lengths of the long side, up to some length of the short one: for
// each such band, here and at all other lengths of the long side, a regime that covers nothing, to
// stand before all rules. Empty where the trouble is another one, or where `trials` products of
// each shape, which show what is wrong, are too dear.
std::vector<spec::MatrixRegime> bands_of_few_sizes(const spec::Shape3& shape,
                                                   const spec::Shape3& largest, int trials,
                                                   const FirstWrong& first_wrong);

}  // namespace reprosum::reveal
