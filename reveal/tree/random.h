// Random choices that are the same on every platform (std distributions are not).
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace reprosum::reveal {

using Random = std::mt19937_64;

// Uniform in [0, bound); the bias of the remainder is below 2^-40 for every bound used here.
inline std::int64_t below(Random& random, std::int64_t bound) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
}

// 1 .. bound, uniform in the logarithm.
inline std::int64_t log_uniform(Random& random, std::int64_t bound) {
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  const auto value = static_cast<std::int64_t>(std::exp(unit * std::log(double(bound) + 1)));
  return value < 1 ? 1 : value > bound ? bound : value;
}

inline double random_sign(Random& random) { return (random() & 1) != 0 ? 1.0 : -1.0; }

}  // namespace reprosum::reveal
