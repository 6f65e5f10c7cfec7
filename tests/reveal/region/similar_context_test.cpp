// Rules that were learned in one context are found again in another where they hold there.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fresh_check.h"
#include "planted_source.h"

namespace reprosum::reveal::region_testing {
namespace {

using spec::Shape3;

constexpr std::uint64_t kSeed = 20240613;

RegionOptions options_for_tests() {
  RegionOptions options;
  options.largest = {1024, 1024, 2048};
  options.time_limit_s = 200;  // a sanitizer takes ten times as long
  return options;
}

// Row blocks that only certain widths tell apart.
std::uint64_t blocks(const Shape3& s, std::int64_t i, std::int64_t j) {
  const std::int64_t at = i % 320, rows = std::min<std::int64_t>(320, s.m - i / 320 * 320);
  if (at >= rows / 8 * 8) return 2;
  if (at >= 8 || j % 12 >= 6) return 0;
  return i >= 320 && s.n % 12 >= 8 ? 3 : 1;
}

// The same by halves of the rows.
std::uint64_t halves(const Shape3& s, std::int64_t i, std::int64_t) {
  const std::int64_t first = (s.m + 1) / 2;
  const std::int64_t at = i < first ? i : i - first, rows = i < first ? first : s.m - first;
  return at >= rows / 8 * 8 ? 5 : 6;
}

Tally fresh(PlantedSource& source, const LearnedRegions& learned, const RegionOptions& options) {
  FreshCheck check(source, learned);
  check.look_at_random(2000, options, 1e7, kSeed);
  std::printf("%zu regimes, %lld shapes, fresh (seed %llu): %lld right, %lld wrong, %lld without\n",
              learned.regimes.size(), static_cast<long long>(learned.shapes),
              static_cast<unsigned long long>(kSeed), static_cast<long long>(check.tally.right),
              static_cast<long long>(check.tally.wrong),
              static_cast<long long>(check.tally.uncovered));
  return check.tally;
}

class SimilarContext : public testing::Test {
 protected:
  void learn_one_thread() {
    PlantedSource source(blocks);
    one_ = learn_regions(source, options_for_tests());
    ASSERT_EQ(one_.stopped, "");
  }
  LearnedRegions one_;
};

// Below the bound, long axes are met at small k only; what another context has shown covers them.
TEST_F(SimilarContext, RulesHoldUpToABound) {
  ASSERT_NO_FATAL_FAILURE(learn_one_thread());
  PlantedSource two([](const Shape3& s, auto i, auto j) {
    return s.m * s.n * s.k <= 262144 ? blocks(s, i, j) : halves(s, i, j);
  });
  RegionOptions options = options_for_tests();
  options.similar = &one_;
  const LearnedRegions learned = learn_regions(two, options);
  const Tally tally = fresh(two, learned, options);
  EXPECT_EQ(tally.wrong, 0) << tally.first_wrong;
  EXPECT_LE(tally.uncovered, 20) << learned.stopped << tally.holes;
  ASSERT_FALSE(learned.regimes.empty());
  EXPECT_EQ(learned.regimes[0].rule.rows, one_.regimes[0].rule.rows);
  EXPECT_EQ(learned.regimes[0].rule.guard[0].limit, 262144);
}

// Where nothing of it holds, nothing of it is kept.
TEST_F(SimilarContext, RulesThatHoldNowhereAreForgotten) {
  ASSERT_NO_FATAL_FAILURE(learn_one_thread());
  PlantedSource two(halves);
  RegionOptions options = options_for_tests();
  const LearnedRegions alone = learn_regions(two, options);
  options.similar = &one_;
  const LearnedRegions learned = learn_regions(two, options);
  const Tally tally = fresh(two, learned, options);
  EXPECT_EQ(tally.wrong, 0) << tally.first_wrong;
  EXPECT_EQ(tally.uncovered, 0) << learned.stopped << tally.holes;
  EXPECT_EQ(learned.regimes.size(), alone.regimes.size());
}

// A comparison of panels is no condition on a product: there nothing of the rule is confined to
// one.
TEST_F(SimilarContext, RulesAreNotTakenForAnotherKindOfBorder) {
  ASSERT_NO_FATAL_FAILURE(learn_one_thread());
  PlantedSource two([](const Shape3& s, auto i, auto j) {
    return s.m / 8 > s.n / 6 ? halves(s, i, j) : blocks(s, i, j);
  });
  RegionOptions options = options_for_tests();
  options.largest = {300, 300, 300};  // one row block
  options.similar = &one_;
  const LearnedRegions learned = learn_regions(two, options);
  const Tally tally = fresh(two, learned, options);
  EXPECT_EQ(tally.wrong, 0) << tally.first_wrong;
  EXPECT_LE(tally.uncovered, 20) << learned.stopped << tally.holes;
}

// Few samples are as large as the sizes that a rule of another context has no words for.
TEST(RulesOfOthers, AreFollowedBeyondTheirAxes) {
  constexpr std::int64_t known = 900;
  const auto tiles = [](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    return (i >= s.m / 4 * 4 ? 1 : 0) + (j >= s.n / 6 * 6 ? 2 : 0);
  };
  PlantedSource before(tiles);
  LearnedRegions other = learn_regions(before, options_for_tests());
  ASSERT_EQ(other.regimes.size(), 1u);
  for (spec::Axis* axis : {&other.regimes[0].rule.rows, &other.regimes[0].rule.columns}) {
    ASSERT_EQ(axis->size(), 1u);
    axis->back().to = known;
  }
  RegionOptions options = options_for_tests();
  options.others = {&other};
  for (const bool is_other_beyond : {false, true}) {
    SCOPED_TRACE(is_other_beyond);
    PlantedSource source([&](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
      return is_other_beyond && s.m > known ? 4 + (i >= s.m / 2 ? 1 : 0) : tiles(s, i, j);
    });
    const LearnedRegions learned = learn_regions(source, options);
    Tally tally = fresh(source, learned, options);
    FreshCheck check(source, learned);
    for (const std::int64_t size : {902, 951, 1023}) {
      for (const std::int64_t across : {1, 20, 300}) {
        for (const std::int64_t k : {2, 37}) {
          check.look({size, across, k});
          check.look({across, size, k});
        }
      }
    }
    EXPECT_EQ(tally.wrong + check.tally.wrong, 0)
        << tally.first_wrong << ", " << check.tally.first_wrong;
    EXPECT_EQ(tally.uncovered + check.tally.uncovered, 0)
        << learned.stopped << tally.holes << check.tally.holes;
  }
}

// One summand: the panels that are compared, and what is right on both sides, are others with gaps.
std::uint64_t one_summand(const Shape3& s, std::int64_t i, std::int64_t j, bool has_gaps) {
  if (s.k > 1) return s.m / 6 >= s.n / 8 ? i >= s.m / 8 * 8 : 2 + (j >= s.n / 4 * 4);
  if (has_gaps && s.m / 6 < s.n / 8) return j >= s.n / 4 * 4 ? 10 : s.m % 2 == 1 ? 11 : 12;
  if (has_gaps) return i >= s.m / 8 * 8 ? 13 : 14;
  if (s.m / 8 > s.n / 6) return i >= s.m / 4 * 4 ? 20 : s.n == 1 ? 21 : 22;
  return i + 1 == s.m && s.m % 2 == 1 ? (j >= s.n / 8 * 8 ? 23 : 24) : 25;
}

// A border of the one context runs through what both sides of that of the other admit.
TEST(SimilarPanels, OthersAreComparedHere) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    RegionOptions options = options_for_tests();
    options.seed = seed;
    PlantedSource without(
        [](const Shape3& s, auto i, auto j) { return one_summand(s, i, j, false); });
    const LearnedRegions tight = learn_regions(without, options);
    ASSERT_EQ(tight.stopped, "");
    PlantedSource with([](const Shape3& s, auto i, auto j) { return one_summand(s, i, j, true); });
    options.similar = &tight;
    const LearnedRegions learned = learn_regions(with, options);
    const Tally tally = fresh(with, learned, options);
    EXPECT_EQ(tally.wrong, 0) << tally.first_wrong;
    EXPECT_EQ(tally.uncovered, 0) << learned.stopped << tally.holes;
  }
}

