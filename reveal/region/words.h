// Words: the types along one axis for one size, and what words of several sizes have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/region.h"

namespace reprosum::reveal::region {

struct Run {
  std::int32_t type = 0;
  std::int64_t count = 0;
  auto operator<=>(const Run&) const = default;
};
using Runs = std::vector<Run>;  // neighbours differ in type, counts are positive

Runs run_lengths(const std::vector<std::int32_t>& types);

// A constant word: repeats of two to six runs become one item, the shortest repeat first. (Taking
// the longest would read two thread halves as one pattern twice, for small sizes only.)
spec::Word compress(const Runs& runs);

// The word w(Q) with w(0) = a, w(1) = b, w(2) = c, if they differ only in numbers that are in
// arithmetic progression and do not fall.
std::optional<spec::Word> progression(const spec::Word& a, const spec::Word& b,
                                      const spec::Word& c);

Runs expand(const spec::Word& word, std::int64_t periods);

// @pre segment.from <= size. Sizes beyond segment.to follow the schemas; nullopt without schemas.
std::optional<Runs> word_of(const spec::Segment& segment, std::int64_t size);
// Like spec::stretches; with `beyond`, sizes above the axis follow its last segment.
std::optional<Runs> word_of(const spec::Axis& axis, std::int64_t size, bool beyond = false);

}  // namespace reprosum::reveal::region
