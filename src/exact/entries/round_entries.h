// Sums of two doubles with a bound become entries of a product, or NaN.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "src/exact/values/nearest.h"

namespace reprosum::exact {

// Entries alpha * (high + low, off by at most p * from_p + q * from_q) + beta * c, NaN where the
// rounding test fails. @pre |alpha| is 2^-200 to 2^200. With ph = alpha * high and qh = beta * c
// rounded and pe and qe their exact errors, the value is s + (t + ((pe + qe) + alpha * low)), s + t
// = ph + qh; each of the four operations is off by at most u times its result, or 2^-1074, as is an
// error that underflows.
template <class T>
[[gnu::always_inline]] inline void round_column(std::int64_t rows, T alpha_t, T beta_t,
                                                const double* high, const double* low,
                                                const double* p, const double* q, double from_p,
                                                double from_q, const T* c, T* out) {
  const auto alpha = static_cast<double>(alpha_t), beta = static_cast<double>(beta_t);
  const double size = std::fabs(alpha) * (1 + 0x1p-50);
  for (std::int64_t i = 0; i < rows; ++i) {
    const double ph = alpha * high[i], pe = std::fma(alpha, high[i], -ph);
    const auto before = static_cast<double>(c[i]);
    const double qh = beta * before, qe = std::fma(beta, before, -qh);
    double s, t;
    two_sum(ph, qh, s, t);
    const double pl = alpha * low[i], e = pe + qe, rest = e + pl, sum = t + rest;
    const double rounded = std::fabs(pl) + std::fabs(e) + std::fabs(rest) + std::fabs(sum);
    const double off = p[i] * from_p + q[i] * from_q + 0x1p-1000;
    const double radius = size * off + rounded * 0x1p-52 + 0x1p-1000;
    T tested;
    const bool certain = nearest_of(s, sum, radius, tested);
    out[i] = certain ? tested : std::numeric_limits<T>::quiet_NaN();
  }
}

// The same for sums in one double that are off by at most `radius`, and without beta * c; least and
// most have room for the ends of that many, up to a multiple of kNearestAtOnce. alpha * sum is ph +
// pe.
template <class T>
[[gnu::always_inline]] inline void round_sums(std::int64_t rows, T alpha_t, const double* sums,
                                              double radius, double* least, double* most, T* out) {
  const auto alpha = static_cast<double>(alpha_t);
  const double size = std::fabs(alpha) * (1 + 0x1p-50);
  const double off = size * (radius + 0x1p-1000) + 0x1p-1000;
  for (std::int64_t i = 0; i < rows; ++i) {
    const double ph = alpha * sums[i], pe = std::fma(alpha, sums[i], -ph);
    ends_of<T>(ph, pe, off, least[i], most[i]);
  }
  for (std::int64_t i = rows; i % kNearestAtOnce != 0; ++i) least[i] = most[i] = 0;
  for (std::int64_t i = 0; i < rows; i += kNearestAtOnce)
    nearest_of_ends(least + i, most + i, out + i);
}

}  // namespace reprosum::exact
