// Many yes/no probes in few calls: answers that add up, split where they disagree.
#pragma once

#include <vector>

#include "reveal/tree/prober.h"

namespace reprosum::reveal {

// A probe on all-zero summands whose output is `no` or `no + yes`.
struct CountTest {
  Probe probe;
  std::size_t id = 0;
};

// The tests of one group do not disturb each other: together they answer count * yes (so `no` must
// be 0 where a group has more than one). Returns, by id (0 .. ids-1), who said yes. A group that
// agrees costs one call. Throws Refused("unknown_arithmetic") on any other answer.
std::vector<bool> count_tests(Prober& prober, const std::vector<std::vector<CountTest>>& groups,
                              std::size_t ids, double no, double yes, double other = 1);

}  // namespace reprosum::reveal
