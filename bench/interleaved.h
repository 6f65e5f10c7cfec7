// Ratios that mean something on a noisy machine: peer and ours take turns in one process, and the
// median over the repetitions of (peer's time / our time) is what is printed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace reprosum::bench {

// Seconds that `calls` calls of f take.
template <class F>
double seconds(F&& f, int calls) {
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < calls; ++k) f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Median of peer time / our time; > 1 means that ours is faster. A repetition lasts at least 0.2 ms
// a side, who goes first alternates, and pairs are made for `budget_s` seconds (9 at least).
template <class Peer, class Ours>
double speed_ratio(Peer&& peer, Ours&& ours, double budget_s = 0.6) {
  seconds(ours, 1);
  int calls = 1;
  while (seconds(peer, calls) < 2e-4) calls *= 2;
  std::vector<double> ratios;
  for (double spent = 0; spent < budget_s || ratios.size() < 9;) {
    const bool peer_first = ratios.size() % 2 == 0;
    const double first = peer_first ? seconds(peer, calls) : seconds(ours, calls);
    const double second = peer_first ? seconds(ours, calls) : seconds(peer, calls);
    ratios.push_back(peer_first ? first / second : second / first);
    spent += first + second;
  }
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

}  // namespace reprosum::bench
