// The all-node check (facts: every node of equal height in one call).
#pragma once

#include <cstdint>
#include <string>

#include "reveal/target.h"
#include "spec/tree.h"

namespace reprosum::reveal {

struct AllNodesResult {
  bool right = false;
  std::int64_t calls = 0, nodes = 0;
  std::string first_wrong;  // "(3 + 7) of height 5" if not right
};

// Tests every internal node of `predicted` (n leaves, in `context`) `repetitions` times, root level
// first, then leaves upwards. Soundness: see reveal/README.md.
AllNodesResult check_all_nodes(Target& target, const Call& context, const spec::Tree& predicted,
                               int repetitions, std::uint64_t seed);

}  // namespace reprosum::reveal