// A small product has tiles of its own; in larger ones rows above 192 and columns have edges.
std::uint64_t small_or_large(const Shape3& s, std::int64_t i, std::int64_t j) {
  if (s.m * s.n <= 1000 && s.m * s.n * s.k <= 1000000)
    return (i >= s.m / 4 * 4 || j >= s.n / 4 * 4) ? 11 : 10;
  if (s.m <= 192 || j >= s.n / 12 * 12) return 0;
  return i >= s.m / 8 * 8 ? 1 : 0;
}

// Two halves of the columns, where each half has edges only beyond 24 columns.
std::uint64_t halves_of_columns(const Shape3& s, std::int64_t i, std::int64_t j) {
  const std::int64_t first = (s.n + 1) / 2;
  const std::int64_t at = j < first ? j : j - first, columns = j < first ? first : s.n - first;
  if (columns <= 24 || at < columns / 24 * 24) return 0;
  return i >= s.m / 16 * 16 ? 21 : 20;
}

std::uint64_t above_a_bound(const Shape3& s, std::int64_t i, std::int64_t j) {
  const bool is_small = s.m * s.n <= 1000 && s.m * s.n * s.k <= 1000000;
  return is_small || s.m * s.n * s.k <= 262144 ? small_or_large(s, i, j)
                                               : halves_of_columns(s, i, j);
}

