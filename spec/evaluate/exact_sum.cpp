#include "spec/evaluate/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace reprosum::spec {
namespace {

// value = integer * 2^exponent.
struct Whole {
  std::uint64_t integer = 0;
  int exponent = 0;
};
Whole whole(double value) {
  if (value == 0) return {};
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  return {static_cast<std::uint64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

}  // namespace

void ExactSum::add_product(double x, double y) {
  const bool negative = std::signbit(x) != std::signbit(y);
  const bool is_zero = x == 0 || y == 0;
  const bool is_infinite = std::isinf(x) || std::isinf(y);
  if (!is_zero || !negative) has_other_than_minus_zero_ = true;
  if (std::isnan(x) || std::isnan(y) || (is_infinite && is_zero)) {
    has_nan_ = true;
  } else if (is_infinite) {
    (negative ? has_minus_infinity_ : has_plus_infinity_) = true;
  } else if (!is_zero) {
    const Whole a = whole(x), b = whole(y);
    // Halves of 32 bits, so that no product of two exceeds 64. A subnormal's last bits are zeros.
    constexpr std::uint64_t kHalf = 0xffffffffu;
    const int place = a.exponent + b.exponent;
    for (const int i : {0, 32})
      for (const int j : {0, 32})
        add_bits((a.integer >> i & kHalf) * (b.integer >> j & kHalf), place + i + j, negative);
  }
}

void ExactSum::add_bits(std::uint64_t bits, int place, bool negative) {
  if (bits == 0) return;
  if (place < kLowest) {  // below the last place are zeros only: a subnormal's
    bits >>= kLowest - place;
    place = kLowest;
  }
  const auto digit = static_cast<std::size_t>((place - kLowest) / kDigitBits);
  const int shift = (place - kLowest) % kDigitBits;
  const auto put = [&](std::size_t at, std::uint64_t part) {
    if (part != 0) digits_.at(at) += negative ? -std::int64_t(part) : std::int64_t(part);
  };
  constexpr std::uint64_t kLow = 0xffffffffu;
  const std::uint64_t low = (bits & kLow) << shift, high = (bits >> 32) << shift;
  put(digit, low & kLow);
  put(digit + 1, (low >> 32) + (high & kLow));
  put(digit + 2, high >> 32);
}

double ExactSum::rounded(const Format& format) const {
  if (has_nan_ || (has_plus_infinity_ && has_minus_infinity_))
    return spec::rounded(format, std::numeric_limits<double>::quiet_NaN());
  if (has_plus_infinity_ || has_minus_infinity_)
    return spec::rounded(format, has_plus_infinity_ ? std::numeric_limits<double>::infinity()
                                                    : -std::numeric_limits<double>::infinity());
  // Digits in 0..2^32-1 and the sign of the whole; a negative sum is negated first.
  Digits digits = digits_;
  const auto carry = [&] {
    std::int64_t over = 0;
    for (std::int64_t& digit : digits) {
      digit += over;
      over = digit >> kDigitBits;
      digit -= over * (std::int64_t{1} << kDigitBits);
    }
    return over;
  };
  const bool negative = carry() < 0;
  if (negative) {
    digits = digits_;
    for (std::int64_t& digit : digits) digit = -digit;
    carry();
  }
  std::size_t top = kDigits;
  while (top > 0 && digits[top - 1] == 0) --top;
  if (top == 0) return has_other_than_minus_zero_ ? 0.0 : -0.0;
  const auto bit = [&](int at) {
    return at >= 0 && (digits[std::size_t(at / kDigitBits)] >> (at % kDigitBits) & 1) != 0;
  };
  const int first = static_cast<int>(top - 1) * kDigitBits +
                    static_cast<int>(std::bit_width(std::uint64_t(digits[top - 1]))) - 1;
  const int unit = std::max(first, least_exponent(format) - kLowest) - format.significand_bits + 1;
  std::uint64_t significand = 0;
  for (int at = first; at >= unit; --at) significand = 2 * significand + (bit(at) ? 1 : 0);
  bool is_above_half = false;
  for (int at = std::min(unit - 2, first); at >= 0 && !is_above_half; --at) is_above_half = bit(at);
  if (bit(unit - 1) && (is_above_half || significand % 2 != 0)) ++significand;
  const double magnitude = std::ldexp(static_cast<double>(significand), unit + kLowest);
  return within(format, negative ? -magnitude : magnitude);
}

}  // namespace reprosum::spec
