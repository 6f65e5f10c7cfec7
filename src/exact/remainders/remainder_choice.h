// How many moduli a product takes.
#pragma once

#include "src/exact/entries/view.h"
#include "src/exact/remainders/remainders.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// The moduli that make the least time: each one more costs its products, one less leaves more of
// the lines' numbers rounded, and so more entries to exact sums. That share is guessed from a few
// rows and columns; a wrong guess costs time only. `settling_cost`: what an exact sum of an entry
// takes beside the entry's products modulo one number. @pre 0 < k <= kMostDepth, m > 0, n > 0
const Remainders& remainders_for_data(const Kernels* kernels, const Product<double>& call,
                                      double settling_cost);

}  // namespace reprosum::exact
