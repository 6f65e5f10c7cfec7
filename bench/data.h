// The data of a race.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace reprosum::bench {

// n numbers, uniform in (-1, 1).
template <class T>
std::vector<T> uniform(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& e : v) e = static_cast<T>(value(random));
  return v;
}

}  // namespace reprosum::bench
