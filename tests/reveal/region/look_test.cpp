// What one look over all k says about a rule that was learned in a box.
#include "reveal/region/look.h"

#include <gtest/gtest.h>

#include "planted_source.h"
#include "reveal/region/regime_search.h"

namespace reprosum::reveal::region_testing {
namespace {

using region::Maps;
using region::Rule;
using region::Step;
using spec::Atom;
using spec::Shape3;

constexpr std::int64_t kRows = 2048, kColumns = 2048, kTile = 4, kLast = 150;

RegionOptions options_for_tests() {
  RegionOptions options;
  options.largest = {kRows, kColumns, 2048};
  return options;
}

spec::WordItem run(std::int32_t type, std::int64_t count, std::int64_t step) {
  return {{1, 0}, {{type, {count, step}}}};
}

std::uint64_t tiles(const Shape3& s, std::int64_t j) { return j >= s.n / kTile * kTile; }

// Above a bound, learned in a box of few columns: tiles of them, each with a rest.
Rule known_from_few_columns() {
  Rule rule;
  rule.guard = {{Atom::Kind::above, true, true, true, 1000000, 1, 1},
                {Atom::Kind::above, true, false, false, 384, 1, 1}};
  spec::Segment columns{40, 76, 40, kTile, {}, {}};
  for (std::int64_t rest = 0; rest < kTile; ++rest) {
    columns.schemas.push_back({run(0, 40, kTile)});
    if (rest > 0) columns.schemas.back().push_back(run(1, rest, 0));
  }
  spec::Segment rows{385, 481, 385, 1, {}, {}};
  rows.schemas.push_back({run(0, 385, 1)});
  rule.axes = {spec::Axis{rows}, spec::Axis{columns}};
  rule.beyond = true;
  rule.table = {{0, 1}};
  rule.classes = 2;
  rule.k_ref = 37;
  rule.home_low = {385, 40};
  rule.home_high = {481, 76};
  rule.forget_hashes();
  return rule;
}

// With a small k, only shapes of many columns lie above the bound, and all of them are wrong (with
// three summands nothing shows). Such shapes are wrong at any k.
TEST(Look, TakesNoLimitOfSizesForOneOfK) {
  PlantedSource source([](const Shape3& s, std::int64_t, std::int64_t j) -> std::uint64_t {
    if (s.k <= 3) return 0;
    return s.n <= kLast ? tiles(s, j) : j < s.n / 2;
  });
  RegionOptions options = options_for_tests();
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    SCOPED_TRACE(seed);
    options.seed = seed;
    Maps maps(source, options);
    Rule rule = known_from_few_columns();
    const Step step = region::look(maps, rule, {});
    EXPECT_FALSE(step.holds);
    EXPECT_EQ(step.failing_k, 0);
    ASSERT_FALSE(step.wrong.empty());
    EXPECT_EQ(step.wrong.front().k, rule.k_ref);
    for (const Shape3& shape : step.wrong) EXPECT_GT(shape.n, kLast);
  }
}

TEST(Look, SaysAtWhichKARuleFails) {
  PlantedSource source([](const Shape3& s, std::int64_t i, std::int64_t j) {
    return s.k > 6 ? tiles(s, j) : 2 + i % 2;
  });
  const RegionOptions options = options_for_tests();
  Maps maps(source, options);
  Rule rule = known_from_few_columns();
  const Step step = region::look(maps, rule, {});
  EXPECT_FALSE(step.holds);
  EXPECT_GT(step.failing_k, 0);
  EXPECT_LE(step.failing_k, 6);
}

// Samples that are moved beside a comparison of panels are no larger than others are: large ones
// may belong to a region that is searched apart.
TEST(Look, KeepsToTheWorkOfASample) {
  double most = 0;
  int beside = 0;
  PlantedSource source([&](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    most = std::max(most, region::work(s));
    if (i == 0 && j == 0) beside += s.m % 6 == 0 && s.n == (s.m / 6 + 1) * 8 - 1;
    return tiles(s, j);
  });
  RegionOptions options = options_for_tests();
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    SCOPED_TRACE(seed);
    most = 0;
    beside = 0;
    options.seed = seed;
    Maps maps(source, options);
    Rule rule = known_from_few_columns();
    rule.guard = {{Atom::Kind::not_wider, false, false, false, 0, 6, 8}};
    rule.home_low = {1, 1};
    rule.home_high = {97, 97};
    for (spec::Segment* segment : {&rule.axes[0].front(), &rule.axes[1].front()}) {
      segment->from = segment->base = segment->period;
      segment->schemas.clear();
    }
    for (std::int64_t rest = 0; rest < kTile; ++rest) {
      rule.axes[1].front().schemas.push_back({run(0, kTile, kTile)});
      if (rest > 0) rule.axes[1].front().schemas.back().push_back(run(1, rest, 0));
    }
    rule.axes[0].front().schemas.push_back({run(0, 1, 1)});
    EXPECT_TRUE(region::look(maps, rule, {}).holds);
    EXPECT_LE(most, region::sample_work);
    EXPECT_GE(beside, 8);
  }
}