// The rule that ends at a bound shows no edge of its own below it, and beyond the bound narrow
// outputs look as it says: only along k does the bound show. At many k no shape lies below it.
TEST(SimilarRules, EndWhereTheyShowNoEdge) {
  PlantedSource one(small_or_large), two(above_a_bound);
  RegionOptions options = options_for_tests();
  const LearnedRegions learned_one = learn_regions(one, options);
  ASSERT_EQ(learned_one.stopped, "");
  options.similar = &learned_one;
  std::vector<std::string> lines;
  options.log = [&](const std::string& line) { lines.push_back(line); };
  const LearnedRegions learned = learn_regions(two, options);
  const Tally tally = fresh(two, learned, options);
  EXPECT_EQ(tally.wrong, 0) << tally.first_wrong;
  EXPECT_LE(tally.uncovered, 20) << learned.stopped << tally.holes;
  const bool ends_at_the_bound =
      std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
        return line.find("similar rule up to a border mnk <= 262144") != std::string::npos;
      });
  EXPECT_TRUE(ends_at_the_bound);
}

// Blocks of 384 summands; the remaining ones are halved, and with one thread only the first half is
// rounded up to eight.
bool halves_differ(std::int64_t k) {
  while (k >= 768) k -= 384;
  return k > 384 && (k + 1) / 2 % 8 != 0;
}

// All outputs have one order, and beyond a bound another one, which some k do not show. A shape of
// such a k is right on both sides of the bound, and must not move it.
TEST(SimilarRules, ABoundIsNotMovedByShapesThatDoNotShowIt) {
  PlantedSource one([](const Shape3&, auto, auto) { return 0u; });
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    SCOPED_TRACE(seed);
    PlantedSource two([](const Shape3& s, auto, auto) -> std::uint64_t {
      return s.m * s.n * s.k > 262144 && halves_differ(s.k);
    });
    RegionOptions options = options_for_tests();
    options.seed = seed;
    const LearnedRegions learned_one = learn_regions(one, options);
    options.similar = &learned_one;
    const LearnedRegions learned = learn_regions(two, options);
    const Tally tally = fresh(two, learned, options);
    EXPECT_EQ(tally.wrong, 0) << tally.first_wrong;
    EXPECT_EQ(tally.uncovered, 0) << learned.stopped << tally.holes;
    ASSERT_EQ(learned.regimes.size(), 2u);
    EXPECT_EQ(learned.regimes[0].rule.guard[0].limit, 262144);
  }
}

