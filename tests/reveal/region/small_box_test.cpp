// Small products, looked at one by one where no rule of all sizes covers them.
#include "reveal/region/small_box.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fresh_check.h"
#include "planted_source.h"
#include "reveal/region/box.h"

namespace reprosum::reveal::region_testing {
namespace {

using region::WholeBox;
using spec::Atom;
using spec::Shape3;
using Kind = Atom::Kind;

constexpr std::int64_t kSmall = 24, kPlain = 5000, kBlock = 10, kFar = 200;

// Rests of blocks have an order by their parity; beyond the box nothing goes by a rule.
std::uint64_t blocks_beyond(const Shape3& s, std::int64_t i, std::int64_t j) {
  if (s.m * s.n * s.k <= kPlain) return 0;
  if (std::max({s.m, s.n, s.k}) > kSmall)
    return 100 + static_cast<std::uint64_t>(i * 7919 + j * 104729 + s.m * s.n * s.k * 31) % 1009;
  const auto type = [](std::int64_t at, std::int64_t size) -> std::uint64_t {
    return at < size / kBlock * kBlock ? 0 : 1 + size % 2;
  };
  return 1 + 3 * type(i, s.m) + type(j, s.n);
}

void look_at_all(FreshCheck& check, const Shape3& sizes) {
  for (std::int64_t k = 1; k <= sizes.k; ++k)
    for (std::int64_t m = 1; m <= sizes.m; ++m)
      for (std::int64_t n = 1; n <= sizes.n; ++n) check.look({m, n, k});
}

TEST(SmallBox, IsLearnedWhereLargeProductsHaveNoRule) {
  PlantedSource source(blocks_beyond);
  RegionOptions options;
  options.largest = {512, 512, 512};
  options.small = kSmall;
  options.time_limit_s = 4;
  const LearnedRegions learned = learn_regions(source, options);
  FreshCheck small(source, learned);
  look_at_all(small, {kSmall, kSmall, kSmall});
  EXPECT_EQ(small.tally.wrong, 0) << small.tally.first_wrong;
  EXPECT_EQ(small.tally.right, kSmall * kSmall * kSmall) << small.tally.holes;
  FreshCheck large(source, learned);
  large.look_at_random(200, options, 1e6, 7);
  EXPECT_EQ(large.tally.wrong, 0) << large.tally.first_wrong;
  EXPECT_GT(large.tally.uncovered, 0);
}

// Held-out shapes meet none of the few small ones in which another context differs.
TEST(SmallBox, IsNotTakenOverFromAnotherContext) {
  const auto in_fours = [](const Shape3& s, std::int64_t i, auto) -> std::uint64_t {
    return i >= s.m / 4 * 4;
  };
  PlantedSource source(in_fours);
  PlantedSource differs([&](const Shape3& s, std::int64_t i, auto j) -> std::uint64_t {
    return s.m == 23 && s.n == 21 && s.k == 19 ? 7 : in_fours(s, i, j);
  });
  RegionOptions options;
  options.largest = {512, 512, 512};
  LearnedRegions learned = learn_regions(source, options);
  ASSERT_TRUE(confirm_regions(differs, learned, options).has_value());
  learned.small = learned.regimes.size();
  EXPECT_FALSE(confirm_regions(differs, learned, options).has_value());
}

// The rules of all sizes are the same there: only small products are looked at again.
TEST(SmallBox, IsLearnedAnewWhereRulesOfAllSizesStand) {
  const auto with_hole = [](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    if (s.k <= 2 && s.m * s.n > kFar)
      return 100 + static_cast<std::uint64_t>((s.k * i * j + i + j) % 5);
    return i >= s.m / 4 * 4;
  };
  PlantedSource source(with_hole);
  PlantedSource differs([&](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    return s.m == 23 && s.n == 21 && s.k == 19 ? 7 : with_hole(s, i, j);
  });
  RegionOptions options;
  options.largest = {512, 512, 512};
  options.small = kSmall;
  options.time_limit_s = 4;
  const LearnedRegions known = learn_regions(source, options);
  ASSERT_GT(known.small, 0u);
  const auto confirmed = confirm_regions(differs, known, options);
  ASSERT_TRUE(confirmed.has_value());
  FreshCheck check(differs, *confirmed);
  look_at_all(check, {kSmall, kSmall, kSmall});
  EXPECT_EQ(check.tally.wrong, 0) << check.tally.first_wrong;
  EXPECT_EQ(check.tally.right, kSmall * kSmall * kSmall) << check.tally.holes;
  EXPECT_LT(confirmed->calls, known.calls);
}

// What the first condition excludes is said of the rules after it.
TEST(SmallBox, LaterRulesExcludeTheFirst) {
  PlantedSource source(blocks_beyond);
  const WholeBox box(source, {kSmall, kSmall, kSmall});
  const auto rules = region::rules_of_box(box, {});
  ASSERT_EQ(rules.size(), 2u);
  const Atom within{Kind::at_most, true, true, true, kPlain, 1, 1},
      beyond{Kind::above, true, true, true, kPlain, 1, 1};
  EXPECT_EQ(rules[0].guard, std::vector{within});
  EXPECT_EQ(rules[1].guard, std::vector{beyond});
}

// Rules of all sizes are given up where they cover little, and only where small products are asked
// for.
TEST(SmallBox, EndsASearchThatCoversLittle) {
  RegionOptions options;
  options.largest = {512, 512, 512};
  options.time_limit_s = 4;
  int starts = 0;
  options.log = [&](const std::string& line) { starts += line.starts_with("covered: "); };
  PlantedSource source(blocks_beyond), again(blocks_beyond);
  learn_regions(source, options);
  EXPECT_GT(starts, 1);
  starts = 0;
  options.small = kSmall;
  const LearnedRegions learned = learn_regions(again, options);
  EXPECT_EQ(starts, 1);
  EXPECT_TRUE(learned.all_small);
  EXPECT_LT(learned.covered_by_all_sizes, kHardlyAny);
}

// Little is spent on what other contexts showed not to exist, and the box is the same.
TEST(SmallBox, NeedsNoPatience) {
  RegionOptions options;
  options.largest = {512, 512, 512};
  options.small = kSmall;
  options.time_limit_s = 4;
  PlantedSource patient(blocks_beyond), other(blocks_beyond);
  const LearnedRegions long_looked = learn_regions(patient, options);
  options.patience = 1e-4;
  const LearnedRegions shortly = learn_regions(other, options);
  EXPECT_LT(shortly.calls, long_looked.calls);
  FreshCheck check(other, shortly);
  look_at_all(check, {kSmall, kSmall, kSmall});
  EXPECT_EQ(check.tally.right, kSmall * kSmall * kSmall) << check.tally.holes;
}

// A search that has a part of the time only is not begun again where it covers little.
TEST(SmallBox, IsBegunOnceWithoutPatience) {
  RegionOptions options;
  options.largest = {512, 512, 512};
  options.time_limit_s = 8;
  options.patience = 0.5;
  int starts = 0;
  options.log = [&](const std::string& line) { starts += line.starts_with("covered: "); };
  PlantedSource source(blocks_beyond);
  learn_regions(source, options);
  EXPECT_EQ(starts, 1);
}

// What is found wrong with a rule of all sizes later must not touch small ones.
TEST(SmallBox, StandsBeforeARuleOfAllSizesIfAsked) {
  PlantedSource source([](const Shape3& s, std::int64_t i, std::int64_t) -> std::uint64_t {
    return i >= s.m / 4 * 4;
  });
  RegionOptions options;
  options.is_gemv = true;
  options.largest = {512, 1, 512};
  options.small = kSmall;
  EXPECT_EQ(learn_regions(source, options).small, 0u);
  options.is_small_sure = true;
  const LearnedRegions learned = learn_regions(source, options);
  EXPECT_EQ(learned.small, 1u);
  EXPECT_EQ(learned.regimes.size(), 2u);
  FreshCheck check(source, learned);
  look_at_all(check, {kSmall, 1, kSmall});
  check.look_at_random(200, options, 1e6, 7);
  EXPECT_EQ(check.tally.wrong + check.tally.uncovered, 0) << check.tally.first_wrong;
}

// Rules of all sizes leave few shapes out, and some of these are small.
TEST(SmallBox, IsLearnedForGemmThoughMostIsCovered) {
  PlantedSource source([](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    if (s.k <= 2 && s.m * s.n > kFar)
      return 100 + static_cast<std::uint64_t>((s.k * i * j + i + j) % 5);
    return i >= s.m / 4 * 4;
  });
  RegionOptions options;
  options.largest = {512, 512, 512};
  options.small = kSmall;
  options.time_limit_s = 4;
  const LearnedRegions learned = learn_regions(source, options);
  EXPECT_GE(learned.covered_by_all_sizes, region::enough_covered);
  EXPECT_GT(learned.small, 0u);
  FreshCheck small(source, learned);
  look_at_all(small, {kSmall, kSmall, kSmall});
  EXPECT_EQ(small.tally.wrong, 0) << small.tally.first_wrong;
  EXPECT_EQ(small.tally.right, kSmall * kSmall * kSmall) << small.tally.holes;
}

// A matrix times a vector.
TEST(SmallBox, HasOneColumnForAVector) {
  PlantedSource source([](const Shape3& s, std::int64_t i, std::int64_t) -> std::uint64_t {
    return s.m <= kSmall && s.k <= kSmall
               ? s.m * s.k > 200 && i >= s.m / 4 * 4
               : 100 + static_cast<std::uint64_t>(i * 7919 + s.m * s.k * 31) % 1009;
  });
  RegionOptions options;
  options.is_gemv = true;
  options.largest = {512, 1, 512};
  options.small = kSmall;
  options.time_limit_s = 2;
  const LearnedRegions learned = learn_regions(source, options);
  FreshCheck check(source, learned);
  look_at_all(check, {kSmall, 1, kSmall});
  EXPECT_EQ(check.tally.wrong, 0) << check.tally.first_wrong;
  EXPECT_EQ(check.tally.right, kSmall * kSmall) << check.tally.holes;
}

// Where alpha acts may depend on the larger side: each size then has types of its own.
TEST(SmallBox, ListsWhatNoProductSeparates) {
  PlantedSource source([](const Shape3& s, std::int64_t i, std::int64_t) -> std::uint64_t {
    return s.m > s.n ? (i >= s.m / 4 * 4 ? 1 : 2) : 3;
  });
  const WholeBox box(source, {16, 16, 12});
  const auto rules = region::rules_of_box(box, {});
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_TRUE(rules[0].guard.empty());
  EXPECT_EQ(rules[0].witnesses.size(), 3u);
}

// A table for each k would be right everywhere and say nothing.
TEST(SmallBox, KeepsNoTableOfSingleK) {
  PlantedSource source([](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    return static_cast<std::uint64_t>((i * 7919 + j * 104729 + s.m * 31 + s.k * s.n * 17) % 101);
  });
  const WholeBox box(source, {20, 20, 12});
  EXPECT_TRUE(region::rules_of_box(box, {}).empty());
}

// Where rules leave little out, every shape of it is listed, if at one k alone.
TEST(SmallBox, ListsWhatRulesLeave) {
  PlantedSource source([](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    if (s.k == 3 && s.m == 2 && s.n == 5) return 200;
    if (s.k <= 2 && s.m * s.n > kFar)
      return 100 + static_cast<std::uint64_t>((s.k * i * j + i + j) % 5);
    return i >= s.m / 4 * 4;
  });
  const WholeBox box(source, {kSmall, kSmall, kSmall});
  const auto rules = region::rules_of_box(box, {});
  std::vector<std::vector<std::size_t>> decided(rules.size());
  for (std::size_t at = 0; at < box.count(); ++at) {
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const region::BoxRule& one) {
      return std::all_of(one.guard.begin(), one.guard.end(),
                         [&](const Atom& atom) { return atom.holds(box.shape(at)); });
    });
    ASSERT_NE(rule, rules.end()) << box.shape(at).m << " " << box.shape(at).n << " "
                                 << box.shape(at).k;
    decided[static_cast<std::size_t>(rule - rules.begin())].push_back(at);
  }
  for (std::size_t i = 0; i < rules.size(); ++i)
    for (const bool is_right : region::test_shapes(box, rules[i], decided[i]))
      EXPECT_TRUE(is_right) << "rule " << i;
}

// What is one class at the least k has two orders beyond: most shapes say which is the class's.
TEST(SmallBox, AClassOfTwoOrdersIsWrong) {
  PlantedSource source([](const Shape3& s, std::int64_t i, std::int64_t) -> std::uint64_t {
    return s.k > 4 && i >= s.m / 4 * 4;
  });
  const WholeBox box(source, {8, 8, 8});
  std::vector<std::size_t> all, at_least_k;
  for (std::size_t at = 0; at < box.count(); ++at) {
    all.push_back(at);
    if (box.shape(at).k == 1) at_least_k.push_back(at);
  }
  const auto rule = region::list_shapes(box, at_least_k);
  ASSERT_TRUE(rule.has_value());
  const std::vector<bool> right = region::test_shapes(box, *rule, all);
  for (const std::size_t at : all) {
    const Shape3 shape = box.shape(at);
    EXPECT_EQ(right[at], shape.k <= 4 || shape.m < 4)
        << shape.m << " " << shape.n << " " << shape.k;
  }
}

}  // namespace
}  // namespace reprosum::reveal::region_testing
