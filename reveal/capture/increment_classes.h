// Which increments matter: pairs (incx, incy) sorted into classes by the bits that they give.
//
// Which increments matter? (capture/increment_classes) Bits of random cancelling data sort the
// kinds 1, -1, 0, 2 and more, -2 and less of x and y into classes. Each increment up to 520,
// multiples of 64, neighbours of powers of two and random ones up to 10,000 are looked at in
// every pair of kinds; where they differ the kind is cut at the border, up to six times, and
// what is left is refused but for its plainest pair. A class is captured as one context: what it
// is compared with has increments that are drawn from it anew in each call
// (check/drawn_increments), as are its addresses from those that share the order, and orders
// that are wrong then are captured kind by kind. Each kind is also tried at sizes and increments
// that together reach far (check/far_check): there a library may copy a vector first. Vectors
// reach over 2^21 elements at most, so that long ones have small increments; the certificate
// says so.
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

// Increments that gave the same bits wherever it was looked.
struct IncrementClass {
  std::vector<spec::Increments> increments;             // of one kind each (spec::kIncrementKinds)
  std::pair<std::int64_t, std::int64_t> example{1, 1};  // the plainest one
};

struct IncrementClasses {
  // The first one is of the first pair of those that were asked for alone, and next come the
  // others.
  std::vector<IncrementClass> classes;
  // Increments among which no classes were found, and an example of what differs.
  std::vector<std::pair<spec::Increments, std::string>> refused;
};

// Sorts the increments of sum, dot or gemv, which has its by the bits of every output. Increments
// that the target declines are in no class.
IncrementClasses increment_classes(Target& target, const Call& context,
                                   const std::vector<spec::Increments>& asked, std::uint64_t seed);

// What was found for the example of a class does not hold for others of it.
struct OneOfMany : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What was asked for as it was said, each part as a class, nothing being asked of a target.
std::vector<IncrementClass> not_sorted(const std::vector<spec::Increments>& asked);

// The parts of a class, one by one; of one part its example alone. Empty: there is nothing to part.
std::vector<IncrementClass> parted(const IncrementClass& whole);

// "", or " and other increments: 1:2.. 2..:1".
std::string others_of(const IncrementClass& increments, bool has_y);

// The plainest pair of each kind that was asked for.
std::vector<std::pair<std::int64_t, std::int64_t>> example_pairs(
    const std::vector<spec::Increments>& asked);

}  // namespace reprosum::reveal
