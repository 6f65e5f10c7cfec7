// A sum of numbers and products without rounding, rounded once: what a fused node computes.
#pragma once

#include <array>
#include <cstdint>

#include "spec/format.h"

namespace reprosum::spec {

// A fixed-point number with a place for every bit of every product of doubles. Boring and obviously
// right; not fast. At most 2^30 operands.
class ExactSum {
 public:
  void add(double value) { add_product(value, 1); }
  void add_product(double x, double y);

  // To nearest even. NaN where an operand is one, or Inf times zero, or both infinities are there.
  // Zero is -0 where every operand is -0 or the sum, which is negative, is too small; else +0.
  double rounded(const Format& format) const;

 private:
  static constexpr int kDigitBits = 32;
  static constexpr int kLowest = -2 * 1074;  // exponent of the last bit
  static constexpr std::size_t kDigits = (2 * 1074 + 2 * 1024) / kDigitBits + 3;
  using Digits = std::array<std::int64_t, kDigits>;

  void add_bits(std::uint64_t bits, int place, bool negative);

  Digits digits_{};  // digit k counts 2^(kLowest + 32 k); each may be negative or large
  bool has_nan_ = false, has_plus_infinity_ = false, has_minus_infinity_ = false;
  bool has_other_than_minus_zero_ = false;
};

}  // namespace reprosum::spec
