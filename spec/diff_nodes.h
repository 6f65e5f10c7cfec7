// The nodes at which two trees part, in words.
#pragma once

#include <string>
#include <utility>

#include "spec/tree.h"

namespace reprosum::spec {

// The first node of each tree, in postorder, that the other lacks there, by the least summands of
// its operands: "(0 + fma 4)", "&(0 + 160)". @pre the trees differ.
std::pair<std::string, std::string> first_parting_nodes(const Tree& a, const Tree& b);

}  // namespace reprosum::spec
