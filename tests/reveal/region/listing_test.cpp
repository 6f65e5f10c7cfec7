// Rules of few sizes, from all of them.
#include "reveal/region/listing.h"

#include <gtest/gtest.h>

#include "planted_source.h"

namespace reprosum::reveal::region_testing {
namespace {

using region::Maps;
using region::Rule;
using spec::Atom;
using spec::Shape3;
using Kind = Atom::Kind;

// Blocks that depend on the panels of both sides, remainders counted.
std::uint64_t blocks(const Shape3& s, std::int64_t i, std::int64_t j) {
  const std::int64_t panels = std::max((s.m + 5) / 6, (s.n + 7) / 8);
  const std::int64_t block = 128 / std::min<std::int64_t>(5, panels);
  const std::uint64_t shown = s.k <= block ? 0 : static_cast<std::uint64_t>(128 / block);
  return 10 * shown + (i >= s.m / 8 * 8 ? 1 : 0) + (j + 1 == s.n ? 2 : 0);
}

// Between two comparisons of panels: 6 x 8 to 6 x 15, 12 x 16 to 13 x 23, ...
const std::vector<Atom> kWedge = {{Kind::not_wider, false, false, false, 0, 6, 8},
                                  {Kind::wider, false, false, false, 0, 7, 8},
                                  {Kind::at_most, true, false, false, 24, 1, 1}};

void expect_all_right(Maps& maps, Rule& rule, std::int64_t k) {
  int inside = 0;
  for (std::int64_t m = 1; m <= 100; ++m) {
    for (std::int64_t n = 1; n <= 100; ++n) {
      const Shape3 shape{m, n, k};
      if (!rule.inside(shape)) continue;
      ++inside;
      EXPECT_EQ(rule.test(maps, shape), region::Verdict::right) << region::print(shape);
    }
  }
  EXPECT_GT(inside, 40);
}

TEST(Listing, CoversShapesThatFillNoBox) {
  PlantedSource source(blocks);
  const RegionOptions options;
  Maps maps(source, options);
  std::string why;
  auto rule = region::list_sizes(maps, kWedge, 1, why);
  ASSERT_TRUE(rule.has_value()) << why;
  EXPECT_GE(rule->k_ref, 64);  // some blocks are no longer: below, all are alike
  EXPECT_EQ(rule->witnesses.size(), static_cast<std::size_t>(rule->classes));
  for (const std::int64_t k : {rule->k_ref, std::int64_t{5}, std::int64_t{1511}})
    expect_all_right(maps, *rule, k);
  // 7 x 8 is no shape of the wedge, nor is any other one of seven rows.
  EXPECT_EQ(rule->variety(region::row_side, 7), 0);
}

// No box of any width lies in the wedge near the origin, and it goes on for ever.
TEST(Listing, BoundsWhatLiesBetweenComparisons) {
  PlantedSource source(blocks);
  const RegionOptions options;
  Maps maps(source, options);
  std::vector<Atom> guard(kWedge.begin(), kWedge.begin() + 2);
  const std::vector<Atom> bounds = region::bounds_of_list(maps, guard, 1);
  ASSERT_FALSE(bounds.empty());
  guard.insert(guard.end(), bounds.begin(), bounds.end());
  EXPECT_TRUE(region::can_list(maps, guard));
  EXPECT_TRUE(region::holds(guard, {24, 39, 37}));
  EXPECT_EQ(maps.shapes(), 0);
}

TEST(Listing, BoundsNothingWhereABoxFits) {
  PlantedSource source(blocks);
  const RegionOptions options;
  Maps maps(source, options);
  const Atom tall = kWedge[0], also_tall{Kind::not_wider, false, false, false, 0, 7, 8};
  EXPECT_TRUE(region::bounds_of_list(maps, {tall}, 1).empty());
  EXPECT_TRUE(region::bounds_of_list(maps, {tall, also_tall}, 1).empty());
  // Between m/6 >= n/8 and m/60 < n/8 there is room.
  const Atom not_long{Kind::wider, false, false, false, 0, 60, 8};
  EXPECT_TRUE(region::bounds_of_list(maps, {tall, not_long}, 1).empty());
}

TEST(Listing, KeepsToTheLeastK) {
  PlantedSource source(blocks);
  const RegionOptions options;
  Maps maps(source, options);
  std::string why;
  const auto rule = region::list_sizes(maps, kWedge, 600, why);
  ASSERT_TRUE(rule.has_value()) << why;
  EXPECT_GE(rule->k_ref, 600);
}

TEST(Listing, RefusesManySizesAndThoseThatKDecides) {
  PlantedSource source(blocks);
  const RegionOptions options;
  Maps maps(source, options);
  std::string why;
  std::vector<Atom> guard(kWedge.begin(), kWedge.begin() + 2);
  EXPECT_FALSE(region::list_sizes(maps, guard, 1, why).has_value());
  guard = kWedge;
  guard.push_back({Kind::at_most, true, true, true, 9000, 1, 1});
  EXPECT_FALSE(region::list_sizes(maps, guard, 1, why).has_value());
  EXPECT_EQ(maps.shapes(), 0);
}

}  // namespace
}  // namespace reprosum::reveal::region_testing
