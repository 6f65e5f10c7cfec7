// How often this thread took each way to a sum, dot product or matrix product, for tests and
// benchmarks.
#pragma once

#include <cstdint>

namespace reprosum::exact {

struct PathCounts {
  std::int64_t bounded_calls = 0;    // rounded arithmetic whose bound left one result
  std::int64_t undecided_calls = 0;  // the bound left more, or a premise did not hold
  std::int64_t unbounded_calls = 0;  // not tried with a bound: long, and of far apart exponents
  std::int64_t rescaled_chunks = 0;  // run once more with another exponent
  std::int64_t capped_calls = 0;     // floats whose sums proved themselves by being finite
  std::int64_t widened_calls = 0;    // others that were not, or not only, summed in float
  std::int64_t narrow_blocks = 0, wide_blocks = 0, bucket_blocks = 0, digit_blocks = 0;
  std::int64_t repeated = 0;        // block runs whose premises did not hold
  std::int64_t portable_calls = 0;  // carry-save digits from the first term to the last
  // Shares of a gemm: split into exact and rounded products, or by remainders.
  std::int64_t split_products = 0;
  std::int64_t portable_remainder_products = 0, vnni_products = 0, amx_products = 0;
};
inline constinit thread_local PathCounts counts_of_this_thread;
inline PathCounts& path_counts() { return counts_of_this_thread; }

[[gnu::always_inline]] inline bool count_bounded(bool decided) {
  ++(decided ? path_counts().bounded_calls : path_counts().undecided_calls);
  return decided;
}

}  // namespace reprosum::exact
