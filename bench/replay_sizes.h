// The sizes of random vectors: log-uniform, with those that vector code gets wrong mixed in.
#pragma once

#include <cstdint>
#include <vector>

#include "reveal/check/random_data.h"
#include "spec/order.h"

namespace reprosum::bench {

// The largest size that random draws reach; the ones beyond are large_sizes().
inline constexpr std::int64_t kLargestDrawn = 1'000'000;

class ReplaySizes {
 public:
  // Sizes in 1..n_max; after so many different draws one of these, for targets to which a new size
  // is dear.
  ReplaySizes(const spec::Order& order, std::int64_t n_max, std::int64_t most);

  // Log-uniform: six in ten up to 3000, most others up to 30000, one in a hundred from 10000 up to
  // kLargestDrawn. A quarter is moved to a power of two or a neighbour of one, a quarter to a
  // prime; one in twenty is a border of two regimes of the order, give or take two.
  std::int64_t draw(reveal::FastRandom& random);

  // Few and large: n_max, its predecessor and the greatest prime up to it. Beyond kLargestDrawn
  // also a power of two less and plus one and three log-uniform sizes.
  std::vector<std::int64_t> large(reveal::FastRandom& random) const;

 private:
  std::int64_t draw_new(reveal::FastRandom& random) const;

  std::int64_t n_max_, most_;
  std::vector<std::int64_t> drawn_;  // up to most_
  std::vector<std::int64_t> borders_;
};

}  // namespace reprosum::bench
