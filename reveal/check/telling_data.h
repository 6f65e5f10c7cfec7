// Data made for one tree, on which any other tree is likely to give other bits.
#pragma once

#include <cstdint>
#include <span>

#include "reveal/check/random_data.h"
#include "spec/tree.h"

namespace reprosum::reveal {

// Inside one binade rounded additions commute, and what rounding changes is lost where sums grow.
// So the partial sums of each chain go up and down across a power of two, and the chains cancel. A
// swap of two neighbours in a chain of thousands changes the bits of two of five such vectors; of
// hostile random ones, of one in a hundred.
// @pre the tree has n leaves, x rows of n numbers; so has y, which is empty for sum
void fill_telling(const spec::Tree& tree, spec::Type type, FastRandom& random, std::int64_t rows,
                  std::span<double> x, std::span<double> y);

}  // namespace reprosum::reveal
