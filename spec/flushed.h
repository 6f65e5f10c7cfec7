// Operations that take subnormal numbers as zero, by what they are on any machine: an x86 set to
// FTZ and DAZ gives these bits, and an instruction of such a machine may compute them.
#pragma once

#include <cmath>
#include <limits>

#include "spec/order.h"

namespace reprosum::spec {

template <class T>
class Flushed {
 public:
  explicit Flushed(Flush flush)
      : inputs_(flushes_inputs(flush)), results_(flushes_results(flush)) {}

  T add(T left, T right) const {
    // A subnormal sum is exact, so nothing was rounded up to the least normal number.
    const T sum = operand(left) + operand(right);
    return results_ ? without_subnormal(sum) : sum;
  }

  T multiply(T x, T y) const {
    x = operand(x), y = operand(y);
    const T product = x * y;
    if (!results_) return product;
    if (std::abs(product) != kLeast) return without_subnormal(product);
    scale_smaller(x, y);
    return result(product, x * y);
  }

  T fused(T sum, T x, T y) const {
    sum = operand(sum), x = operand(x), y = operand(y);
    const T value = std::fma(x, y, sum);
    if (!results_) return value;
    if (std::abs(value) != kLeast) return without_subnormal(value);
    scale_smaller(x, y);
    return result(value, std::fma(x, y, sum * kScale));
  }

 private:
  static constexpr T kLeast = std::numeric_limits<T>::min();  // normal
  // Where a product and what is added to it leave the least normal number, neither is greater than
  // that times 2 to the number of their bits: they can be scaled by this, and nothing is lost.
  static constexpr T kScale = sizeof(T) == sizeof(float) ? T(0x1p64) : T(0x1p200);

  static T without_subnormal(T value) {
    return std::abs(value) < kLeast ? std::copysign(T(0), value) : value;
  }
  T operand(T value) const { return inputs_ ? without_subnormal(value) : value; }

  static void scale_smaller(T& x, T& y) { (std::abs(x) < std::abs(y) ? x : y) *= kScale; }
  // The least normal number may be what a tiny value was rounded to among the subnormal ones.
  // `scaled` was rounded as if there were none.
  static T result(T value, T scaled) {
    return std::abs(scaled) < kLeast * kScale ? std::copysign(T(0), value) : value;
  }

  bool inputs_, results_;
};

}  // namespace reprosum::spec
