// The order of one class over k, without its scalars: what alpha = beta = 1 and C = -0 show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reveal/matrix/cell_target.h"
#include "reveal/matrix/class_order.h"
#include "spec/order.h"

namespace reprosum::reveal {

struct PlainOrder {
  spec::Order order;  // zero leaves placed, skips of x or y; defined on 1..k_max
  std::int64_t k_max = 0;
  std::string stopped;
  std::vector<std::int64_t> revealed;
};

// `skips`: the factors whose zeros leave products out (skipped_factors.h); each leaf is asked which
// of them it has. Throws Refused.
PlainOrder reveal_plain_order(CellTarget& cells, spec::Type type, std::int64_t k_max,
                              const ClassOptions& options, const std::vector<spec::Skip>& skips);

// Tests the nodes of the order's trees on both sides of its thresholds, over a period of its loops
// and at log-uniform sizes from k_min to k_max; returns the sizes at which every node was tested.
// Throws Refused on a wrong node.
std::vector<std::int64_t> check_plain_nodes(CellTarget& cells, spec::Type type,
                                            const spec::Order& order, std::int64_t k_min,
                                            std::int64_t k_max, std::uint64_t seed);

// Both sides of the order's thresholds and of the first multiples of its split constants, residues
// of its loops (at most about 2 * `residues` sizes per loop), and sizes that end a few summands
// behind blocks that go on, behind the first blocks from k_min on and the last ones; within
// 1..k_max and covered.
std::vector<std::int64_t> telling_sizes(const spec::Order& order, std::int64_t k_max,
                                        std::int64_t residues, std::int64_t k_min = 1);

}  // namespace reprosum::reveal
