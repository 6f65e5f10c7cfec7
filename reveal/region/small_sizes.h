// Sizes below an axis, which show only at larger k than that of the rule.
#pragma once

#include "reveal/region/maps.h"
#include "reveal/region/rule.h"

namespace reprosum::reveal::region {

// A bound such as m*n*k > T excludes small sizes at the k of the rule. At larger k they lie inside,
// and right shapes of larger sizes tell there which class has which hash. So words for the small
// sizes are put before the first segments, down to the size where no word fits or too few shapes
// lie inside.
void extend_down(Maps& maps, Rule& rule);

}  // namespace reprosum::reveal::region
