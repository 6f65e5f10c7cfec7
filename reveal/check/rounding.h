// In which direction does a library round?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "reveal/target.h"

namespace reprosum::reveal {

// One operation: the number nearest to the exact result, what is missing to that (exactly), and
// what the library gave.
struct Rounded {
  double nearest = 0, missing = 0, got = 0;
};

// "toward zero", "upward", "downward", "away from zero" or "to nearest, ties away from zero" where
// that gives every one of these numbers and rounding to nearest, ties to even, does not; nullopt
// otherwise. @pre all are far from overflow and underflow.
std::optional<std::string> direction_of(std::span<const Rounded> all, bool is_f32);

// Throws Refused directed_rounding if sums of two summands are rounded in one of these ways.
void check_rounding(Target& target, const Call& context, std::uint64_t seed);

}  // namespace reprosum::reveal
