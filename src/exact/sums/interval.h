// Intervals around exact sums: what brackets of their parts add up to.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "src/exact/values/accumulator.h"
#include "src/exact/values/float_bits.h"

namespace reprosum::exact {

// Is the rounding of an interval, whose ends round to these, one number? Bits are compared, since
// zero has two forms, and which it is does not follow.
template <class T>
bool decided(T below, T above) {
  using Bits = typename Format<T>::Bits;
  const Bits bits = std::bit_cast<Bits>(below);
  return bits == std::bit_cast<Bits>(above) && static_cast<Bits>(bits << 1) != 0;
}

// From sum - error to sum + error; at first 0. Adds without error.
class Interval {
 public:
  // A bracket's high + low +- error.
  template <class B>
  void add(const B& bracket) {
    sum_.add(bracket.high);
    sum_.add(bracket.low);
    error_.add(bracket.error);
  }
  void add(const Interval& other) {
    sum_.add_words(other.sum_.words(), other.sum_.seen());
    error_.add_words(other.error_.words(), other.error_.seen());
  }
  // False, and `result` is left alone, if not all numbers within round alike.
  template <class T>
  bool decides(T& result) const {
    Accumulator<double> below = error_, above = sum_;
    below.negate();
    below.add_words(sum_.words(), sum_.seen());
    above.add_words(error_.words(), error_.seen());
    const T low = below.rounded<T>(Rounding::nearest_even);
    if (!decided(low, above.rounded<T>(Rounding::nearest_even))) return false;
    result = low;
    return true;
  }

 private:
  Accumulator<double> sum_, error_;
};

// The same for brackets of floats, in double: an Interval takes some 500 ns. A sum that is rounded
// to a double is off by at most 2^-53 times what it comes to; it does not underflow, since numbers
// are zero or far larger than 2^-900. In `error_` the rounding of its additions, three for each
// bracket, takes at most the part 2^-51 for each (2^-40 for 2^11 of them, and so on), and that of
// the ends sum -+ error at most 2^-53 of them: spread() is more than all.
class RoundedInterval {
 public:
  template <class B>
  void add(const B& bracket) {
    const double sum = sum_ + bracket.high, all = sum + bracket.low;
    error_ += bracket.error + (std::fabs(sum) + std::fabs(all)) * 0x1p-53;
    sum_ = all;
    ++brackets_;
  }
  bool decides(float& result) const {
    const auto low = static_cast<float>(sum_ - spread());
    if (!decided(low, static_cast<float>(sum_ + spread()))) return false;
    result = low;
    return true;
  }

 private:
  double spread() const {
    return error_ * (1 + static_cast<double>(brackets_ + 4) * 0x1p-50) + std::fabs(sum_) * 0x1p-52;
  }

  double sum_ = 0, error_ = 0;
  std::int64_t brackets_ = 0;
};

}  // namespace reprosum::exact
