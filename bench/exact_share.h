// How many results the fast ways of exact mode left to exact sums.
#pragma once

#include "src/exact/machine/fast_counts.h"

namespace reprosum::bench {

// In percent of the results of one run; 100 where no fast way was taken.
template <class Run>
double exact_share(Run&& run) {
  const exact::FastCounts before = exact::fast_counts();
  run();
  const exact::FastCounts& after = exact::fast_counts();
  const auto tried = static_cast<double>(after.tried - before.tried);
  return tried > 0 ? 100 * static_cast<double>(after.settled - before.settled) / tried : 100;
}

}  // namespace reprosum::bench
