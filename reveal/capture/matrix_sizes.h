// Rules that are wrong at some shapes alone: those of equal sizes, or of one value of a size.
#pragma once

#include <vector>

#include "reveal/capture/matrix_band.h"

namespace reprosum::reveal {

// The sizes that `wrong` must have for the rules to be wrong: sizes that are equal, where other
// ones that are equal are wrong as well, from the least on that is; else single values. Empty where
// a shape beside it is wrong, whichever size differs by one or two. `first_wrong` shows what is
// wrong with a shape in earnest.
std::vector<spec::Atom> sizes_of_wrong(const spec::Shape3& wrong, const spec::Shape3& largest,
                                       bool is_gemv, const FirstWrong& first_wrong);

// Puts regimes that cover nothing before the others: where the atoms hold, which sizes_of_wrong()
// gave; of a single value of one size also where others are wrong, which are looked for. Where
// these are more than eight, nothing is covered from the least of them on: they follow a rule that
// is not known.
void leave_out_sizes(std::vector<spec::MatrixRegime>& regimes, const std::vector<spec::Atom>& atoms,
                     const spec::Shape3& wrong, const spec::Shape3& largest,
                     const FirstWrong& first_wrong);

}  // namespace reprosum::reveal
