// Terms of a block, summed without carries: signed 64-bit digits of weight 2^32. A term touches
// five digits at most and no term waits for another's carry.
#pragma once

#include <array>
#include <cstdint>

#include "src/exact/values/accumulator.h"

namespace reprosum::exact {

template <class A>
class CarrySave {
 public:
  using Target = Accumulator<A>;

  // A term adds less than 2^33 to a digit (two parts below 2^32 where they overlap), so 2^29 terms
  // stay below 2^62 and the carry of a digit, below 2^31, does not take it out of 64 bits.
  static constexpr std::int64_t kMostTerms = std::int64_t{1} << 29;

  template <class T>
  void add(T x) {
    const Decoded d = decode(x);
    seen_ |= exact::seen_of(d);
    if (d.special) return;  // zeros add nothing to the digits
    add_part(d.significand, d.position + Format<T>::kLowest - Target::kLowest, d.negative);
  }

  template <class T>
  void add_product(T x, T y) {
    const Decoded a = decode(x), b = decode(y);
    seen_ |= exact::seen_of_product(a, b);
    if (a.special || b.special) return;
    const Uint128 product = Uint128(a.significand) * b.significand;
    const int bit = a.position + b.position + 2 * Format<T>::kLowest - Target::kLowest;
    const bool negative = a.negative != b.negative;
    add_part(static_cast<std::uint64_t>(product), bit, negative);
    if constexpr (Format<T>::kDouble)  // 48 bits have no high part
      add_part(static_cast<std::uint64_t>(product >> 64), bit + 64, negative);
  }

  // Adds the block to an accumulator and empties it.
  void flush(Target& target) {
    typename Target::Words words{};
    std::int64_t carry = 0;
    for (std::size_t i = 0; i < kDigits; ++i) {
      const std::int64_t digit = digits_[i] + carry;
      words[i / 2] |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(digit))
                      << (32 * (i % 2));
      carry = digit >> 32;
    }
    target.add_words(words, seen_);
    digits_ = {};
    seen_ = 0;
  }

 private:
  // The highest term has its last bit at 2 * kLargestPosition; the digits that its parts may reach,
  // zeros among them, lie within the words (checked below).
  static constexpr std::size_t kDigits = 2 * Target::kWords;
  static_assert((2 * Format<A>::kLargestPosition + 64) / 32 + 3 <= int(kDigits));

  void add_part(std::uint64_t part, int bit, bool negative) {
    const auto first = static_cast<std::size_t>(bit / 32);
    const Uint128 shifted = Uint128(part) << (bit % 32);
    const std::int64_t sign = -static_cast<std::int64_t>(negative);
    for (int k = 0; k < 3; ++k) {
      const auto digit = static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> (32 * k)));
      digits_[first + static_cast<std::size_t>(k)] += (digit ^ sign) - sign;
    }
  }

  std::array<std::int64_t, kDigits> digits_{};
  std::uint8_t seen_ = 0;
};

}  // namespace reprosum::exact
