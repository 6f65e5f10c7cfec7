// The nodes at which two trees part, in words.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "spec/tree.h"

namespace reprosum::spec {

// The first node of each tree, in postorder, that the other lacks there, by the least summands of
// its operands: "(0 + fma 4)", "&(0 + 160)". @pre the trees differ.
std::pair<std::string, std::string> first_parting_nodes(const Tree& a, const Tree& b);

// The tree without the nodes that add a zero leaf: equal bits but for signs of zero. A product that
// is fused onto zeros alone is a rounded one then. nullopt where such a node does more than add:
// it rounds to another format, or it would leave two scales on one value.
std::optional<Tree> without_zeros(const Tree& tree);

}  // namespace reprosum::spec
