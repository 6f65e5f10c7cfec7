// Upper bounds of radii: floating point of 32 bits and any exponent, always rounded up.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "src/exact/values/wide_integer.h"

namespace reprosum::exact {

// bits * 2^exponent, bits in [2^31, 2^32), or zero (bits 0).
struct Magnitude {
  std::uint64_t bits = 0;
  std::int64_t exponent = 0;

  bool zero() const { return bits == 0; }
  // Where it ends: the value is below 2^top().
  std::int64_t top() const { return exponent + 32; }

  // value * 2^exponent, rounded up.
  static Magnitude above(std::uint64_t value, std::int64_t exponent) {
    if (value == 0) return {};
    const int shift = 32 - (64 - std::countl_zero(value));
    if (shift >= 0) return {value << shift, exponent - shift};
    return normal((value >> -shift) + 1, exponent - shift);
  }

  friend Magnitude operator+(Magnitude a, Magnitude b) {
    if (a.zero()) return b;
    if (b.zero()) return a;
    if (a.exponent < b.exponent) std::swap(a, b);
    const std::int64_t apart = a.exponent - b.exponent;
    return normal(a.bits + (apart < 32 ? b.bits >> apart : 0) + 1, a.exponent);
  }
  friend Magnitude operator*(Magnitude a, Magnitude b) {
    if (a.zero() || b.zero()) return {};
    return above(a.bits * b.bits, a.exponent + b.exponent);
  }
  // @pre divisor > 0
  Magnitude over(std::uint64_t divisor) const {
    if (zero()) return {};
    const int shift = std::max(0, 64 - std::countl_zero(divisor) - 32);
    const std::uint64_t below = divisor >> shift;  // divisor >= below * 2^shift
    return above((bits << 32) / below + 1, exponent - 32 - shift);
  }

 private:
  static Magnitude normal(std::uint64_t bits, std::int64_t exponent) {
    return bits >> 32 == 0 ? Magnitude{bits, exponent} : Magnitude{(bits >> 1) + 1, exponent + 1};
  }
};

}  // namespace reprosum::exact
