// Where a +0 may stand in an order without changing its trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "spec/order.h"

namespace reprosum::reveal {

// How a chain starts. They differ where a product is -0 or underflows to -0.
enum class Start : std::uint8_t {
  product,  // no zero: the first product itself
  fused,    // fma(x, y, +0)
  added,    // +0 + round(x * y)
};

// One placement in the schemas of a regime.
struct ZeroPlacement {
  Start accumulators = Start::product;  // chains of leaves with a run that grows with q
  Start tails = Start::product;         // other chains that start with a leaf
  Start lone_leaves = Start::product;   // rounded leaves that are operands on their own
  bool root = false;                    // one +0 is added to the whole result
  bool main_part = false;               // one +0 is added to what comes before the last summands
  Start first = Start::product;         // the first summand alone has a +0
  bool in_runs = false;                 // also in the orders of lanes (spec::Shape::sub)
};

// All of them, simplest first; the first places nothing.
std::vector<ZeroPlacement> zero_placements(bool products);

// The order with `placement` in regime k. In a split or parts regime only `root` (through a child
// with a zero start) and the sub-orders it names can change. May return `order` itself.
// In an explicit regime, `only` (if not 0) is the one size whose tree changes.
spec::Order with_zeros(const spec::Order& order, std::size_t k, const ZeroPlacement& placement,
                       std::int64_t only = 0);

// One schema with `placement`.
spec::Schema with_zeros(const spec::Schema& schema, const ZeroPlacement& placement);

// The order with loop regime k cut in two: the sizes below one block, without the chains that have
// no leaf there, and the rest. Returns `order` itself where there is nothing to cut.
spec::Order cut_below_block(const spec::Order& order, std::size_t k);

// The order with loop regime k cut in two at `border`, which becomes the end of the lower part;
// both parts keep the rule.
spec::Order cut_at(const spec::Order& order, std::size_t k, std::int64_t border);

// The order with n = 1 cut off regime k as a tree of its own. Returns `order` itself unless regime
// k is a loop that starts at 1 and goes on.
spec::Order cut_first_size(const spec::Order& order, std::size_t k);

}  // namespace reprosum::reveal
