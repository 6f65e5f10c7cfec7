// The rounding test: what an exact result must be, known only to lie near a sum of two doubles.
#pragma once

#include <cmath>
#include <limits>

namespace reprosum::exact {

// nearest_of gives the T (not zero) to which every real number within `radius` of high + low
// rounds, or false if there may be two. Branches nowhere, so that loops of it become vector code.
// ends_of gives the two numbers that it rounds.
// @pre rounding to nearest, subnormal numbers; radius >= 0, or NaN, and then it is false.
//
// Why it is right, u = 2^-53 and v one of those numbers: `wide` exceeds radius by more than u *
// (|low| + wide), the most that low -+ wide is rounded by (a sum that is subnormal is exact). So
// high + (low - wide) <= v <= high + (low + wide) with the bracketed sums rounded. Rounding is
// monotonic: if both ends round to the same number, v does.
// For a float, the two ends are first rounded to double: `wide` has room for that as well, and the
// doubles enclose v.
template <class T>
[[gnu::always_inline]] inline void ends_of(double high, double low, double radius, double& least,
                                           double& most) {
  double wide = radius + (radius + std::fabs(low)) * 0x1p-51;
  if constexpr (sizeof(T) == 4) wide += std::fabs(high) * 0x1p-51;
  least = high + (low - wide);
  most = high + (low + wide);
}
template <class T>
[[gnu::always_inline]] inline bool nearest_of(double high, double low, double radius, T& result) {
  double low_end, high_end;
  ends_of<T>(high, low, radius, low_end, high_end);
  const T least = static_cast<T>(low_end), most = static_cast<T>(high_end);
  result = least;
  return (least == most) & (least != T(0));
}

// The same for kNearestAtOnce numbers of which ends_of gave the ends, NaN in place of false: a loop
// for each type, since loops that convert do not become vector code.
inline constexpr int kNearestAtOnce = 8;
template <class T>
[[gnu::always_inline]] inline void nearest_of_ends(const double* least, const double* most,
                                                   T* result) {
  typedef double Doubles __attribute__((vector_size(sizeof(double) * kNearestAtOnce)));
  typedef T Results __attribute__((vector_size(sizeof(T) * kNearestAtOnce)));
  Doubles low, high;
  __builtin_memcpy(&low, least, sizeof low);
  __builtin_memcpy(&high, most, sizeof high);
  const Results low_end = __builtin_convertvector(low, Results);
  const Results high_end = __builtin_convertvector(high, Results);
  for (int q = 0; q < kNearestAtOnce; ++q) {
    const bool known = (low_end[q] == high_end[q]) & (low_end[q] != T(0));
    result[q] = known ? low_end[q] : std::numeric_limits<T>::quiet_NaN();
  }
}

// s + t == a + b exactly, s rounded to nearest, unless s overflows (then t is NaN or infinite).
[[gnu::always_inline]] inline void two_sum(double a, double b, double& s, double& t) {
  s = a + b;
  const double z = s - a;
  t = (a - (s - z)) + (b - z);
}

}  // namespace reprosum::exact
