// Masks: huge values that absorb every partial sum of units and cancel each other exactly.
#pragma once

#include <cstdint>

#include "reveal/target.h"

namespace reprosum::reveal {

// 1.5 * 2^e instead of 2^e: +M and -M then absorb equally much, because one ulp has the same size
// on both sides of either.
struct Masks {
  double alone;     // one pair in the call
  double together;  // several pairs: small multiples of it are finite and exact
  int exact_bits;   // integers up to 2^exact_bits are exact in an output
};

Masks masks(spec::Type type);

// Largest n whose counts are exact in the output.
std::int64_t largest_countable(spec::Type type);

}  // namespace reprosum::reveal
