// What random calls of a BLAS are made of: sizes, increments, scalars and data, ordinary and
// special.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

namespace reprosum::e2e {

inline std::mt19937_64 generator;
inline int below(int n) { return static_cast<int>(generator() % static_cast<unsigned>(n)); }
// 1 to most, each magnitude as often as another.
inline int log_uniform(int most) {
  return static_cast<int>(
      std::exp(std::uniform_real_distribution<double>(0, std::log(most + 0.999))(generator)));
}

template <class T>
T ordinary() {
  return static_cast<T>(std::uniform_real_distribution<double>(-2, 2)(generator));
}

template <class T>
T special() {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const T tiny = std::ldexp(T(1), sizeof(T) == 4 ? -100 : -800);
  const T values[] = {T(0),      T(-0.0),    T(1), T(-1), std::numeric_limits<T>::quiet_NaN(),
                      kInfinity, -kInfinity, tiny, -tiny, std::numeric_limits<T>::denorm_min(),
                      1 / tiny};
  return values[below(std::size(values))];
}

// Half of the scalars are those that libraries settle at once.
template <class T>
T scalar() {
  switch (below(4)) {
    case 0:
      return below(4) == 0 ? T(-0.0) : T(0);
    case 1:
      return T(1);
    case 2:
      return special<T>();
    default:
      return ordinary<T>();
  }
}

// Values between others that no call may change, at any address of the element's size.
template <class T>
class Vector {
 public:
  explicit Vector(std::size_t count) : first_(static_cast<std::size_t>(below(16))) {
    values_.resize(first_ + count + 1);
    const int rarity = below(3) == 0 ? 2 : below(2) == 0 ? 40 : 1 << 30;
    const bool are_zeros = below(6) == 0;
    for (T& value : values_) {
      value = below(rarity) == 0 ? special<T>() : ordinary<T>();
      if (are_zeros) value = below(2) == 0 ? T(0) : T(-0.0);
    }
  }
  T* data() { return values_.data() + first_; }
  const T* data() const { return values_.data() + first_; }
  std::vector<T>& all() { return values_; }

 private:
  std::size_t first_;
  std::vector<T> values_;
};

// The most elements of one vector or matrix, gaps included; they bound the strides.
constexpr std::int64_t kMostElements = std::int64_t{1} << 16;
constexpr int kLargestStride = 10'000;

// Mostly few; 0 often; at times up to `most`.
inline int size(int most) {
  switch (below(16)) {
    case 0:
    case 1:
      return 0;
    case 2:
      return 1 + below(70);
    case 3:
      return log_uniform(most);
    default:
      return 1 + below(10);
  }
}

// An increment for a vector of n elements: 1, a little more or less, or as large as there is room
// for: any, a power of two or a neighbour of one.
inline int increment(int n) {
  const int most = static_cast<int>(
      std::min<std::int64_t>(kLargestStride, kMostElements / std::max(std::abs(n), 1)));
  const int sign = below(2) == 0 ? 1 : -1;
  switch (below(6)) {
    case 0:
    case 1:
      return below(7) - 3;
    case 2:
      return sign * log_uniform(std::max(most, 2));
    case 3:
      return sign * std::max(1, (1 << below(14)) % (most + 1) + below(3) - 1);
    default:
      return 1;
  }
}
inline int nonzero_increment(int n) {
  const int value = increment(n);
  return value == 0 ? 2 : value;
}

// A leading dimension of `lines` lines of `least` elements.
inline int leading(int least, int lines) {
  const int most =
      static_cast<int>(std::min<std::int64_t>(kLargestStride, kMostElements / std::max(lines, 1)));
  const int first = std::max(1, least);
  if (below(2) == 0) return first;
  if (below(4) > 0 || most <= first) return first + below(3);
  return first + below(most - first);
}

}  // namespace reprosum::e2e