// A regime that only keeps its shapes from others has no rule that another guard could take over.
TEST(RegimeSearch, TakesNoRuleOverFromWhatCoversNothing) {
  PlantedSource source([](const Shape3& s, auto, auto j) { return tiles(s, j); });
  RegionOptions options = options_for_tests();
  Maps maps(source, options);
  region::RegimeSearch search(maps);
  region::Found nothing;
  nothing.rule.guard = {{Atom::Kind::above, true, true, true, 27000000, 1, 1}};
  nothing.covers_nothing = true;
  search.found.push_back(nothing);
  search.search_all({{{{Atom::Kind::above, true, true, true, 8192, 1, 1}}, 0}});
  ASSERT_EQ(search.found.size(), 2u);
  EXPECT_EQ(search.found[1].rule.classes, 2);
}

// A product of 5 is little of one side of a comparison of panels, limits of real libraries are not.
TEST(RegimeSearch, TakesNoRuleOverForFewShapes) {
  RegionOptions options = options_for_tests();
  const std::vector<Atom> side{{Atom::Kind::at_most, false, false, true, 1, 1, 1},
                               {Atom::Kind::not_taller, false, false, false, 0, 16, 6}};
  const auto keeps_few = [&](std::vector<Atom> guard, const Atom& more) {
    const std::vector<Atom> known = guard;
    guard.push_back(more);
    return region::keeps_few(known, guard, options);
  };
  EXPECT_TRUE(keeps_few(side, {Atom::Kind::at_most, true, true, false, 5, 1, 1}));
  EXPECT_FALSE(keeps_few(side, {Atom::Kind::at_most, true, true, false, 1200, 1, 1}));
  EXPECT_FALSE(keeps_few({}, {Atom::Kind::at_most, true, true, true, 262144, 1, 1}));
  EXPECT_FALSE(keeps_few({}, {Atom::Kind::above, true, true, true, 1000000, 1, 1}));
  EXPECT_FALSE(region::keeps_few({}, {}, options));
  options.is_gemv = true;
  EXPECT_FALSE(keeps_few({}, {Atom::Kind::at_most, true, false, true, 9215, 1, 1}));
  EXPECT_TRUE(keeps_few({}, {Atom::Kind::at_most, true, false, true, 6, 1, 1}));
}

// The last of odd numbers of columns alone shows on which side of a comparison of panels a shape is
// (BLIS sgemm TT, one summand): a look beyond a box must ask for such numbers.
TEST(RegimeSearch, LooksBeyondABoxWhereEdgesShow) {
  PlantedSource source([](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    if (s.n % 2 == 0 || j + 1 < s.n) return 0;
    if (s.m / 6 < s.n / 16) return 3;
    return i < s.m / 8 * 8 ? 1 : 2;
  });
  RegionOptions options = options_for_tests();
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    options.seed = seed;
    Maps maps(source, options);
    region::RegimeSearch search(maps);
    search.search_all({{{{Atom::Kind::at_most, false, false, true, 1, 1, 1}}, 0}});
    for (const Shape3& shape : {Shape3{7, 9, 1}, {700, 33, 1}, {33, 701, 1}, {250, 1501, 1}}) {
      const auto first =
          std::find_if(search.found.begin(), search.found.end(),
                       [&](const region::Found& regime) { return regime.rule.inside(shape); });
      ASSERT_NE(first, search.found.end()) << region::print(shape);
      EXPECT_EQ(first->rule.test(maps, shape), region::Verdict::right) << region::print(shape);
    }
  }
}

}  // namespace
}  // namespace reprosum::reveal::region_testing
