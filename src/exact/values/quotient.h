// One rounding of the quotient of an exact sum by a number, and of the square root of an exact sum.
#pragma once

#include "src/exact/values/accumulator.h"

namespace reprosum::exact {

// sum / divisor, rounded once to nearest even, in the default floating-point environment. Special
// values as in a division of the sum by the divisor, were it a number with the sum's sign: a sum
// that is not zero over zero is infinite, and so on.
//
// N is the sum's magnitude as an integer and D the divisor's significand. N * 2^128 is divided by D
// word by word, from the top, until the quotient has its first word that is not zero and two more.
// So it has more than 128 bits, and whether anything is left of N goes into the lowest of them. The
// highest 53, or fewer where the result is subnormal, are kept by the rounding.
template <class T>
T rounded_quotient(const Accumulator<double>& sum, T divisor) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  using Sum = Accumulator<double>;
  const Decoded d = decode(static_cast<double>(divisor));
  const auto with_sign = [&](bool negative, Bits bits) {
    return std::bit_cast<T>(static_cast<Bits>(bits | (negative ? F::kSign : 0)));
  };
  T special;
  if (decided_by_specials(sum.seen(), special)) {
    if (special != special || d.special) return std::bit_cast<T>(F::kQuietNan);
    return with_sign((special < T(0)) != d.negative, F::kInfinity);
  }
  if (d.special && d.significand != 0) return std::bit_cast<T>(F::kQuietNan);
  Sum::Words magnitude = sum.words();
  const bool zero = is_zero(magnitude);
  const bool negative_sum =
      zero ? zero_is_negative(sum.seen(), Rounding::nearest_even) : is_negative(magnitude);
  const bool negative = negative_sum != d.negative;
  if (d.special) return with_sign(negative, 0);
  if (d.significand == 0) {
    return zero ? std::bit_cast<T>(F::kQuietNan) : with_sign(negative, F::kInfinity);
  }
  if (zero) return with_sign(negative, 0);
  if (is_negative(magnitude)) negate(magnitude);
  WideInteger<Sum::kWords + 3> quotient{};
  std::uint64_t remainder = 0;
  int more = 3;  // words of the quotient
  for (std::size_t i = Sum::kWords + 2; i-- > 0 && more > 0;) {
    const std::uint64_t word = i >= 2 ? magnitude[i - 2] : 0;
    if (more == 3 && remainder == 0 && word == 0) continue;
    const Uint128 part = (Uint128(remainder) << 64) | word;
    quotient[i] = static_cast<std::uint64_t>(part / d.significand);
    remainder = static_cast<std::uint64_t>(part % d.significand);
    if (more == 3 && quotient[i] == 0) continue;
    if (--more > 0) continue;
    const bool rest = i > 2 && any_below(magnitude, static_cast<int>(64 * (i - 2)));
    quotient[i] |= remainder != 0 || rest ? 1 : 0;
  }
  if (negative) negate(quotient);
  return round<T>(quotient, Sum::kLowest - 128 - d.position - Format<double>::kLowest,
                  Rounding::nearest_even);
}

// The square root of a sum that is not negative, rounded once to nearest even; of -0 it is -0.
//
// With N the sum as an integer, take 2 j such that M = floor(N / 4^j) has 125 or 126 bits (j < 0
// where N is small). Then R = floor(sqrt(M)) has 63 bits, and sqrt(N) lies in [R, R + 1) * 2^j; it
// is R * 2^j if and only if M = R^2 and N = M * 4^j. So R and that one bit below it decide any
// rounding to at most 62 bits.
template <class T>
T rounded_square_root(const Accumulator<double>& sum) {
  T special;
  if (decided_by_specials(sum.seen(), special)) return special;
  const auto& n = sum.words();
  if (is_zero(n)) return sum.rounded<T>(Rounding::nearest_even);
  const int shift = (highest_bit(n) - 124) & ~1;  // 2 j, rounded down to even
  Uint128 m = 0;
  bool rest = false;
  if (shift >= 0) {
    m = (Uint128(bits_from(n, shift + 64)) << 64) | bits_from(n, shift);
    rest = any_below(n, shift);
  } else {
    m = ((Uint128(n[1]) << 64) | n[0]) << -shift;
  }
  Uint128 root = 0;
  for (int bit = 62; bit >= 0; --bit) {
    const Uint128 tried = root | (Uint128(1) << bit);
    if (tried * tried <= m) root = tried;
  }
  rest = rest || root * root != m;
  const WideInteger<2> value{static_cast<std::uint64_t>(root << 1) | (rest ? 1u : 0u), 0};
  static_assert(Accumulator<double>::kLowest % 2 == 0);
  return round<T>(value, (Accumulator<double>::kLowest + shift) / 2 - 1, Rounding::nearest_even);
}

}  // namespace reprosum::exact
