// How often a thread's fast ways held and how often they did not, for tests and benchmarks. Work
// that other threads did is not in it.
#pragma once

#include <cstdint>

namespace reprosum::exact {

struct FastCounts {
  std::int64_t tried = 0;     // results that were computed fast
  std::int64_t settled = 0;   // of these, results that were not proven and so computed exactly
  std::int64_t rescaled = 0;  // strips of gemv that were run once more with another scale
  // Certified solutions of trsv that took their residual, or balls.
  std::int64_t corrected = 0, balls = 0;
  std::int64_t capped = 0;  // rows of gemv of floats whose sums prove themselves by being finite
};

inline constinit thread_local FastCounts fast_counts_of_this_thread;
inline FastCounts& fast_counts() { return fast_counts_of_this_thread; }

}  // namespace reprosum::exact
