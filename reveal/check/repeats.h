// The same call several hundred times.
//
// A library that now and then gives other bits, as one whose threads race does, is deterministic
// wherever a call is made two or three times. What it then gives looks like a size, an address or
// an increment that matters, and each of these is followed up. So where bits are not those that
// were expected, the call is repeated before anything else is made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "reveal/target.h"

namespace reprosum::reveal {

// Where bits change once in a hundred calls, they do in so many of them with a chance of 98 %.
inline constexpr std::int64_t kRepeats = 400;

// Makes the call of one random vector at each of these sizes, of sum or dot, kRepeats times, or
// fewer if it is long; always with the vectors in the same place. "ddot n=61 ..: of 400 calls with
// the same numbers 10 gave other bits than the first: ..", or nullopt. Sizes below 1 are none.
std::optional<std::string> changes_when_repeated(Target& target, const Call& context,
                                                 std::span<const std::int64_t> sizes,
                                                 std::uint64_t seed);

// The same of gemv or gemm at some shapes that are no larger than `largest`.
std::optional<std::string> product_changes_when_repeated(Target& target, const Call& context,
                                                         const spec::Shape3& largest,
                                                         std::uint64_t seed);

}  // namespace reprosum::reveal
