// The superaccumulator: the exact sum of any finite values and products of two, and what else was
// among the terms (NaN, infinities, zeros). Its state depends on the terms alone, not on their
// order or grouping, and so do its bytes (README.md).
#pragma once

#include <cstdint>

#include "src/exact/values/float_bits.h"
#include "src/exact/values/round.h"
#include "src/exact/values/wide_integer.h"

namespace reprosum::exact {

// What was among the terms. A product is a term with the value and sign of its exact product.
enum Seen : std::uint8_t {
  kSeenNan = 1,  // a NaN, or infinity times zero
  kSeenPlusInfinity = 2,
  kSeenMinusInfinity = 4,
  kSeenPlusZero = 8,
  kSeenMinusZero = 16,
  kSeenNonzero = 32,  // finite
  kSeenAny = 63
};

inline std::uint8_t seen_infinity(bool negative) {
  return negative ? kSeenMinusInfinity : kSeenPlusInfinity;
}
inline std::uint8_t seen_zero(bool negative) { return negative ? kSeenMinusZero : kSeenPlusZero; }

inline std::uint8_t seen_of(const Decoded& d) {
  if (d.special) return d.significand != 0 ? std::uint8_t(kSeenNan) : seen_infinity(d.negative);
  return d.significand != 0 ? std::uint8_t(kSeenNonzero) : seen_zero(d.negative);
}

inline std::uint8_t seen_of_product(const Decoded& a, const Decoded& b) {
  const bool negative = a.negative != b.negative;
  const auto is_nan = [](const Decoded& d) { return d.special && d.significand != 0; };
  const auto is_zero = [](const Decoded& d) { return !d.special && d.significand == 0; };
  if (is_nan(a) || is_nan(b)) return kSeenNan;
  if (a.special || b.special)
    return is_zero(a) || is_zero(b) ? std::uint8_t(kSeenNan) : seen_infinity(negative);
  return is_zero(a) || is_zero(b) ? seen_zero(negative) : std::uint8_t(kSeenNonzero);
}

// What was among the negated terms.
inline std::uint8_t negated(std::uint8_t seen) {
  const auto swap = [&](unsigned plus, unsigned minus) {
    return ((seen & plus) != 0 ? minus : 0u) | ((seen & minus) != 0 ? plus : 0u);
  };
  return static_cast<std::uint8_t>((seen & (kSeenNan | kSeenNonzero)) |
                                   swap(kSeenPlusInfinity, kSeenMinusInfinity) |
                                   swap(kSeenPlusZero, kSeenMinusZero));
}

// A NaN or an infinity decides the sum: then this is true, and `result` it.
template <class T>
bool decided_by_specials(std::uint8_t seen, T& result) {
  using G = Format<T>;
  using Bits = typename G::Bits;
  const unsigned infinities = seen & (kSeenPlusInfinity | kSeenMinusInfinity);
  if ((seen & kSeenNan) != 0 || infinities == (kSeenPlusInfinity | kSeenMinusInfinity)) {
    result = std::bit_cast<T>(G::kQuietNan);
    return true;
  }
  if (infinities == 0) return false;
  const Bits sign = infinities == kSeenMinusInfinity ? G::kSign : 0;
  result = std::bit_cast<T>(static_cast<Bits>(sign | G::kInfinity));
  return true;
}

// Is a sum that is exactly zero -0?
inline bool zero_is_negative(std::uint8_t seen, Rounding mode) {
  const bool only_plus = seen == 0 || seen == kSeenPlusZero;
  return seen == kSeenMinusZero || (mode == Rounding::downward && !only_plus);
}

// The sum value * 2^lowest of terms of which `seen` tells, rounded once.
template <class T, std::size_t kWords>
T round_sum(const WideInteger<kWords>& value, int lowest, std::uint8_t seen, Rounding mode) {
  using G = Format<T>;
  using Bits = typename G::Bits;
  T result;
  if (decided_by_specials(seen, result)) return result;
  if (is_zero(value))
    return std::bit_cast<T>(static_cast<Bits>(zero_is_negative(seen, mode) ? G::kSign : 0));
  return exact::round<T>(value, lowest, mode);
}

// A is float or double: the type whose products are covered.
//
// The value is an integer times 2^kLowest in two's complement. Products of two A lie below
// 2^kTopExponent and are multiples of 2^kLowest; 2^64 of them stay below 2^(kTopExponent + 64). The
// words have 27 (double) and 21 (float) more bits above that, besides the sign.
template <class A>
class Accumulator {
 public:
  using F = Format<A>;
  static constexpr int kLowest = 2 * F::kLowest;
  static constexpr int kTopExponent = F::kDouble ? 2048 : 256;
  static constexpr int kCarryBits = 64;
  static constexpr int kRangeBits = kTopExponent - kLowest + kCarryBits;
  static constexpr std::size_t kWords = (kRangeBits + 1 + 63) / 64;
  using Words = WideInteger<kWords>;

  // T may be A or, in an accumulator of double, float.
  template <class T>
  void add(T x) {
    const Decoded d = decode(x);
    seen_ |= exact::seen_of(d);
    if (d.special || d.significand == 0) return;
    exact::add_at(words_, d.significand, d.position + Format<T>::kLowest - kLowest, d.negative);
  }

  template <class T>
  void add_product(T x, T y) {
    const Decoded a = decode(x), b = decode(y);
    seen_ |= exact::seen_of_product(a, b);
    const Uint128 product = Uint128(a.significand) * b.significand;
    if (a.special || b.special || product == 0) return;
    const int bit = a.position + b.position + 2 * Format<T>::kLowest - kLowest;
    exact::add_at(words_, product, bit, a.negative != b.negative);
  }

  void negate() {
    exact::negate(words_);
    seen_ = exact::negated(seen_);
  }

  // False, and nothing is changed, if the sum is not below 2^(kTopExponent + kCarryBits).
  bool merge(const Accumulator& other) {
    Words sum = words_;
    exact::add(sum, other.words_);
    if (!in_range(sum)) return false;
    words_ = sum;
    seen_ |= other.seen_;
    return true;
  }

  // For blocks of terms that were summed elsewhere. @pre the sum of all terms is in range
  void add_words(const Words& words, std::uint8_t seen) {
    exact::add(words_, words);
    seen_ |= seen;
  }

  // One rounding of the sum; see README.md for NaN, infinities and the sign of zero.
  template <class T>
  T rounded(Rounding mode) const {
    return round_sum<T>(words_, kLowest, seen_, mode);
  }

  const Words& words() const { return words_; }
  std::uint8_t seen() const { return seen_; }

  // False, and nothing is changed, for a state that no terms give: words out of range, unknown
  // flags, or a sum that is not zero of terms that are.
  bool assign(const Words& words, std::uint8_t seen) {
    if (!in_range(words) || (seen & ~kSeenAny) != 0) return false;
    if ((seen & kSeenNonzero) == 0 && !is_zero(words)) return false;
    words_ = words;
    seen_ = seen;
    return true;
  }

 private:
  // |value| < 2^kRangeBits in units of the lowest bit, so that a value and its negative are both
  // in range or both out.
  static bool in_range(Words value) {
    if (is_negative(value)) exact::negate(value);
    return !is_negative(value) && highest_bit(value) < kRangeBits;
  }

  Words words_{};
  std::uint8_t seen_ = 0;
};

}  // namespace reprosum::exact
