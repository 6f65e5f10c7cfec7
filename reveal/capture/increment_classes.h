// Which increments matter: pairs (incx, incy) sorted into classes by the bits that they give.
//
// The bits of random cancelling data sort the kinds 1, -1, 0, 2 and more, -2 and less of x and y
// into classes. Each increment up to 520, multiples of 64, neighbours of powers of two and random
// ones up to 10,000 are looked at in every pair of kinds; where they differ, the kind is cut at the
// border, up to six times. If increments of the remaining part still differ, only its plainest pair
// is captured and the others are refused. A class is captured as one context: each call of a
// comparison draws its increments anew from the class (check/drawn_increments), and its addresses
// from those that share the order. If an order is wrong then, the kinds are captured one by one.
// Each kind is also tried with vectors that reach far, by their size times their increment
// (check/far_check): there a library may copy a vector first. Vectors reach over 2^21 elements at
// most, so that long ones have small increments; the certificate says so.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "reveal/target.h"
#include "spec/increments.h"

namespace reprosum::reveal {

// Increments that gave the same bits at every look.
struct IncrementClass {
  std::vector<spec::Increments> increments;             // of one kind each (spec::kIncrementKinds)
  std::pair<std::int64_t, std::int64_t> example{1, 1};  // the plainest one
};

// Increments among which no classes were found.
struct RefusedIncrements {
  std::vector<spec::Increments> increments;
  std::string reason, why;  // with an example of what differs
};

struct IncrementClasses {
  // The first class comes from the first of the pairs that were asked for; those of the others
  // follow.
  std::vector<IncrementClass> classes;
  std::vector<RefusedIncrements> refused;
};

// Sorts the increments of sum, dot or gemv into classes; for gemv by the bits of every output.
// Increments that the target declines are in no class.
IncrementClasses increment_classes(Target& target, const Call& context,
                                   const std::vector<spec::Increments>& asked, std::uint64_t seed);

// What was found for the example of a class does not hold for others of it.
struct OneOfMany : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The increments that were asked for, each part as a class, without asking a target.
std::vector<IncrementClass> not_sorted(const std::vector<spec::Increments>& asked);

// A class divided: its parts one by one or, if it has one part, the example alone. Empty if it
// cannot be divided.
std::vector<IncrementClass> parted(const IncrementClass& whole);

// "", or " and other increments: 1:2.. 2..:1".
std::string others_of(const IncrementClass& increments, bool has_y);

// The plainest pair of each kind that was asked for.
std::vector<std::pair<std::int64_t, std::int64_t>> example_pairs(
    const std::vector<spec::Increments>& asked);

}  // namespace reprosum::reveal
