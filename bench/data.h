// The data of a race.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
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

// Room for n numbers from the start of a cache line on: elsewhere a plain sum takes up to twice as
// long in the caches, and a heap puts vectors anywhere.
template <class T>
class Lines {
 public:
  explicit Lines(std::int64_t n) : n_(static_cast<std::size_t>(n)), room_(n_ + kLine) {}
  std::span<T> numbers() {
    const auto beyond = reinterpret_cast<std::uintptr_t>(room_.data()) / sizeof(T) % kLine;
    return std::span(room_).subspan((kLine - beyond) % kLine, n_);
  }

 private:
  static constexpr std::size_t kLine = 64 / sizeof(T);
  std::size_t n_;
  std::vector<T> room_;
};

}  // namespace reprosum::bench
