// An interval around an exact sum: what brackets of its parts add up to, without error.
#pragma once

#include <bit>

#include "src/exact/accumulator.h"
#include "src/exact/float_bits.h"

namespace reprosum::exact {

// Is the rounding of an interval, whose ends round to these, one number? Bits are compared, since
// zero has two forms, and which it is does not follow.
template <class T>
bool decided(T below, T above) {
  using Bits = typename Format<T>::Bits;
  const Bits bits = std::bit_cast<Bits>(below);
  return bits == std::bit_cast<Bits>(above) && static_cast<Bits>(bits << 1) != 0;
}

// From sum - error to sum + error; at first 0.
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

}  // namespace reprosum::exact
