// Planted rules, one per phenomenon, checked against the plant on random shapes.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "learn_and_check.h"
#include "planted_source.h"

namespace reprosum::reveal::region_testing {
namespace {

using spec::Shape3;

Result learn(const PlantedSource::Class& planted, bool is_gemv = false, std::int64_t shapes = 2000,
             std::uint64_t seed = 1) {
  PlantedSource source(planted);
  RegionOptions options;
  options.is_gemv = is_gemv;
  options.largest = {1024, 1024, 2048};
  options.largest_work = 4e7;
  options.time_limit_s = 200;
  options.seed = seed;
  const Result result = learn_and_check(source, options, shapes, 1e7, 20240611);
  std::printf("%zu regimes, %lld shapes, fresh: %lld right, %lld wrong, %lld not covered\n",
              result.learned.regimes.size(), static_cast<long long>(result.learned.shapes),
              static_cast<long long>(result.tally.right),
              static_cast<long long>(result.tally.wrong),
              static_cast<long long>(result.tally.uncovered));
  return result;
}

void expect_all_right(const Result& result, std::int64_t most_uncovered = 0) {
  EXPECT_EQ(result.tally.wrong, 0) << result.tally.first_wrong;
  EXPECT_LE(result.tally.uncovered, most_uncovered) << result.learned.stopped << result.tally.holes;
  for (const LearnedRegime& regime : result.learned.regimes) {
    EXPECT_EQ(regime.witnesses.size(), regime.rule.classes.size());
    spec::validate(regime.rule);
  }
}

bool is_covered(const LearnedRegions& learned, const Shape3& shape) {
  for (const LearnedRegime& regime : learned.regimes) {
    const auto& guard = regime.rule.guard;
    if (std::all_of(guard.begin(), guard.end(), [&](auto& atom) { return admits(atom, shape); }))
      return !spell(regime.rule.rows, shape.m).empty() &&
             !spell(regime.rule.columns, shape.n).empty();
  }
  return false;
}

// Rows in tiles of 4 with a rest, columns in tiles of 6 whose rest is split in 4 and 2.
std::uint64_t tiles(const Shape3& s, std::int64_t i, std::int64_t j) {
  const bool edge_row = i >= s.m / 4 * 4, edge_column = j >= s.n / 6 * 6;
  if (edge_row && edge_column) return 2;
  return edge_row || edge_column ? 1 : 0;
}

TEST(PlantedRules, OneClass) {
  const Result result = learn([](const Shape3&, auto, auto) { return 0u; });
  expect_all_right(result);
  EXPECT_EQ(result.learned.regimes.size(), 1u);
}

TEST(PlantedRules, EdgeTiles) {
  const Result result = learn(tiles);
  expect_all_right(result);
  EXPECT_EQ(result.learned.regimes.size(), 1u);
}

TEST(PlantedRules, Gemv) {
  const Result result = learn(
      [](const Shape3& s, std::int64_t i, std::int64_t) -> std::uint64_t {
        return i < 4 ? 1 : i >= s.m / 4 * 4 ? 2 : 0;
      },
      true);
  expect_all_right(result);
}

// Rows in blocks of 320, each with tiles of its own; the first tile of a block is special.
TEST(PlantedRules, RowBlocks) {
  const Result result = learn([](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    const std::int64_t at = i % 320, rows = std::min<std::int64_t>(320, s.m - i / 320 * 320);
    if (at >= rows / 8 * 8) return 2;
    return at < 8 && j % 12 < 6 ? 1 : 0;
  });
  expect_all_right(result, 20);
}

// Rows in blocks of 104 beyond some products, of which only the last few of a shape show anything.
TEST(PlantedRules, LongBlocksWithRareEdges) {
  const Result result = learn(
      [](const Shape3& s, std::int64_t i, std::int64_t) -> std::uint64_t {
        const std::int64_t rest = s.m % 104;
        return s.m * s.k > 131072 && rest < 8 && i >= s.m - rest ? 1 : 0;
      },
      true);
  expect_all_right(result, 20);
}

// Two threads take a half of the columns each, in multiples of 4 for the first.
TEST(PlantedRules, Halves) {
  const Result result = learn([](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    const std::int64_t first = ((s.n + 1) / 2 + 3) / 4 * 4;
    const std::int64_t at = j < first ? j : j - first;
    const std::int64_t count = j < first ? std::min(first, s.n) : s.n - first;
    return (at >= count / 6 * 6 ? 1 : 0) + (i >= s.m / 2 * 2 ? 2 : 0);
  });
  expect_all_right(result);
}

TEST(PlantedRules, GuardOnAllThree) {
  const Result result = learn([](const Shape3& s, auto i, auto j) -> std::uint64_t {
    return s.m * s.n * s.k <= 1000000 ? tiles(s, i, j) : 7;
  });
  expect_all_right(result, 100);
}

TEST(PlantedRules, GuardOnOutputs) {
  const Result result = learn([](const Shape3& s, auto i, auto j) -> std::uint64_t {
    return s.m * s.n <= 1200 ? tiles(s, i, j) : 7;
  });
  expect_all_right(result, 100);
}

TEST(PlantedRules, GuardOnRowsTimesSummands) {
  const Result result = learn(
      [](const Shape3& s, std::int64_t i, std::int64_t) -> std::uint64_t {
        const std::int64_t half = s.m * s.k < 9216 ? s.m : (s.m + 1) / 2;
        return (i < half ? i : i - half) < 4 ? 1 : 0;
      },
      true);
  expect_all_right(result, 20);
}

TEST(PlantedRules, GuardOnSummands) {
  const Result result = learn(
      [](const Shape3& s, std::int64_t i, std::int64_t) -> std::uint64_t {
        return s.k <= 48 ? i % 2 : (i >= s.m / 4 * 4 ? 2 : 3);
      },
      true);
  expect_all_right(result);
}

TEST(PlantedRules, TwoConditions) {
  const Result result = learn([](const Shape3& s, auto i, auto j) -> std::uint64_t {
    return s.m * s.n <= 1200 && s.m * s.n * s.k <= 500000 ? tiles(s, i, j) : 7;
  });
  expect_all_right(result, 200);
}

TEST(PlantedRules, OneRowIsSpecial) {
  const Result result = learn([](const Shape3& s, auto i, auto j) -> std::uint64_t {
    return s.m == 1 ? 5 + j % 3 : tiles(s, i, j);
  });
  expect_all_right(result);
}

// Above the K block the height of the whole call decides the block length: one class at small k.
TEST(PlantedRules, ClassesThatShowAboveABlock) {
  const Result result = learn([](const Shape3& s, auto i, auto j) -> std::uint64_t {
    const std::uint64_t height = s.k <= 256 ? 0 : std::min<std::int64_t>(3, (s.m - 1) / 16);
    return tiles(s, i, j) + 10 * height;
  });
  expect_all_right(result);
}

TEST(PlantedRules, ClassesMergeAtSmallK) {
  const Result result = learn([](const Shape3& s, auto i, auto j) -> std::uint64_t {
    return s.k < 4 ? 0 : s.k < 8 ? std::min<std::uint64_t>(1, tiles(s, i, j)) : tiles(s, i, j);
  });
  expect_all_right(result);
  EXPECT_EQ(result.learned.regimes.size(), 1u);
}

// Two algorithms, by which of the panel counts is larger.
TEST(PlantedRules, NumbersOfPanels) {
  const Result result = learn([](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    if (s.m / 8 > s.n / 6) return i >= s.m / 8 * 8 ? 1 : 0;
    return 3 + (j >= s.n / 6 * 6 ? 1 : 0) + (i % 2 == 0 && i + 1 == s.m ? 5 : 0);
  });
  expect_all_right(result, 100);
}

// The transposed operation: shapes with as many panels down as across belong to the tall side.
TEST(PlantedRules, NumbersOfPanelsAcross) {
  const Result result = learn([](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    if (s.n / 8 > s.m / 6) return j >= s.n / 8 * 8 ? 1 : 0;
    return 3 + (i >= s.m / 6 * 6 ? 1 : 0) + (j % 2 == 0 && j + 1 == s.n ? 5 : 0);
  });
  expect_all_right(result, 100);
}

// On the tall side nothing shows but in a single column, so that a shape beyond the border may be
// right: few sizes have edges there.
std::uint64_t edges_on_one_side(const Shape3& s, std::int64_t i, std::int64_t j) {
  if (s.n == 1) return i >= s.m / 8 * 8 ? 1 : 2;
  if (s.m / 8 > s.n / 6 || s.m % 2 == 0 || i + 1 < s.m) return 0;
  return j >= s.n / 8 * 8 ? 1 : 2;
}

// Some of the seeds begin with a box far from the origin, beside the border.
TEST(PlantedRules, PanelsWithEdgesOnOneSide) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    SCOPED_TRACE(seed);
    const Result result = learn(edges_on_one_side, false, 2000, seed);
    expect_all_right(result, 20);
    EXPECT_EQ(result.learned.regimes.size(), 2u);
  }
}

