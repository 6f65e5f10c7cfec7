// Sizes below an axis, which only larger k than that of the rule show.
#pragma once

#include "reveal/region/maps.h"
#include "reveal/region/rule.h"

namespace reprosum::reveal::region {

// A bound such as m*n*k > T keeps small sizes out where k is that of the rule. They are met at
// larger k, where right shapes of larger sizes tell which class has which hash: their words are
// put before the first segments, down to where no word fits or too few shapes lie inside.
void extend_down(Maps& maps, Rule& rule);

}  // namespace reprosum::reveal::region
