#include "bench/replay_sizes.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace reprosum::bench {
namespace {

// Borders beyond this would take most of the time.
constexpr std::int64_t kLargestBorder = 50'000;

void add_borders(const spec::Order& order, std::int64_t n_max, std::vector<std::int64_t>& borders) {
  for (const spec::Regime& regime : order.regimes)
    if (regime.hi < std::min(n_max, kLargestBorder)) borders.push_back(regime.hi);
  for (const spec::Order& sub : order.subs) add_borders(sub, n_max, borders);
}

std::int64_t log_uniform(reveal::FastRandom& random, std::int64_t from, std::int64_t to) {
  const double low = std::log(static_cast<double>(from)), high = std::log(static_cast<double>(to));
  return static_cast<std::int64_t>(std::exp(low + random.unit() * (high - low)));
}

// The greatest prime up to n; n itself below 2.
std::int64_t prime_below(std::int64_t n) {
  const auto is_prime = [](std::int64_t p) {
    for (std::int64_t d = 2; d * d <= p; ++d)
      if (p % d == 0) return false;
    return true;
  };
  while (n > 2 && !is_prime(n)) --n;
  return n;
}

}  // namespace

ReplaySizes::ReplaySizes(const spec::Order& order, std::int64_t n_max, std::int64_t most)
    : n_max_(n_max), most_(most) {
  add_borders(order, n_max, borders_);
}

std::int64_t ReplaySizes::draw(reveal::FastRandom& random) {
  if (std::ssize(drawn_) == most_)
    return drawn_[static_cast<std::size_t>(random.below(std::ssize(drawn_)))];
  const std::int64_t n = draw_new(random);
  if (std::find(drawn_.begin(), drawn_.end(), n) == drawn_.end()) drawn_.push_back(n);
  return n;
}

std::int64_t ReplaySizes::draw_new(reveal::FastRandom& random) const {
  const std::int64_t kind = random.below(1000);
  const std::int64_t top = std::min(n_max_, kLargestDrawn);
  std::int64_t n = 0;
  if (kind < 50 && !borders_.empty()) {
    n = borders_[static_cast<std::size_t>(
            random.below(static_cast<std::int64_t>(borders_.size())))] +
        random.below(5) - 2;
    return std::clamp<std::int64_t>(n, 1, top);
  }
  if (kind < 650)
    n = log_uniform(random, 1, 3000);
  else if (kind < 990)
    n = log_uniform(random, 1, 30'000);
  else
    n = log_uniform(random, 10'000, kLargestDrawn);
  n = std::min(n, top);
  const std::int64_t shape = random.below(4);
  if (shape == 0) n = prime_below(n);
  if (shape == 1)
    n = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n))) + random.below(3) -
        1;
  return std::clamp<std::int64_t>(n, 1, top);
}

std::vector<std::int64_t> ReplaySizes::large(reveal::FastRandom& random) const {
  std::vector<std::int64_t> sizes{n_max_, std::max<std::int64_t>(n_max_ - 1, 1),
                                  prime_below(n_max_)};
  if (n_max_ <= kLargestDrawn) return sizes;
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n_max_)));
  sizes.push_back(power - 1);
  sizes.push_back(std::min(power + 1, n_max_));
  for (int k = 0; k < 3; ++k) sizes.push_back(log_uniform(random, kLargestDrawn, n_max_));
  return sizes;
}

}  // namespace reprosum::bench
