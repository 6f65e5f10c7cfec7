// Rules of small products alone, before those of all sizes.
#pragma once

#include "reveal/region.h"

namespace reprosum::reveal::region {

// The share of all shapes that ends a search. The other shapes are few then, and other starts would
// miss them as well.
constexpr double enough_covered = 0.8;

// What learn_regions() finds of all sizes up to options.largest at once.
LearnedRegions learn_to_largest(SignatureSource& source, const RegionOptions& options);

// These regions after those of small products, which are learned one by one. As they are where none
// are asked for, and of gemv where these or most shapes are covered unless options.is_small_sure.
LearnedRegions with_small_box(SignatureSource& source, const RegionOptions& options,
                              LearnedRegions all);

}  // namespace reprosum::reveal::region