// Edges of the rows of a matrix times a vector, and of each half of them in wide ones.
std::uint64_t row_edges(const Shape3& s, std::int64_t i, std::int64_t) {
  return i >= s.m / 8 * 8 ? 2 : 1;
}
std::uint64_t edges_of_halves(const Shape3& s, std::int64_t i, std::int64_t j) {
  if (s.m <= 32) return row_edges(s, i, j);
  const std::int64_t first = (s.m + 1) / 2;
  const std::int64_t at = i < first ? i : i - first, rows = i < first ? first : s.m - first;
  return at >= rows / 16 * 16 ? 2 : 1;
}

// Learns the regions of a matrix times a vector: all fresh shapes are covered and right.
LearnedRegions learn_gemv(std::uint64_t seed, PlantedSource::Class planted,
                          const LearnedRegions* similar) {
  PlantedSource source(std::move(planted));
  RegionOptions options = options_for_tests();
  options.is_gemv = true;
  options.seed = seed;
  options.similar = similar;
  LearnedRegions learned = learn_regions(source, options);
  const Tally tally = fresh(source, learned, options);
  EXPECT_EQ(tally.wrong, 0) << tally.first_wrong;
  EXPECT_EQ(tally.uncovered, 0) << learned.stopped << tally.holes;
  return learned;
}

// There are 23 ways to write 9216 as a product, and few of these shapes show the other order.
TEST(SimilarRules, EndBeforeANumberThatFewShapesShow) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    SCOPED_TRACE(seed);
    const LearnedRegions one = learn_gemv(seed, row_edges, nullptr);
    const auto two = [](const Shape3& s, auto i, auto j) {
      return s.m * s.k < 9216 ? row_edges(s, i, j) : edges_of_halves(s, i, j);
    };
    const LearnedRegions learned = learn_gemv(seed, two, &one);
    ASSERT_EQ(learned.regimes.size(), 2u);
    EXPECT_EQ(learned.regimes[0].rule.guard[0].limit, 9215);
  }
}

// Pairs of rows, and pairs in each half of them, which begin at other addresses.
std::uint64_t row_pairs(const Shape3& s, std::int64_t i, std::int64_t) {
  return i >= s.m / 2 * 2 ? 1 : 0;
}
std::uint64_t pairs_of_halves(const Shape3& s, std::int64_t i, std::int64_t) {
  const std::int64_t first = (s.m + 1) / 2;
  const std::int64_t at = i < first ? i : i - first, rows = i < first ? first : s.m - first;
  return (at >= rows / 2 * 2 ? 1 : 0) + (i >= first && first % 2 == 1 ? 2 : 0);
}

// Most sizes beyond the limit have no edge that shows it: ways through them end anywhere, and two
// of them agree by chance. Along k all ways end at the limit.
TEST(Limits, OfKAndRowsAreFollowedAlongK) {
  const auto planted = [](const Shape3& s, auto i, auto j) {
    return s.m * s.k < 9216 ? row_pairs(s, i, j) : pairs_of_halves(s, i, j);
  };
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(learn_gemv(seed, planted, nullptr).regimes.size(), 2u);
  }
}