// A box far from the origin shows the tall side only, and the first shapes of the wide side beyond
// it cost more than most samples do.
TEST(PlantedRules, PanelsFarBeyondTheBox) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    SCOPED_TRACE(seed);
    const Result result = learn(
        [](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
          if (s.m / 6 >= s.n / 16) {
            const std::uint64_t row = i >= s.m / 8 * 8 ? 1 : 0;
            return j + 1 == s.n && s.n % 2 == 1 ? 2 + row : row;
          }
          const std::uint64_t column = j >= s.n / 8 * 8 ? 1 : 0;
          return i + 1 == s.m && s.m % 2 == 1 ? 6 + column : 4 + column;
        },
        false, 2000, seed);
    expect_all_right(result);
    EXPECT_EQ(result.learned.regimes.size(), 2u);
    EXPECT_LT(result.learned.shapes, 12000);  // one start
  }
}

// With one summand there are other classes on both sides, and other panels are compared.
TEST(PlantedRules, OneSummandHasPanelsOfItsOwn) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    SCOPED_TRACE(seed);
    const Result result = learn(
        [](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
          if (s.k > 1 && s.m / 6 < s.n / 8) return j >= s.n / 4 * 4 ? 1 : s.m % 2 == 1 ? 2 : 0;
          if (s.k > 1) return i >= s.m / 8 * 8 ? (s.n % 2 == 1 ? 3 : 4) : 5;
          if (s.m / 8 > s.n / 6) return i >= s.m / 4 * 4 ? 10 : s.n == 1 ? 11 : 12;
          return i + 1 == s.m && s.m % 2 == 1 ? (j >= s.n / 8 * 8 ? 13 : 14) : 15;
        },
        false, 2000, seed);
    expect_all_right(result, 20);
  }
}

