// Words over one axis: their lengths as polynomials, and their expansion at one size.
#pragma once

#include <cstdint>

#include "spec/region.h"

namespace reprosum::spec {

// Limits on a region rule, so that a hostile one costs bounded memory and time.
inline constexpr std::int64_t kMaxStretches = std::int64_t{1} << 22;  // of the expansion of a word
inline constexpr std::size_t kMaxSegments = 1 << 12;                  // of an axis
inline constexpr std::size_t kMaxWords = 1 << 20;                     // of an axis
inline constexpr std::size_t kMaxRuns = 1 << 22;                      // of an axis
inline constexpr std::size_t kMaxTable = 1 << 22;                     // entries
inline constexpr std::size_t kMaxAtoms = 64;                          // of a guard
inline constexpr std::size_t kMaxRulesForZero = 1 << 12;              // of a class, by k

// For values >= 0; what exceeds 2^62 is 2^62.
inline constexpr std::int64_t kSaturated = std::int64_t{1} << 62;
std::int64_t saturating_sum(std::int64_t a, std::int64_t b);
std::int64_t saturating_product(std::int64_t a, std::int64_t b);

// The length of a word is constant + linear * Q + square * Q^2.
struct WordLength {
  std::int64_t constant = 0, linear = 0, square = 0;
};
// @pre no coefficient of the word is negative.
WordLength length_of(const Word& word);

// The segment that holds the size, or nullptr.
const Segment* segment_of(const Axis& axis, std::int64_t size);

// How many runs the expansion of a size visits (an item of one run counts once); saturated.
std::int64_t run_count(const Segment& segment, std::int64_t size);

}  // namespace reprosum::spec
