#include "src/exact/values/ball.h"

#include "src/exact/values/float_bits.h"
#include "src/exact/values/round.h"

namespace reprosum::exact {
namespace {

int bit_length(const Limbs& a) {
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != 0) return static_cast<int>(64 * i) + 64 - std::countl_zero(a[i]);
  }
  return 0;
}

bool below_zero(const Limbs& a) { return (a.back() >> 63) != 0; }

void negate_limbs(Limbs& a) {
  unsigned carry = 1;
  for (std::uint64_t& word : a) {
    word = ~word + carry;
    carry = carry & (word == 0);
  }
}

void add_limbs(Limbs& a, const Limbs& b, bool subtract) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t part = i < b.size() ? b[i] : 0;
    const Uint128 result = subtract ? Uint128(a[i]) - part - carry : Uint128(a[i]) + part + carry;
    a[i] = static_cast<std::uint64_t>(result);
    carry = static_cast<std::uint64_t>(result >> 64) & 1;
  }
}

// value * factor * 2^shift in `words` words; true if bits below the first were dropped.
// @pre it fits
bool shifted_product(const Limbs& value, std::uint64_t factor, std::int64_t shift,
                     std::size_t words, Limbs& out) {
  out.assign(words, 0);
  const std::int64_t whole = shift >= 0 ? shift / 64 : -((-shift + 63) / 64);
  const auto bits = static_cast<int>(shift - 64 * whole);
  bool dropped = false;
  const auto put = [&](std::int64_t at, std::uint64_t part) {
    if (at >= 0 && at < static_cast<std::int64_t>(words))
      out[static_cast<std::size_t>(at)] |= part;
    else
      dropped = dropped || (at < 0 && part != 0);
  };
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i <= value.size(); ++i) {
    const Uint128 product = Uint128(i < value.size() ? value[i] : 0) * factor + carry;
    const auto word = static_cast<std::uint64_t>(product);
    carry = static_cast<std::uint64_t>(product >> 64);
    const std::int64_t at = whole + static_cast<std::int64_t>(i);
    put(at, word << bits);
    put(at + 1, word >> 1 >> (63 - bits));
  }
  return dropped;
}

}  // namespace

std::int64_t Ball::top() const {
  const std::int64_t center = exponent + bit_length(limbs);
  if (radius.zero()) return center;
  return (limbs.empty() ? radius.top() : std::max(center, radius.top())) + 1;
}

void trim(Ball& ball) {
  while (!ball.limbs.empty() && ball.limbs.back() == 0) ball.limbs.pop_back();
  std::size_t low = 0;
  while (low < ball.limbs.size() && ball.limbs[low] == 0) ++low;
  ball.limbs.erase(ball.limbs.begin(), ball.limbs.begin() + static_cast<std::ptrdiff_t>(low));
  ball.exponent += static_cast<std::int64_t>(64 * low);
}

template <class T>
Odd odd_of(T value) {
  const Decoded d = decode(value);
  if (d.significand == 0) return {};
  const int zeros = std::countr_zero(d.significand);
  return {d.significand >> zeros, d.position + Format<T>::kLowest + zeros, d.negative};
}

// A carry word and a sign above the top: 2^64 terms fit.
BallSum::BallSum(std::int64_t top, std::size_t words)
    : sum_(words + 2, 0), lowest_(top - static_cast<std::int64_t>(64 * words)), words_(words) {}

void BallSum::add(const Odd& factor, const Ball& ball, bool subtract) {
  if (factor.bits == 0) return;
  const std::int64_t exponent = factor.exponent + ball.exponent;
  Limbs term;
  if (shifted_product(ball.limbs, factor.bits, exponent - lowest_, sum_.size(), term))
    radius_ = radius_ + Magnitude::above(1, lowest_);
  add_limbs(sum_, term, (factor.negative != ball.negative) != subtract);
  radius_ = radius_ + ball.radius * Magnitude::above(factor.bits, factor.exponent);
}

