// Sums of products of up to three factors: alpha times an exact sum, plus beta times an output.
#pragma once

#include "src/exact/values/accumulator.h"

namespace reprosum::exact {

inline Decoded product_sign_and_kind(const Decoded& a, const Decoded& b) {
  // Stands for the product where only its kind is asked for: NaN, infinity, zero, or finite.
  const std::uint8_t seen = seen_of_product(a, b);
  const bool negative = a.negative != b.negative;
  if (seen == kSeenNan) return {1, 0, negative, true};
  if ((seen & (kSeenPlusInfinity | kSeenMinusInfinity)) != 0) return {0, 0, negative, true};
  return {seen == kSeenNonzero ? std::uint64_t{1} : 0, 0, negative, false};
}

// The value is an integer times 2^kLowest: every product of three doubles is one, and so is a
// product of two, a double, and an Accumulator<double> times a double. All lie below 2^3072 times
// the 2^64 of the accumulator's carry bits. Floats are doubles.
class TripleAccumulator {
 public:
  using F = Format<double>;
  static constexpr int kLowest = 3 * F::kLowest;
  static constexpr std::size_t kWords = (3072 + 64 + 1 - kLowest + 63) / 64;

  void add_product(double x, double y) {
    const Decoded a = decode(x), b = decode(y);
    seen_ |= seen_of_product(a, b);
    const Uint128 product = Uint128(a.significand) * b.significand;
    if (a.special || b.special || product == 0) return;
    add_at(words_, product, a.position + b.position - F::kLowest, a.negative != b.negative);
  }

  void add_triple(double x, double y, double z) {
    const Decoded a = decode(x), b = decode(y), c = decode(z);
    const Decoded ab = product_sign_and_kind(a, b);
    seen_ |= seen_of_product(ab, c);
    if (ab.special || c.special || ab.significand == 0 || c.significand == 0) return;
    const Uint128 product = Uint128(a.significand) * b.significand;
    const int bit = a.position + b.position + c.position;
    const bool negative = ab.negative != c.negative;
    const auto low = static_cast<std::uint64_t>(product);
    const auto high = static_cast<std::uint64_t>(product >> 64);
    add_at(words_, Uint128(low) * c.significand, bit, negative);
    add_at(words_, Uint128(high) * c.significand, bit + 64, negative);
  }

  // The terms of `sum`, each times factor. @pre factor is finite and not zero
  void add_scaled(const Accumulator<double>& sum, double factor) {
    static_assert((64 * (Accumulator<double>::kWords - 1) + F::kLargestPosition) / 64 + 2 < kWords);
    const Decoded f = decode(factor);
    seen_ |= f.negative ? negated(sum.seen()) : sum.seen();
    Accumulator<double>::Words magnitude = sum.words();
    const bool negative = is_negative(magnitude);
    if (negative) negate(magnitude);
    for (std::size_t i = 0; i < magnitude.size(); ++i) {
      if (magnitude[i] == 0) continue;
      add_at(words_, Uint128(magnitude[i]) * f.significand, static_cast<int>(64 * i) + f.position,
             negative != f.negative);
    }
  }

  // Terms whose values are elsewhere, or decide nothing.
  void note(std::uint8_t seen) { seen_ |= seen; }

  template <class T>
  T rounded() const {
    return round_sum<T>(words_, kLowest, seen_, Rounding::nearest_even);
  }

 private:
  WideInteger<kWords> words_{};
  std::uint8_t seen_ = 0;
};

// alpha * (sum of the products x_i * y_i) + beta * c, rounded once; `c` null: without that term.
// @pre sum is theirs; alpha is not zero; the default floating-point environment
template <class T>
T scaled_sum(T alpha, const Accumulator<double>& sum, T beta, const T* c, std::int64_t n,
             const T* x, std::int64_t incx, const T* y, std::int64_t incy) {
  const bool one = alpha == T(1) || alpha == T(-1);
  if (one && (c == nullptr || beta == T(1) || beta == T(-1))) {
    Accumulator<double> total = sum;
    if (alpha < T(0)) total.negate();
    if (c != nullptr) total.add(beta < T(0) ? -*c : *c);
    return total.rounded<T>(Rounding::nearest_even);
  }
  TripleAccumulator total;
  const Decoded a = decode(static_cast<double>(alpha));
  if (a.special) {  // each term's sign decides about infinities
    for (std::int64_t i = 0; i < n; ++i)
      total.note(
          seen_of_product(a, product_sign_and_kind(decode(x[i * incx]), decode(y[i * incy]))));
  } else {
    total.add_scaled(sum, static_cast<double>(alpha));
  }
  if (c != nullptr) total.add_product(static_cast<double>(beta), static_cast<double>(*c));
  return total.rounded<T>();
}

}  // namespace reprosum::exact
