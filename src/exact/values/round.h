// One rounding from an exact value to a float or double, in any of four modes.
#pragma once

#include "src/exact/values/float_bits.h"
#include "src/exact/values/wide_integer.h"

namespace reprosum::exact {

enum class Rounding { nearest_even = 0, toward_zero = 1, upward = 2, downward = 3 };

// The T nearest to value * 2^lowest in the given direction; the sign is the value's, even if the
// result is zero. Beyond the finite numbers: infinity, except where the mode points back to zero;
// there the largest finite number. @pre value != 0
//
// Why it is right: with the magnitude's highest bit at h, a T of that size has its last place at
// 2^lsb, lsb = max(h + lowest - kFraction, kLowest). The magnitude is q * 2^lsb + rest with q an
// integer below 2^kDigits and 0 <= rest < 2^lsb; so q and q + 1 are its neighbours among all T, and
// the bit below the cut and whether anything lies under that bit tell on which side of the middle
// it lies. The encodings of T count up with its magnitudes, so that q + 1 needs no case for a carry
// into the exponent or into infinity.
template <class T, std::size_t kWords>
T round(WideInteger<kWords> value, int lowest, Rounding mode) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const bool negative = is_negative(value);
  if (negative) negate(value);
  const int highest = highest_bit(value);
  const int position = highest + lowest - F::kFraction - F::kLowest;  // of the last place
  const int cut = (position > 0 ? position : 0) + F::kLowest - lowest;
  const bool away =
      (mode == Rounding::upward && !negative) || (mode == Rounding::downward && negative);
  const Bits sign = negative ? F::kSign : 0;
  if (position > F::kLargestPosition) {
    const bool infinite = away || mode == Rounding::nearest_even;
    return std::bit_cast<T>(static_cast<Bits>(sign | (F::kInfinity - (infinite ? 0 : 1))));
  }
  // Below the lowest bit of the value there is nothing: a cut there is exact.
  const std::uint64_t field = std::uint64_t(position > 0 ? position : 0) << F::kFraction;
  if (cut <= 0) {
    const std::uint64_t q = bits_from(value, 0) << -cut;
    return std::bit_cast<T>(static_cast<Bits>(sign | static_cast<Bits>(field + q)));
  }
  const std::uint64_t mask = (std::uint64_t{1} << F::kDigits) - 1;
  const std::uint64_t q = bits_from(value, cut) & mask;
  const bool half = (bits_from(value, cut - 1) & 1) != 0;
  const bool rest = any_below(value, cut - 1);
  const bool up =
      away ? half || rest : mode == Rounding::nearest_even && half && (rest || (q & 1) != 0);
  return std::bit_cast<T>(static_cast<Bits>(sign | static_cast<Bits>(field + q + (up ? 1 : 0))));
}

}  // namespace reprosum::exact
