// Rules of small products alone, before those of all sizes.
#pragma once

#include "reveal/region.h"

namespace reprosum::reveal::region {

// The share of all shapes that ends a search. The other shapes are few then, and other starts would
// miss them as well.
constexpr double enough_covered = 0.8;

// The regions that learn_regions() finds for all sizes up to options.largest together.
LearnedRegions learn_to_largest(SignatureSource& source, const RegionOptions& options);

// Puts regions of small products, which are learned one by one, before these. Returns these alone
// if no small products are asked for; for gemv also if nearly all small ones, or most shapes, are
// covered already, unless options.is_small_sure.
LearnedRegions with_small_box(SignatureSource& source, const RegionOptions& options,
                              LearnedRegions all);

}  // namespace reprosum::reveal::region