// On the tall side, shapes with few panels have blocks of another length: no period shows among the
// sizes that such a guard admits, but they can be listed.
TEST(PlantedRules, FewPanelsHaveBlocksOfTheirOwn) {
  for (const std::uint64_t seed : {1, 2}) {
    SCOPED_TRACE(seed);
    const Result result = learn(
        [](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
          if (s.m / 8 <= s.n / 6) return 50 + (j >= s.n / 6 * 6 ? 1 : 0) + (i + 1 == s.m ? 5 : 0);
          const std::int64_t panels = std::min<std::int64_t>(5, (s.m + 7) / 8);
          const std::int64_t block = panels == 1 ? 256 : panels == 2 ? 128 : 240 / panels;
          const std::int64_t shown = s.k <= block ? 0 : panels;
          return static_cast<std::uint64_t>(10 * shown + (i >= s.m / 8 * 8 ? 1 : 0) +
                                            (j % 2 == 0 && j + 1 == s.n ? 2 : 0));
        },
        false, 2000, seed);
    expect_all_right(result, 20);
  }
}

// Blocks depend on the panels of both sides, remainders counted, while sides are compared without
// remainders: between the two comparisons lie a few shapes (12 x 20), and no box of many.
TEST(PlantedRules, PanelsWithAndWithoutRests) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    SCOPED_TRACE(seed);
    const Result result = learn(
        [](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
          const bool is_tall = s.m / 6 >= s.n / 8;
          const std::int64_t panels = std::max((s.m + 5) / 6, (s.n + 7) / 8);
          const std::int64_t block = 256 / std::min<std::int64_t>(5, panels);
          const std::uint64_t shown = s.k <= block ? 0 : static_cast<std::uint64_t>(256 / block);
          const std::uint64_t edge = is_tall ? (i >= s.m / 8 * 8 ? 1 : 0) + (j + 1 == s.n ? 2 : 0)
                                             : 4 + (j >= s.n / 4 * 4 ? 1 : 0);
          return 10 * shown + edge;
        },
        false, 4000, seed);
    expect_all_right(result, 0);
  }
}

