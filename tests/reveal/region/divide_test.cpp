// Blocks with rests of several orders, and limits that differ for each combination of sizes.
#include <gtest/gtest.h>

#include "learn_and_check.h"
#include "planted_source.h"

namespace reprosum::reveal::region_testing {
namespace {

using spec::Shape3;

Result learn(const PlantedSource::Class& planted, std::uint64_t seed) {
  PlantedSource source(planted);
  RegionOptions options;
  options.largest = {1024, 1024, 1024};
  options.time_limit_s = 60;
  options.seed = seed;
  const Result result = learn_and_check(source, options, 2000, 5e6, 20261123);
  for (const LearnedRegime& regime : result.learned.regimes) spec::validate(regime.rule);
  return result;
}

// Whole blocks, and a rest whose order hangs on whether it is even.
std::uint64_t blocks(const Shape3& s, std::int64_t i, std::int64_t j, std::int64_t block) {
  const auto type = [&](std::int64_t at, std::int64_t size) -> std::uint64_t {
    return at < size / block * block ? 0 : 1 + static_cast<std::uint64_t>(size % 2);
  };
  return 1 + 3 * type(i, s.m) + type(j, s.n);
}

// The first box holds less than two of these.
TEST(Blocks, WithARestOfAPeriodOfItsOwnAreOnePeriod) {
  const Result result =
      learn([](const Shape3& s, std::int64_t i, std::int64_t j) { return blocks(s, i, j, 56); }, 1);
  EXPECT_EQ(result.tally.wrong, 0) << result.tally.first_wrong;
  EXPECT_EQ(result.tally.uncovered, 0) << result.tally.holes;
  ASSERT_EQ(result.learned.regimes.size(), 1u);
  for (const spec::Axis& axis :
       {result.learned.regimes[0].rule.rows, result.learned.regimes[0].rule.columns})
    EXPECT_EQ(axis.back().period, 56);
}

// One order where m*n*k is at most a limit, which is one for few summands and others for many, by
// which of m and n is large. In the last blocks, few summands have one order as well.
std::uint64_t by_combination(const Shape3& s, std::int64_t i, std::int64_t j) {
  const std::int64_t product = s.m * s.n * s.k;
  const std::int64_t limit = s.k <= 60                ? 30000
                             : s.m <= 60 && s.n <= 60 ? 41000
                             : s.n <= 60              ? 900000
                                                      : 0;
  if (product <= limit) return 0;
  const std::uint64_t seen = blocks(s, i, j, 20);
  const bool is_in_order = seen == 5 || seen == 6 || seen == 8 || seen == 9;
  return is_in_order && s.k < 10 ? 0 : seen;
}

TEST(Limits, OfEachCombinationOfSizesAreFound) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const Result result = learn(by_combination, seed);
    EXPECT_EQ(result.tally.wrong, 0) << result.tally.first_wrong;
    EXPECT_LE(result.tally.uncovered, 40) << result.tally.holes << result.learned.stopped;
  }
}

}  // namespace
}  // namespace reprosum::reveal::region_testing
