// Rules whose sizes are known to the end, and conditions that say which of them decides where.
#pragma once

#include <vector>

#include "reveal/region/regime_search.h"

namespace reprosum::reveal::region {

// A library may choose between two ways by a limit for each combination of small and large sizes
// (m*n*k <= 80808 for k <= 168, other limits beyond): the search meets those limits one by one, and
// each contradicts the one before. Here samples of all sizes say which of the rules are right
// in them, conditions are sought that tell these apart, as in a box of small shapes, and more
// samples between the two sides of each limit make it exact. The rule that is right most often
// stands last, without conditions; what it is wrong about falls to the others before it.
// A piece that covers nothing is where none of the rules is right.
// Each candidate's guard admits shapes from which the hashes of its classes can be learned. Empty
// where fewer than two rules are needed or conditions leave too much out. Throws OutOfTime.
std::vector<Found> divide(Maps& maps, std::vector<Rule> candidates);

// The same class for every output of all sizes, if that is what the rule says of the box where it
// was learned; only there it is known.
std::optional<Rule> of_one_class(const Maps& maps, Rule rule);

// The order that products of a few rows and columns have, for all sizes.
Rule of_smallest(const Maps& maps);

// The axes end at the largest sizes and are periodic there, so that the rule says something of
// every shape.
bool has_all_sizes(const Maps& maps, const Rule& rule);

}  // namespace reprosum::reveal::region
