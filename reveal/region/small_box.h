// Rules of small products alone, where no rule of all sizes covers them.
#pragma once

#include "reveal/region.h"

namespace reprosum::reveal::region {

// The share of all shapes that ends a search: what is left is small then, and other starts miss it,
// too.
constexpr double enough_covered = 0.8;

// What learn_regions() finds of all sizes up to options.largest at once.
LearnedRegions learn_to_largest(SignatureSource& source, const RegionOptions& options);

// These regions after those of small products, which are learned one by one; or as they are, where
// small products are not asked for, or are covered (options.is_small_sure: in any case).
LearnedRegions with_small_box(SignatureSource& source, const RegionOptions& options,
                              LearnedRegions all);

}  // namespace reprosum::reveal::region
