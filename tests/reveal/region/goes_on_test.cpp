// A search that ran out of time goes on where it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fresh_check.h"
#include "planted_source.h"
#include "reveal/region/core.h"

namespace reprosum::reveal::region_testing {
namespace {

using spec::Shape3;

std::uint64_t two_regimes(const Shape3& s, std::int64_t i, std::int64_t j) {
  if (s.m * s.n * s.k > 1000000) return j >= s.n / 12 * 12 ? 7 : 8;
  return (i >= s.m / 4 * 4 ? 1 : 0) + (j >= s.n / 6 * 6 ? 2 : 0);
}

TEST(GoesOn, WhereTheTimeWasOver) {
  int interrupted = 0;
  for (double limit = 0.5; limit < 40 && interrupted < 2; limit *= 1.3) {
    SCOPED_TRACE("time limit " + std::to_string(limit));
    PlantedSource source(two_regimes);
    RegionOptions options;
    options.largest = {1024, 1024, 2048};
    options.time_limit_s = limit;
    std::vector<std::string> lines;
    options.log = [&](const std::string& line) { lines.push_back(line); };
    const LearnedRegions learned = learn_regions(source, options);
    const auto at = [&](const std::string& line) {
      return std::find(lines.begin(), lines.end(), line);
    };
    const auto over = at("the time limit was reached");
    if (learned.regimes.size() != 2 || over == lines.end()) continue;
    if (at("regime in: mnk > 1000000") > over) continue;  // not even the first was found in time
    ++interrupted;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "regime in: every shape"), 1);
    EXPECT_EQ(learned.stopped, "");
    FreshCheck check(source, learned);
    check.look_at_random(500, options, 1e7, 11);
    EXPECT_EQ(check.tally.wrong, 0) << check.tally.first_wrong;
    EXPECT_LE(check.tally.uncovered, 5) << check.tally.holes;
  }
  EXPECT_GT(interrupted, 0) << "no time limit ended between the two regimes";
}

// Rows above 384 of products above a bound: the first box may grow to four times its area, which a
// box at the k that reaches single columns may not.
TEST(Boxes, HaveRoomAboveABoundOnOneSize) {
  PlantedSource source(two_regimes);
  const RegionOptions options;
  const region::Maps maps(source, options);
  spec::Atom product, rows;
  product.kind = rows.kind = spec::Atom::Kind::above;
  product.use_m = product.use_n = product.use_k = rows.use_m = true;
  product.limit = 1000000;
  rows.limit = 384;
  const auto found = region::boxes(maps, {product, rows}, 1);
  ASSERT_FALSE(found.empty());
  const region::Box& box = found.front();
  EXPECT_GT(box.low[0], 384);
  EXPECT_TRUE(maps.affordable({std::min<std::int64_t>(2048, 2 * box.high[0]),
                               std::min<std::int64_t>(2048, 2 * box.high[1]), box.k}))
      << "k = " << box.k;
}

}  // namespace
}  // namespace reprosum::reveal::region_testing