// A regime under other conditions has the rule that is known from another transpose.
TEST(SimilarRules, OfOtherContextsAreTriedForOneRegime) {
  PlantedSource other([](const Shape3& s, auto i, auto j) {
    return s.m * s.n * s.k <= 1000000 ? std::uint64_t{i >= s.m / 4 * 4}
                                      : halves_of_columns(s, i, j);
  });
  const auto planted = [](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    return s.m * s.n <= 900 ? i % 2 : halves_of_columns(s, i, j);
  };
  RegionOptions options = options_for_tests();
  const LearnedRegions known = learn_regions(other, options);
  ASSERT_EQ(known.stopped, "");
  PlantedSource alone_source(planted), source(planted);
  const LearnedRegions alone = learn_regions(alone_source, options);
  options.others = {&known};
  bool is_adopted = false;
  options.log = [&](const std::string& line) {
    is_adopted |= line == "  the rule of mnk > 1000000 holds here too";
  };
  const LearnedRegions learned = learn_regions(source, options);
  const Tally tally = fresh(source, learned, options);
  EXPECT_EQ(tally.wrong, 0) << tally.first_wrong;
  EXPECT_LE(tally.uncovered, 20) << learned.stopped << tally.holes;
  EXPECT_TRUE(is_adopted);
  EXPECT_LT(learned.shapes, alone.shapes);
}

// A rule that has words for some of the rows only is right wherever it says anything.
TEST(SimilarRules, ThatKnowFewSizesAreNotTaken) {
  const auto planted = [](const Shape3& s, std::int64_t i, std::int64_t) {
    return std::uint64_t{i >= s.m / 8 * 8};
  };
  RegionOptions options = options_for_tests();
  options.largest.m = 100;
  PlantedSource low(planted), whole(planted);
  const LearnedRegions known = learn_regions(low, options);
  ASSERT_EQ(known.regimes.size(), 1u);
  EXPECT_EQ(known.regimes[0].rule.rows.back().to, 100);
  options.largest.m = 1024;
  options.others = {&known};
  const LearnedRegions learned = learn_regions(whole, options);
  const Tally tally = fresh(whole, learned, options);
  EXPECT_EQ(tally.wrong, 0) << tally.first_wrong;
  EXPECT_EQ(tally.uncovered, 0) << learned.stopped << tally.holes;
}

// With one summand this context differs from the other one in few small shapes, which a sample of
// one k hardly meets.
TEST(SimilarRules, OfOneSummandAreComparedWhereSmall) {
  const auto odd_row = [](const Shape3& s, std::int64_t i) {
    return std::uint64_t{s.m % 2 == 1 && i + 1 == s.m};
  };
  PlantedSource other([&](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    return s.k == 1 ? odd_row(s, i) : 2 + (i >= s.m / 4 * 4) + 2 * (j >= s.n / 2 * 2);
  });
  PlantedSource source([&](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    const bool is_apart = s.m <= 4 && s.n >= 5 && s.n <= 8;
    return s.k == 1 ? odd_row(s, i) + (is_apart ? 10 : 0) : 6 + (i >= s.m / 8 * 8 && j > 0);
  });
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    RegionOptions options = options_for_tests();
    options.seed = seed;
    const LearnedRegions known = learn_regions(other, options);
    ASSERT_EQ(known.stopped, "");
    options.others = {&known};
    options.log = [](const std::string& line) {
      EXPECT_EQ(line.find("k <= 1 holds here too"), std::string::npos) << line;
      EXPECT_EQ(line.find("contradicts k <= 1:"), std::string::npos) << line;
    };
    const LearnedRegions learned = learn_regions(source, options);
    FreshCheck check(source, learned);
    for (std::int64_t m = 1; m <= 20; ++m)
      for (std::int64_t n = 1; n <= 20; ++n) check.look({m, n, 1});
    EXPECT_EQ(check.tally.wrong, 0) << check.tally.first_wrong;
    EXPECT_EQ(check.tally.uncovered, 0) << learned.stopped << check.tally.holes;
  }
}

}  // namespace
}  // namespace reprosum::reveal::region_testing
