// Ratios that mean something on a noisy machine: peer and ours take turns in one process, and the
// median over the repetitions of (peer's time / our time) is what is printed.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace reprosum::bench {

// Seconds that one call of f takes.
template <class F>
double seconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Median of peer time / our time over `repetitions` pairs, each of `inner` calls; who goes first
// alternates. > 1 means that ours is faster.
template <class Peer, class Ours>
double speed_ratio(int repetitions, int inner, Peer&& peer, Ours&& ours) {
  const auto repeat = [&](auto& f) {
    return seconds([&] {
      for (int k = 0; k < inner; ++k) f();
    });
  };
  repeat(peer);
  repeat(ours);
  std::vector<double> ratios;
  for (int k = 0; k < repetitions; ++k) {
    const double first = k % 2 == 0 ? repeat(peer) : repeat(ours);
    const double second = k % 2 == 0 ? repeat(ours) : repeat(peer);
    ratios.push_back(k % 2 == 0 ? first / second : second / first);
  }
  std::nth_element(ratios.begin(), ratios.begin() + repetitions / 2, ratios.end());
  return ratios[static_cast<std::size_t>(repetitions / 2)];
}

}  // namespace reprosum::bench
