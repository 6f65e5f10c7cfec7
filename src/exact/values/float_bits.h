// A float or double as sign, integer significand and position, by integer operations alone: neither
// the rounding mode nor flush-to-zero can touch them.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace reprosum::exact {

template <class T>
struct Format {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  static constexpr bool kDouble = std::is_same_v<T, double>;
  using Bits = std::conditional_t<kDouble, std::uint64_t, std::uint32_t>;
  static constexpr int kDigits = kDouble ? 53 : 24;        // of a significand
  static constexpr int kFraction = kDigits - 1;            // of which stored
  static constexpr int kLowest = kDouble ? -1074 : -149;   // exponent of the smallest value
  static constexpr int kSpecial = kDouble ? 0x7ff : 0xff;  // exponent field of Inf and NaN
  static constexpr int kLargestPosition = kSpecial - 2;    // of a finite value
  static constexpr int kSignBit = kDouble ? 63 : 31;
  static constexpr Bits kInfinity = Bits(kSpecial) << kFraction;
  static constexpr Bits kQuietNan = kInfinity | (Bits(1) << (kFraction - 1));
  static constexpr Bits kSign = Bits(1) << kSignBit;
};

// |value| = significand * 2^(kLowest + position), unless special (Inf: significand 0, NaN: other).
struct Decoded {
  std::uint64_t significand;
  int position;
  bool negative;
  bool special;
};

template <class T>
inline Decoded decode(T value) {
  using F = Format<T>;
  const auto bits = std::bit_cast<typename F::Bits>(value);
  const int field = static_cast<int>(bits >> F::kFraction) & F::kSpecial;
  const std::uint64_t fraction = bits & ((typename F::Bits(1) << F::kFraction) - 1);
  const bool negative = (bits >> F::kSignBit) != 0;
  if (field == F::kSpecial) return {fraction, 0, negative, true};
  const std::uint64_t hidden = field != 0 ? std::uint64_t{1} << F::kFraction : 0;
  return {fraction | hidden, field - (field != 0), negative, false};
}

// Also where subnormal numbers compare equal to zero.
template <class T>
bool is_zero(T value) {
  return (std::bit_cast<typename Format<T>::Bits>(value) & ~Format<T>::kSign) == 0;
}

}  // namespace reprosum::exact
