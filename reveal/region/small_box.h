// Rules of small products alone, where no rule of all sizes covers them.
#pragma once

#include "reveal/region.h"

namespace reprosum::reveal::region {

// The share of all shapes that ends a search: what is left is small then, and other starts miss it,
// too.
constexpr double enough_covered = 0.8;

// What learn_regions() finds of all sizes up to options.largest at once.
LearnedRegions learn_to_largest(SignatureSource& source, const RegionOptions& options);

}  // namespace reprosum::reveal::region
