// Rules that are wrong at some shapes alone: those of equal sizes, or of one value of a size.
#pragma once

#include <vector>

#include "reveal/capture/matrix_band.h"

namespace reprosum::reveal {

// The conditions on sizes that a shape must meet for the rules to be wrong, as they are at `wrong`.
// If other shapes with the same sizes equal are wrong as well, the conditions are that these sizes
// are equal and exceed the last value at which they are right. Otherwise they are single values of
// sizes. Empty if the shape stays wrong whichever of its sizes changes by one or two. `first_wrong`
// looks at shapes in earnest.
std::vector<spec::Atom> sizes_of_wrong(const spec::Shape3& wrong, const spec::Shape3& largest,
                                       bool is_gemv, const FirstWrong& first_wrong);

// Puts a regime that covers nothing before the others, where the atoms that sizes_of_wrong() gave
// hold. If they say a single value of one size, other wrong values of it are searched and get such
// regimes as well. If more than eight are found, nothing is covered from the least of them on: they
// follow an unknown rule.
void leave_out_sizes(std::vector<spec::MatrixRegime>& regimes, const std::vector<spec::Atom>& atoms,
                     const spec::Shape3& wrong, const spec::Shape3& largest,
                     const FirstWrong& first_wrong);

}  // namespace reprosum::reveal
