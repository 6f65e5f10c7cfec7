// Numbers of many bits with a bound of their error, for systems whose solution no fixed precision
// can reach.
#pragma once

#include <cstdint>
#include <vector>

#include "src/exact/values/magnitude.h"

namespace reprosum::exact {

// Lowest word first; no word is needed for zero.
using Limbs = std::vector<std::uint64_t>;

// The set of numbers within `radius` of +-limbs * 2^exponent.
struct Ball {
  Limbs limbs;
  bool negative = false;
  std::int64_t exponent = 0;
  Magnitude radius;

  // Its numbers lie below 2^top() in magnitude. @pre it is not exactly zero
  std::int64_t top() const;
  bool exactly_zero() const { return limbs.empty() && radius.zero(); }
};

// Makes the highest word, and the lowest, one that is not zero.
void trim(Ball& ball);

// A float or double; a finite number is an odd integer times a power of two.
struct Odd {
  std::uint64_t bits = 0;  // 0: the number is zero
  std::int64_t exponent = 0;
  bool negative = false;
};
template <class T>
Odd odd_of(T value);

// A sum of products of numbers and balls, kept down to a last place that is chosen before.
class BallSum {
 public:
  // Terms lie below 2^top; places below 2^(top - 64 * words) are dropped and bounded.
  BallSum(std::int64_t top, std::size_t words);
  void add(const Odd& factor, const Ball& ball, bool subtract);
  // The sum divided by `divisor`, with about 64 * words bits, or as many as its radius leaves of
  // use. @pre divisor is not zero
  Ball over(const Odd& divisor) const;

 private:
  Limbs sum_;  // two's complement
  std::int64_t lowest_;
  std::size_t words_;
  Magnitude radius_;
};

// Both ends of a ball, rounded to nearest even: they enclose what any of its numbers rounds to. A
// zero has the sign of the end, and is +0 for an end at zero.
template <class T>
struct Ends {
  T least, most;
};
template <class T>
Ends<T> rounded_ends(const Ball& ball);

}  // namespace reprosum::exact
