// Words of sizes that only larger k than that of the rule show.
#include "reveal/region/small_sizes.h"

#include <gtest/gtest.h>

#include "planted_source.h"

namespace reprosum::reveal::region_testing {
namespace {

using region::Maps;
using region::Rule;
using spec::Shape3;

constexpr std::int64_t kBound = 262144, kRows = 640;

// Rows in tiles of 16, columns in tiles of 4, each with a rest; the last is another class.
std::uint64_t tiles(const Shape3& s, std::int64_t i, std::int64_t j) {
  return (i >= s.m / 16 * 16 ? 1 : 0) + (j >= s.n / 4 * 4 ? 2 : 0);
}

RegionOptions options_for_tests() {
  RegionOptions options;
  options.largest = {kRows, 1024, 2048};
  return options;
}

// A run of one type: `count` of them in a word below the first tile, else the remainder of a tile.
spec::WordItem run(std::int32_t type, std::int64_t count, std::int64_t step) {
  return {{1, 0}, {{type, {count, step}}}};
}

spec::Segment segment(std::int64_t from, std::int64_t to, std::int64_t tile) {
  spec::Segment out{from, to, tile, tile, {}, {}};
  for (std::int64_t size = from; size < tile; ++size) out.words.push_back({run(1, size, 0)});
  for (std::int64_t rest = 0; rest < tile; ++rest) {
    out.schemas.push_back({run(0, tile, tile)});
    if (rest > 0) out.schemas.back().push_back(run(1, rest, 0));
  }
  return out;
}

// The rule above the bound as k = 151 shows it: n < 3 and m <= 640 do not go together there.
Rule known_from_three_columns() {
  Rule rule;
  rule.guard = {{spec::Atom::Kind::above, true, true, true, kBound, 1, 1}};
  rule.axes = {spec::Axis{segment(1, kRows, 16)}, spec::Axis{segment(3, 1024, 4)}};
  rule.table = {{0, 2}, {1, 3}};
  rule.classes = 4;
  rule.k_ref = 151;
  rule.home_low = {9, 200};
  rule.home_high = {210, 592};
  rule.forget_hashes();
  return rule;
}

TEST(SmallSizes, AreFoundAtLargerK) {
  PlantedSource source(tiles);
  const RegionOptions options = options_for_tests();
  Maps maps(source, options);
  Rule rule = known_from_three_columns();
  region::extend_down(maps, rule);
  const spec::Axis& columns = rule.axes[region::column_side];
  ASSERT_EQ(columns.front().from, 1);
  for (const std::int64_t n : {1, 2, 3}) {
    const auto word = region::word_of(columns, n);
    ASSERT_TRUE(word.has_value()) << n;
    EXPECT_EQ(*word, (region::Runs{{1, n}})) << n;
  }
  for (const Shape3& shape : {Shape3{200, 1, 1999}, {640, 2, 300}, {131, 2, 1201}}) {
    ASSERT_TRUE(rule.inside(shape));
    EXPECT_EQ(rule.test(maps, shape), region::Verdict::right);
  }
}

// One column is another routine's work: no type of the table says what is seen, and two columns
// are all that can be added.
TEST(SmallSizes, EndWhereNoWordFits) {
  PlantedSource source([](const Shape3& s, std::int64_t i, std::int64_t j) -> std::uint64_t {
    return s.n == 1 ? 7 + i % 2 : tiles(s, i, j);
  });
  const RegionOptions options = options_for_tests();
  Maps maps(source, options);
  Rule rule = known_from_three_columns();
  region::extend_down(maps, rule);
  EXPECT_EQ(rule.axes[region::column_side].front().from, 2);
}

// Without shapes inside the guard there is nothing to learn from.
TEST(SmallSizes, EndWhereNoShapeLiesInside) {
  PlantedSource source(tiles);
  const RegionOptions options = options_for_tests();
  Maps maps(source, options);
  Rule rule = known_from_three_columns();
  rule.guard.push_back({spec::Atom::Kind::above, false, true, false, 2, 1, 1});
  region::extend_down(maps, rule);
  EXPECT_EQ(rule.axes[region::column_side].front().from, 3);
}

}  // namespace
}  // namespace reprosum::reveal::region_testing
