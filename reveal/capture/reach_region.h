// The longer products that a capture claims beyond the sizes it learned from, and random ones of
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/region.h"

namespace reprosum::reveal {

spec::Atom at_most(bool m, bool n, bool k, std::int64_t limit);

// What one product costs a fast target, with its data and outputs, in multiplications.
double cost(const spec::Shape3& shape);

struct ReachRegion {
  spec::Shape3 learned;            // what lies within these is claimed already
  std::vector<spec::Atom> bounds;  // at_most: all hold; each size has one of its own
  // Not claimed: where all of the atoms of one hold, each of them `above`.
  std::vector<std::vector<spec::Atom>> left_out;

  bool is_beyond(const spec::Shape3& shape) const;  // the learned sizes
  bool claims(const spec::Shape3& shape) const;     // and is beyond them
  // The shapes beyond the learned sizes at which these atoms hold, each of them `above`.
  std::vector<std::vector<spec::Atom>> beyond(const std::vector<spec::Atom>& atoms) const;
};

// Shapes that the region claims. Suppose that an order changes where a product of sizes exceeds
// some value. If the region reaches beyond that border, one of its corners does, as both are convex
// in the logarithms of the sizes. So some shapes are close to every corner, where three limits
// meet: limits of the region, of the excluded shapes, or the least sizes. An order may also change
// where several sizes each exceed a value of their own; beyond such a border lie limits of
// products. So some shapes lie on each of these limits, and some beside the excluded shapes. The
// others are drawn evenly in the logarithms, with one size evenly by itself, just beyond the
// learned sizes, long and thin, and a little more than whole blocks. Dear ones are few. In random
// order.
std::vector<spec::Shape3> plan_reach(const ReachRegion& region, std::uint64_t salt);

// Every size beyond the learned ones up to `to`, and above it those that libraries may tell from
// others (check/far_sizes.h), of one side after the other, in thin shapes that the region claims:
// blocks of whatever length leave each of their rests behind there.
std::vector<spec::Shape3> plan_every_size(const ReachRegion& region, std::int64_t to,
                                          std::uint64_t salt);

}  // namespace reprosum::reveal