// The quotient is floor(N / d) with N the sum in units of 2^unit, d odd; each floor is off by less
// than a unit.
Ball BallSum::over(const Odd& divisor) const {
  Ball out;
  Limbs sum = sum_;
  out.negative = below_zero(sum) != divisor.negative;
  if (below_zero(sum)) negate_limbs(sum);
  const std::int64_t top = lowest_ + bit_length(sum);
  std::int64_t unit = lowest_;
  if (divisor.bits != 1) unit = top - static_cast<std::int64_t>(64 * words_ + 64);
  // Below a 2^64th of the radius there is nothing to know.
  if (!radius_.zero()) unit = std::max(unit, radius_.top() - 96);
  unit = std::min(unit, top);
  out.radius = radius_;
  Limbs n;
  const auto length = static_cast<std::size_t>((top - unit) / 64 + 2);
  if (shifted_product(sum, 1, lowest_ - unit, length, n))
    out.radius = out.radius + Magnitude::above(1, unit);
  out.radius = out.radius.over(divisor.bits);
  std::uint64_t remainder = 0;
  for (std::size_t i = n.size(); i-- > 0;) {
    const Uint128 part = (Uint128(remainder) << 64) | n[i];
    n[i] = static_cast<std::uint64_t>(part / divisor.bits);
    remainder = static_cast<std::uint64_t>(part % divisor.bits);
  }
  if (remainder != 0) out.radius = out.radius + Magnitude::above(1, unit);
  out.radius.exponent -= divisor.exponent;
  out.limbs = std::move(n);
  out.exponent = unit - divisor.exponent;
  trim(out);
  return out;
}

namespace {

template <class T>
T rounded(Limbs magnitude, std::int64_t exponent, bool negative) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const int length = bit_length(magnitude);
  if (length == 0) return T(0);
  const Bits sign = negative ? F::kSign : 0;
  const std::int64_t top = exponent + length;  // the value is below 2^top, and 2^(top - 1) at least
  if (top < F::kLowest) return std::bit_cast<T>(sign);
  if (top > F::kLowest + F::kLargestPosition + F::kDigits)
    return std::bit_cast<T>(static_cast<Bits>(sign | F::kInfinity));
  // The highest 62 bits, and whether anything is below them: more than any rounding looks at.
  const std::int64_t cut = length - 62;
  Limbs high;
  const bool rest = shifted_product(magnitude, 1, -cut, 2, high);
  WideInteger<3> value{(high[0] << 1) | (rest ? 1u : 0u), 0, 0};
  if (negative) exact::negate(value);
  return round<T>(value, static_cast<int>(exponent + cut) - 1, Rounding::nearest_even);
}

}  // namespace

template <class T>
Ends<T> rounded_ends(const Ball& ball) {
  if (ball.radius.zero()) {
    const T value = rounded<T>(ball.limbs, ball.exponent, ball.negative);
    return {value, value};
  }
  // In units of the radius's last place or the center's, whichever is lower, all is an integer.
  const std::int64_t unit =
      ball.limbs.empty() ? ball.radius.exponent : std::min(ball.exponent, ball.radius.exponent);
  const auto length = static_cast<std::size_t>((ball.top() - unit) / 64 + 3);
  Limbs center, radius;
  shifted_product(ball.limbs, 1, ball.limbs.empty() ? 0 : ball.exponent - unit, length, center);
  shifted_product({ball.radius.bits}, 1, ball.radius.exponent - unit, length, radius);
  if (ball.negative) negate_limbs(center);
  T ends[2];
  for (const bool most : {false, true}) {
    Limbs end = center;
    add_limbs(end, radius, !most);
    const bool negative = below_zero(end);
    if (negative) negate_limbs(end);
    ends[most] = rounded<T>(std::move(end), unit, negative);
  }
  return {ends[0], ends[1]};
}

template Odd odd_of(float);
template Odd odd_of(double);
template Ends<float> rounded_ends(const Ball&);
template Ends<double> rounded_ends(const Ball&);

}  // namespace reprosum::exact
