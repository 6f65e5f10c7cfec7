// A sum of products that is exact and rounded once, on plain integers: a referee for tests that
// owes nothing to the code under test. Slow and short.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace reprosum::reveal::testing {

class ExactAccumulator {
 public:
  void add(double value) { add_product(value, 1.0); }

  void add_product(double a, double b) {
    any_ = true;
    if (!std::isfinite(a) || !std::isfinite(b)) {
      special_ += a * b;  // Inf and NaN have no place in an integer
      return;
    }
    if (a == 0 || b == 0) {
      all_negative_zero_ = all_negative_zero_ && std::signbit(a) != std::signbit(b);
      return;
    }
    all_negative_zero_ = false;
    int exponent_a, exponent_b;
    const auto mantissa_a = static_cast<std::int64_t>(std::ldexp(std::frexp(a, &exponent_a), 53));
    const auto mantissa_b = static_cast<std::int64_t>(std::ldexp(std::frexp(b, &exponent_b), 53));
    const Signed product = static_cast<Signed>(mantissa_a) * mantissa_b;
    const int shift = exponent_a + exponent_b - 106 - kLowest;
    add_shifted(static_cast<Unsigned>(product), product < 0, shift);
  }

  // Correctly rounded to nearest even.
  double to_double() const { return rounded(53, -1074, HUGE_VAL); }
  float to_float() const { return static_cast<float>(rounded(24, -149, 0x1p128)); }

 private:
  static constexpr int kLowest = -2300;  // exponent of bit 0: below every product of two subnormals
  static constexpr int kLimbs = 76;      // 4864 bits: products reach 2^2048, and room for carries
  using Limbs = std::array<std::uint64_t, kLimbs>;

  __extension__ using Signed = __int128;
  __extension__ using Unsigned = unsigned __int128;

  void add_shifted(Unsigned value, bool negative, int shift) {
    const auto limb = static_cast<std::size_t>(shift / 64);
    const int bits = shift % 64;
    const std::uint64_t fill = negative ? ~std::uint64_t{0} : 0;
    const auto low = static_cast<std::uint64_t>(value);
    const auto high = static_cast<std::uint64_t>(value >> 64);
    const std::array<std::uint64_t, 3> words{
        low << bits, bits == 0 ? high : (high << bits) | (low >> (64 - bits)),
        bits == 0 ? fill : (fill << bits) | (high >> (64 - bits))};
    Unsigned carry = 0;
    for (std::size_t i = limb; i < limbs_.size(); ++i) {
      carry += limbs_[i];
      carry += i - limb < words.size() ? words[i - limb] : fill;
      limbs_[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }

  double rounded(int precision, int lowest, double overflow) const {
    if (special_ != 0 || std::isnan(special_)) return special_;
    Limbs magnitude = limbs_;
    const bool negative = magnitude.back() >> 63;
    if (negative) {
      std::uint64_t carry = 1;
      for (std::uint64_t& limb : magnitude) {
        limb = ~limb + carry;
        carry = carry && limb == 0;
      }
    }
    int top = -1;
    for (int i = kLimbs - 1; i >= 0 && top < 0; --i) {
      const std::uint64_t limb = magnitude[static_cast<std::size_t>(i)];
      if (limb != 0) top = 64 * i + 63 - std::countl_zero(limb);
    }
    if (top < 0) return all_negative_zero_ && any_ ? -0.0 : 0.0;
    const auto bit = [&](int i) {
      return i >= 0 && ((magnitude[static_cast<std::size_t>(i / 64)] >> (i % 64)) & 1) != 0;
    };
    // The last kept bit: `precision` bits from the top, but not below the smallest subnormal.
    const int last = std::max(top - precision + 1, lowest - kLowest);
    std::uint64_t mantissa = 0;
    for (int i = top; i >= last; --i) mantissa = 2 * mantissa + (bit(i) ? 1 : 0);
    bool sticky = false;
    for (int i = last - 2; i >= 0 && !sticky; --i) sticky = bit(i);
    if (bit(last - 1) && (sticky || (mantissa & 1) != 0)) ++mantissa;
    double result = std::ldexp(static_cast<double>(mantissa), last + kLowest);
    if (result >= overflow) result = HUGE_VAL;
    return negative ? -result : result;
  }

  Limbs limbs_{};
  double special_ = 0;
  bool all_negative_zero_ = true;
  bool any_ = false;  // an empty sum is +0
};

}  // namespace reprosum::reveal::testing
