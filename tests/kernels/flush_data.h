// Data of which sums and products are about as small as a normal number can be.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace reprosum::kernels::test {

template <class T>
inline constexpr T kLeast = std::numeric_limits<T>::min();  // normal

// Sums and products that lie around the least normal number; now and then products that round up
// to it, as if exponents had no limit or only among subnormal numbers.
template <class T>
void fill_near_underflow(std::mt19937_64& random, std::vector<T>& x, std::vector<T>& y, bool dot) {
  const T ulp = std::numeric_limits<T>::epsilon();
  const int least = std::numeric_limits<T>::min_exponent - 1,
            digits = std::numeric_limits<T>::digits;
  std::uniform_real_distribution<double> mantissa(1, 2);
  const auto value = [&](int exponent) {
    return static_cast<T>(std::ldexp(mantissa(random) * (random() % 2 == 0 ? 1 : -1), exponent));
  };
  const auto between = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  const T d = std::ldexp(T(1), -digits / 2 - 1);
  const T near_one[][2] = {{1 - ulp / 2, 1}, {1 - ulp / 2, 1 + ulp}, {1 + d, 1 - d}, {1 - ulp, 1}};
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!dot) {
      x[k] =
          value(random() % 4 == 0 ? between(least - digits, least) : between(least - 3, least + 3));
      continue;
    }
    const int half = least / 2 + between(-4, 4);
    x[k] = value(half), y[k] = value(least - half + between(-4, 4));
    if (random() % 4 == 0) {
      const auto& pair = near_one[random() % 4];
      x[k] = pair[0], y[k] = pair[1] * (random() % 2 == 0 ? kLeast<T> : -kLeast<T>);
    } else if (random() % 4 == 0) {
      x[k] = value(least - between(1, digits - 2)), y[k] = value(between(-2, digits));
    }
    if (random() % 2 == 0) std::swap(x[k], y[k]);
  }
}

}  // namespace reprosum::kernels::test