// Between two comparisons lie shapes of a rule of their own: a wedge, and no box near the origin
// lies in it. Its small sizes are listed.
TEST(PlantedRules, AWedgeBetweenTwoComparisonsOfPanels) {
  const auto is_wedge = [](std::int64_t m, std::int64_t n) {
    return m / 6 >= n / 8 && m / 7 < n / 8;
  };
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    SCOPED_TRACE(seed);
    const Result result = learn(
        [&](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
          if (s.m / 6 < s.n / 8) return j >= s.n / 4 * 4 ? 1 : 0;
          if (is_wedge(s.m, s.n)) return i + 1 == s.m && s.m % 2 == 1 ? 5 : 4;
          return i >= s.m / 8 * 8 ? 3 : 2;
        },
        false, 4000, seed);
    expect_all_right(result, 80);  // of more than 96 rows or columns
    for (std::int64_t m = 1; m <= 96; ++m)
      for (std::int64_t n = 1; n <= 96; ++n)
        EXPECT_TRUE(!is_wedge(m, n) || is_covered(result.learned, {m, n, 75})) << m << " x " << n;
  }
}

// Above a bound, edges show in the second and later row blocks only: no shape with many columns and
// a second block is cheap enough where small sizes lie inside the bound.
TEST(PlantedRules, BlocksAboveABound) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Result result = learn(
        [](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
          if (s.m * s.n * s.k <= 1000000) return 9;
          if (s.m <= 192 || j >= s.n / 12 * 12) return 0;
          return i < s.m / 8 * 8 ? 0 : i < s.m / 8 * 8 + s.m % 8 / 4 * 4 ? 1 : 2;
        },
        false, 2000, seed);
    expect_all_right(result, 100);
    EXPECT_EQ(result.learned.regimes.size(), 2u) << "seed " << seed;
  }
}

// Below a bound, second row blocks that only certain widths tell from the first: what no axis can
// be learned for is left out, not guessed.
TEST(PlantedRules, BlocksWithinABound) {
  const auto planted = [](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    if (s.m * s.n * s.k > 262144) return 9;
    const std::int64_t at = i % 320, rows = std::min<std::int64_t>(320, s.m - i / 320 * 320);
    if (at >= rows / 8 * 8) return 2;
    if (at >= 8 || j % 12 >= 6) return 0;
    return i >= 320 && s.n % 12 >= 8 ? 3 : 1;
  };
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    SCOPED_TRACE(seed);
    expect_all_right(learn(planted, false, 2000, seed));
  }
}

bool has_limit(const LearnedRegions& learned, std::int64_t limit) {
  for (const LearnedRegime& regime : learned.regimes) {
    for (const spec::Atom& atom : regime.rule.guard) {
      if (atom.limit == limit) return true;
    }
  }
  return false;
}

// The last product on each side of a border is looked at itself.
TEST(PlantedRules, LimitsAreExact) {
  for (const std::int64_t limit : {9215, 9216}) {
    const Result result =
        learn([&](const Shape3& s, std::int64_t i,
                  std::int64_t) -> std::uint64_t { return s.m * s.k <= limit ? 2 : i % 2; },
              true, 200);
    expect_all_right(result);
    EXPECT_TRUE(has_limit(result.learned, limit)) << limit;
  }
  for (const std::int64_t limit : {1199, 1200, 1204}) {
    const Result result =
        learn([&](const Shape3& s, auto i,
                  auto j) -> std::uint64_t { return s.m * s.n <= limit ? tiles(s, i, j) : 7; },
              false, 200);
    expect_all_right(result, 20);
    EXPECT_TRUE(has_limit(result.learned, limit)) << limit;
  }
}

// A border that no condition expresses: pieces of both sides touch it at corners of their guards.
TEST(PlantedRules, WhatNoConditionExpressesIsLeftOut) {
  const auto planted = [](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    return s.m + s.n > 300 ? 7 : tiles(s, i, j);
  };
  for (const std::uint64_t seed : {1, 2, 6}) {
    SCOPED_TRACE(seed);
    const Result result = learn(planted, false, 8000, seed);
    EXPECT_EQ(result.tally.wrong, 0) << result.tally.first_wrong;
    EXPECT_GT(result.tally.right, 1000);
  }
}

TEST(PlantedRules, NoRuleIsRefused) {
  const Result result = learn(
      [](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
        return static_cast<std::uint64_t>(s.m * 7919 + s.n * 104729 + i * i * 31 + j * i * 17) *
               2654435761u % 1009 % 3;
      },
      false, 200);
  EXPECT_EQ(result.tally.wrong, 0);
  EXPECT_TRUE(result.learned.regimes.empty());
  EXPECT_FALSE(result.learned.stopped.empty());
}

}  // namespace
}  // namespace reprosum::reveal::region_testing
