// The rounding test: what an exact result must be, known only to lie near a sum of two doubles.
#pragma once

#include <cmath>
#include <limits>

namespace reprosum::exact {

// Gives the T (not zero) to which every real number within `radius` of high + low rounds, or false
// if there may be two. Branches nowhere, so that loops of it become vector code.
// @pre rounding to nearest, subnormal numbers; radius >= 0, or NaN, and then it is false.
//
// Why it is right, u = 2^-53 and v one of those numbers: `wide` exceeds radius by more than u *
// (|low| + wide), the most that low -+ wide is rounded by (a sum that is subnormal is exact). So
// high + (low - wide) <= v <= high + (low + wide) with the bracketed sums rounded. Rounding is
// monotonic: if both ends round to the same number, v does.
// For a float, the two ends are first rounded to double: `wide` has room for that as well, and the
// doubles enclose v.
template <class T>
[[gnu::always_inline]] inline bool nearest_of(double high, double low, double radius, T& result) {
  double wide = radius + (radius + std::fabs(low)) * 0x1p-51;
  if constexpr (sizeof(T) == 4) wide += std::fabs(high) * 0x1p-51;
  const T least = static_cast<T>(high + (low - wide));
  const T most = static_cast<T>(high + (low + wide));
  result = least;
  return (least == most) & (least != T(0));
}

// s + t == a + b exactly, s rounded to nearest, unless s overflows (then t is NaN or infinite).
[[gnu::always_inline]] inline void two_sum(double a, double b, double& s, double& t) {
  s = a + b;
  const double z = s - a;
  t = (a - (s - z)) + (b - z);
}

}  // namespace reprosum::exact
