// Arithmetic modulo the prime 2^127 - 1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "spec/checked.h"

namespace reprosum::spec {

class Residue {
 public:
  constexpr Residue() = default;
  // 0 <= value < 2^127
  constexpr explicit Residue(UInt128 value) : value_(folded(value)) {}

  friend constexpr Residue operator+(Residue a, Residue b) { return Residue(a.value_ + b.value_); }
  friend constexpr Residue operator-(Residue a, Residue b) {
    return Residue(a.value_ + (kPrime - b.value_));
  }
  // Halves of 64 and 63 bits; 2^127 is 1, so 2^128 is 2.
  friend constexpr Residue operator*(Residue a, Residue b) {
    const auto low = [](UInt128 v) { return static_cast<std::uint64_t>(v); };
    const auto high = [](UInt128 v) { return static_cast<std::uint64_t>(v >> 64); };
    const UInt128 bottom = UInt128{low(a.value_)} * low(b.value_);
    const UInt128 top = UInt128{high(a.value_)} * high(b.value_);
    const UInt128 middle =
        UInt128{low(a.value_)} * high(b.value_) + UInt128{high(a.value_)} * low(b.value_);
    const UInt128 shifted = (middle >> 63) + ((middle & ((UInt128{1} << 63) - 1)) << 64);
    return Residue(folded(folded(bottom) + 2 * top)) + Residue(shifted);
  }
  friend constexpr bool operator==(Residue a, Residue b) = default;

  // @pre the residue is not 0
  constexpr Residue inverse() const {  // a^(p - 2), p - 2 = 2^127 - 3
    Residue power(1), square = *this;
    for (int bit = 0; bit < 127; ++bit, square = square * square)
      if (bit != 1) power = power * square;
    return power;
  }

 private:
  static constexpr UInt128 kPrime = (UInt128{1} << 127) - 1;
  static constexpr UInt128 folded(UInt128 value) {
    value = (value & kPrime) + (value >> 127);
    return value >= kPrime ? value - kPrime : value;
  }
  UInt128 value_ = 0;
};

// Powers of one residue with any exponent of 64 bits, by products of precomputed ones.
class Powers {
 public:
  explicit Powers(Residue base) {
    for (Side* side : {&positive_, &negative_}) {
      Residue unit = side == &positive_ ? base : base.inverse();
      for (auto& digit : *side) {
        digit[0] = Residue(1);
        for (std::size_t k = 1; k < kDigit; ++k) digit[k] = digit[k - 1] * unit;
        unit = digit[kDigit - 1] * unit;
      }
    }
  }

  Residue at(std::int64_t exponent) const {
    const Side& side = exponent < 0 ? negative_ : positive_;
    auto left = exponent < 0 ? 0 - static_cast<std::uint64_t>(exponent)
                             : static_cast<std::uint64_t>(exponent);
    Residue power = side[0][left % kDigit];
    for (std::size_t d = 1; (left /= kDigit) != 0; ++d)
      if (left % kDigit != 0) power = power * side[d][left % kDigit];
    return power;
  }

 private:
  static constexpr std::size_t kDigit = 256, kDigits = 8;
  using Side = std::array<std::array<Residue, kDigit>, kDigits>;
  Side positive_, negative_;
};

}  // namespace reprosum::spec
