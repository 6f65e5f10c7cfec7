// Few sizes, listed one by one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reveal/region/rule.h"

namespace reprosum::reveal::region {

// Whether the guard admits few sizes on both axes, whatever k is.
bool can_list(const Maps& maps, const std::vector<spec::Atom>& guard);

// Bounds on sizes that leave so few shapes between two comparisons of panels that can_list() is
// true. None: no bounds do, or leave hardly any, or a box near the origin has room between them.
std::vector<spec::Atom> bounds_of_list(const Maps& maps, const std::vector<spec::Atom>& guard,
                                       std::int64_t k_least);

// The rule of such a guard from all its shapes: each size has rows and columns of its own, so that
// no border between these shapes matters. They are looked at with the least k, from `k_least` on,
// above which none of some larger k tells more apart. nullopt, and why, if can_list() is false or
// the shapes are too many.
std::optional<Rule> list_sizes(Maps& maps, const std::vector<spec::Atom>& guard,
                               std::int64_t k_least, std::string& why);

}  // namespace reprosum::reveal::region
