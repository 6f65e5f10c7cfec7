// Dot products as matrix units and emulations make them: of parts of the factors.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace reprosum::reveal::testing {

// Rounded to so many significant bits, to nearest, ties to even. @pre finite
inline float rounded_to(float x, int bits) {
  const int drop = 24 - bits;
  auto word = std::bit_cast<std::uint32_t>(x);
  word += (1U << (drop - 1)) - 1 + ((word >> drop) & 1U);
  return std::bit_cast<float>(word >> drop << drop);
}

// Factors in TF32, added one after the other.
inline float dot_of_tf32(std::int64_t n, const float* x, const float* y, float sum) {
  for (std::int64_t k = 0; k < n; ++k)
    sum = std::fma(rounded_to(x[k], 11), rounded_to(y[k], 11), sum);
  return sum;
}

// Factors as three BF16 each; the nine products are added by their size, smallest last.
inline float dot_of_bf16x9(std::int64_t n, const float* x, const float* y, float sum) {
  const auto part = [](float value, float(&parts)[3]) {
    for (float& one : parts) {
      one = rounded_to(value, 8);
      value -= one;
    }
  };
  float levels[5] = {sum};
  for (std::int64_t k = 0; k < n; ++k) {
    float a[3], b[3];
    part(x[k], a);
    part(y[k], b);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) levels[i + j] = std::fma(a[i], b[j], levels[i + j]);
  }
  return (((levels[0] + levels[1]) + levels[2]) + levels[3]) + levels[4];
}

__extension__ using Wide = __int128;

// Factors in fixed point of 55 bits below the largest of their vector; sums of integers.
inline double dot_in_fixed_point(std::int64_t n, const double* x, const double* y, double sum) {
  const auto top = [n](const double* values) {
    int most = std::numeric_limits<int>::min();
    for (std::int64_t k = 0; k < n; ++k)
      if (values[k] != 0) most = std::max(most, std::ilogb(values[k]));
    return most;
  };
  const int of_x = top(x), of_y = top(y);
  if (of_x == std::numeric_limits<int>::min() || of_y == std::numeric_limits<int>::min())
    return sum;
  Wide total = 0;
  for (std::int64_t k = 0; k < n; ++k)
    total += static_cast<Wide>(std::llrint(std::ldexp(x[k], 54 - of_x))) *
             std::llrint(std::ldexp(y[k], 54 - of_y));
  return sum + std::ldexp(static_cast<double>(total), of_x + of_y - 108);
}

}  // namespace reprosum::reveal::testing
