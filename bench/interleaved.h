// Ratios that mean something on a noisy machine: peer and ours take turns in one process, and the
// median over the pairs of (peer's time / our time) is what is printed.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace reprosum::bench {

// What the calling thread alone has used: on a machine that others share, the time slices of theirs
// would count for calls that last as long as a slice, and not for shorter ones.
struct ThreadClock {
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<ThreadClock, duration>;
  static time_point now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + duration(time.tv_nsec));
  }
};

// Seconds that `calls` calls of f take.
template <class Clock = std::chrono::steady_clock, class F>
double seconds(F&& f, int calls) {
  const auto start = Clock::now();
  for (int k = 0; k < calls; ++k) f();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Peer, class Ours, class Clock = std::chrono::steady_clock>
class Interleaved {
 public:
  // Finds how many calls last 0.2 ms, so that the clock does not matter. What either does at its
  // first call alone, as making a kernel, is not counted.
  Interleaved(Peer peer, Ours ours) : peer_(std::move(peer)), ours_(std::move(ours)) {
    seconds<Clock>(peer_, 1);
    seconds<Clock>(ours_, 1);
    while (seconds<Clock>(peer_, calls_) < 2e-4) calls_ *= 2;
  }

  // One pair; who goes first alternates. Gives the seconds of one call of ours.
  double pair() {
    const bool peer_first = ratios_.size() % 2 == 0;
    const double first = peer_first ? seconds<Clock>(peer_, calls_) : seconds<Clock>(ours_, calls_);
    const double second =
        peer_first ? seconds<Clock>(ours_, calls_) : seconds<Clock>(peer_, calls_);
    ratios_.push_back(peer_first ? first / second : second / first);
    spent_ += first + second;
    return (peer_first ? second : first) / calls_;
  }

  std::size_t pairs() const { return ratios_.size(); }
  double spent_s() const { return spent_; }

  // Median of peer time / our time: > 1 means that ours is faster. @pre pairs() > 0
  double ratio() const {
    std::vector<double> sorted = ratios_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }

 private:
  Peer peer_;
  Ours ours_;
  int calls_ = 1;
  std::vector<double> ratios_;
  double spent_ = 0;
};

// The ratio over `budget_s` seconds of pairs (`least` at least).
template <class Clock = std::chrono::steady_clock, class Peer, class Ours>
double speed_ratio(Peer peer, Ours ours, double budget_s, std::size_t least = 9) {
  Interleaved<Peer, Ours, Clock> race(std::move(peer), std::move(ours));
  while (race.spent_s() < budget_s || race.pairs() < least) race.pair();
  return race.ratio();
}

}  // namespace reprosum::bench
