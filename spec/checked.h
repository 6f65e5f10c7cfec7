// Arithmetic on numbers that come from a document, where a sum or product may be anything.
#pragma once

#include <cstdint>

namespace reprosum::spec {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

// What no size, place or count of a document reaches, and what sums of a few still fit beside.
inline constexpr std::int64_t kFarthest = std::int64_t{1} << 60;

// The value where it lies within +-kFarthest, else that bound: it then fails whatever the value
// would have failed.
constexpr std::int64_t clamped(Int128 value) {
  return value > kFarthest    ? kFarthest
         : value < -kFarthest ? -kFarthest
                              : static_cast<std::int64_t>(value);
}

// A result that does not fit. Who computes with a document's numbers says what then: it refuses, or
// leaves the order to the interpreter.
struct TooLarge {};

inline std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw TooLarge{};
  return sum;
}
inline std::int64_t checked_difference(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) throw TooLarge{};
  return difference;
}
inline std::int64_t checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw TooLarge{};
  return product;
}

}  // namespace reprosum::spec
