// The all-node check (facts: every node of equal height in one call).
#pragma once

#include <cstdint>
#include <string>

#include "reveal/target.h"
#include "spec/tree.h"

namespace reprosum::reveal {

struct AllNodesResult {
  bool right = false;
  std::int64_t calls = 0, nodes = 0;  // nodes: distinct ones that were tested
  std::string first_wrong;            // "(3 + 7) of height 5" if not right
};

// Tests every internal node of `predicted` (n leaves, in `context`) `repetitions` times, root level
// first, then leaves upwards. Soundness: see reveal/tree/README.md.
AllNodesResult check_all_nodes(Target& target, const Call& context, const spec::Tree& predicted,
                               int repetitions, std::uint64_t seed);

// The same within about `max_calls` calls: every node if that is enough, otherwise the levels next
// to the root, those next to the leaves, and a random sample of the others. right says that no
// tested node is wrong; nodes == n - 1 says that all were tested.
AllNodesResult check_some_nodes(Target& target, const Call& context, const spec::Tree& predicted,
                                int repetitions, std::int64_t max_calls, std::uint64_t seed);

}  // namespace reprosum::reveal
