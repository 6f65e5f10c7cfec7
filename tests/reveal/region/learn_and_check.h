// Learning a planted rule, and comparing what was learned with it on random shapes.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "fresh_check.h"

namespace reprosum::reveal::region_testing {

struct Result {
  LearnedRegions learned;
  Tally tally;
};

// With REPROSUM_REGION_LOG set, the learner says what it does.
inline Result learn_and_check(SignatureSource& source, RegionOptions options, std::int64_t shapes,
                              double most_work, std::uint64_t seed) {
  if (std::getenv("REPROSUM_REGION_LOG") != nullptr) {
    options.log = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  }
  Result result{learn_regions(source, options), {}};
  FreshCheck check(source, result.learned);
  check.look_at_random(shapes, options, most_work, seed);
  result.tally = check.tally;
  return result;
}

}  // namespace reprosum::reveal::region_testing
