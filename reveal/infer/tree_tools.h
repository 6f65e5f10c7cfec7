// Small operations on explicit trees that the inference compares and tests with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spec/tree.h"

namespace reprosum::reveal::generalize {

// The same function of the summands with as few wide nodes and exact leaves as possible. A sum of
// two narrow values rounds the same way through f64 (53 >= 2 * 24 + 2 bits), so a wide node over
// narrow values whose own value is rounded to narrow at once is a narrow node; no output can tell
// them apart.
spec::Tree without_idle_widening(spec::Tree tree);

bool same_function(const spec::Tree& a, const spec::Tree& b);

// The tree restricted to the summands of [lo, hi), numbered from lo, canonical.
spec::Tree restrict_range(const spec::Tree& tree, std::int64_t lo, std::int64_t hi);

// Leaves of the subtree at the lowest common ancestor of i and each of js.
std::vector<std::int64_t> common_sizes(const spec::Tree& tree, std::int64_t i,
                                       std::span<const std::int64_t> js);

}  // namespace reprosum::reveal::generalize
