// Regions of shapes with three large sizes, which few looks can afford.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fresh_check.h"
#include "planted_source.h"

namespace reprosum::reveal::region_testing {
namespace {

using spec::Shape3;

struct Limits {
  std::int64_t m, n, k;
  bool exceeded(const Shape3& s) const { return s.m > m && s.n > n && s.k > k; }
};

// The last rows, and the last columns, that fill no tile.
std::uint64_t edges(const Shape3& s, std::int64_t i, std::int64_t j, std::int64_t rows,
                    std::int64_t columns) {
  return i >= s.m / rows * rows || j >= s.n / columns * columns;
}

bool has_empty_regime(const LearnedRegions& learned) {
  return std::any_of(learned.regimes.begin(), learned.regimes.end(),
                     [](const LearnedRegime& regime) { return regime.rule.classes.empty(); });
}

// Whether a large difference shows in all outputs, or in the edges alone.
class FarRegion : public testing::TestWithParam<bool> {};

TEST_P(FarRegion, IsFoundAndLearned) {
  const bool shows_everywhere = GetParam();
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::mt19937_64 random(seed);
    const auto limit = [&] { return static_cast<std::int64_t>(120 + random() % 100); };
    const Limits limits{limit(), limit(), limit()};
    PlantedSource source([&](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
      if (!limits.exceeded(s)) return edges(s, i, j, 4, 2);
      return (shows_everywhere ? 2 : 0) + edges(s, i, j, 8, 6);
    });
    RegionOptions options;
    options.largest = {1024, 1024, 1024};
    options.seed = seed;
    const LearnedRegions learned = learn_regions(source, options);
    ASSERT_TRUE(has_empty_regime(learned)) << "seed " << seed;
    FreshCheck check(source, learned);
    check.look_at_random(60, options, 4e6, seed);
    EXPECT_EQ(check.tally.right, 60) << "seed " << seed << ":" << check.tally.holes;
    check.look_at_large(100, 400, 30, 4e7, seed);
    EXPECT_EQ(check.tally.wrong, 0) << "seed " << seed << ": " << check.tally.first_wrong;
    EXPECT_EQ(check.tally.uncovered, 0) << "seed " << seed << ":" << check.tally.holes;
  }
}

INSTANTIATE_TEST_SUITE_P(Differences, FarRegion, testing::Bool());

// No rule says which outputs share an order there: those shapes alone are left out.
TEST(Far, WhatHasNoRuleIsLeftOut) {
  const Limits limits{170, 190, 150};
  PlantedSource source([&](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    if (!limits.exceeded(s)) return edges(s, i, j, 4, 2);
    return 2 + static_cast<std::uint64_t>((i * 7919 + j * 104729 + s.m * s.n) % 101);
  });
  RegionOptions options;
  options.largest = {1024, 1024, 1024};
  const LearnedRegions learned = learn_regions(source, options);
  ASSERT_TRUE(has_empty_regime(learned));
  EXPECT_FALSE(learned.stopped.empty());
  FreshCheck small(source, learned);
  small.look_at_random(60, options, 4e6, 5);
  EXPECT_EQ(small.tally.right, 60) << small.tally.holes;
  FreshCheck large(source, learned);
  large.look_at_large(200, 400, 20, 4e7, 6);
  EXPECT_EQ(large.tally.wrong, 0) << large.tally.first_wrong;
  EXPECT_EQ(large.tally.uncovered, 20);
}

TEST(Far, NothingIsSetApartWithoutContradiction) {
  PlantedSource source(
      [](const Shape3& s, std::int64_t i, std::int64_t j) { return edges(s, i, j, 4, 2); });
  RegionOptions options;
  options.largest = {1024, 1024, 1024};
  const LearnedRegions learned = learn_regions(source, options);
  EXPECT_EQ(learned.regimes.size(), 1u);
  EXPECT_EQ(learned.stopped, "");
}

}  // namespace
}  // namespace reprosum::reveal::region_testing
