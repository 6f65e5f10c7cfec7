// Words of rows that a library takes in blocks, learned from few sizes.
#include "reveal/region/axis_learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

namespace reprosum::reveal::region_testing {
namespace {

using region::AxisLearner;
using region::Runs;

class Word {
 public:
  void add(std::int32_t type, std::int64_t count) {
    if (count <= 0) return;
    if (!runs_.empty() && runs_.back().type == type)
      runs_.back().count += count;
    else
      runs_.push_back({type, count});
  }
  Runs take() { return std::move(runs_); }

 private:
  Runs runs_;
};

// Blocks of 320; the last two share the remaining rows, in multiples of eight. Eight rows at the
// ends of a block are apart, and all of them in the first one.
Runs shared_rests(std::int64_t size) {
  Word word;
  for (std::int64_t left = size; left > 0;) {
    const std::int64_t rows = left >= 640 ? 320 : left > 320 ? (left / 2 + 7) / 8 * 8 : left;
    const std::int32_t first = left == size ? 0 : 3;
    const std::int64_t whole = rows / 8 * 8, ends = std::min<std::int64_t>(whole, 16);
    word.add(first, ends / 2);
    word.add(first + 1, whole - ends);
    word.add(first, ends - ends / 2);
    word.add(2, rows - whole);
    left -= rows;
  }
  return word.take();
}

// Blocks of 4096, each of which begins with what 16 leaves over: one size in four shows nothing.
Runs rests_first(std::int64_t size) {
  Word word;
  for (std::int64_t left = size / 4 * 4; left > 0;) {
    const std::int64_t rows = std::min<std::int64_t>(left, 4096);
    word.add(1, rows % 16);
    word.add(0, rows - rows % 16);
    left -= rows;
  }
  word.add(2, size % 4);
  return word.take();
}

spec::Axis learned(const std::function<Runs(std::int64_t)>& planted, std::int64_t last,
                   std::uint64_t seed) {
  AxisLearner learner(
      planted, [&](std::int64_t size, const Runs& expected) { return planted(size) == expected; },
      1, last, seed);
  return learner.learn();
}

void expect_words(const spec::Axis& axis, const std::function<Runs(std::int64_t)>& planted,
                  std::int64_t last) {
  for (std::int64_t size = 1; size <= last; ++size) {
    const auto found = region::word_of(axis, size, true);
    ASSERT_TRUE(found && *found == planted(size)) << "size " << size;
  }
}

TEST(AxisLearner, BlocksWhoseLastTwoShareTheRestGoOn) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const spec::Axis axis = learned(shared_rests, 3072, seed);
    EXPECT_EQ(axis.back().to, 3072);
    EXPECT_EQ(axis.back().period, 320);
    expect_words(axis, shared_rests, 7000);
    std::size_t words = 0;
    for (const spec::Segment& segment : axis) words += segment.words.size();
    EXPECT_LT(words, 60);  // below the first whole block short periods say the same
  }
}

TEST(AxisLearner, AFailureThatSomeSizesHideIsFoundWhereItBegins) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const spec::Axis axis = learned(rests_first, 16384, seed);
    EXPECT_EQ(axis.size(), 4U);
    expect_words(axis, rests_first, 16384);
  }
}

}  // namespace
}  // namespace reprosum::reveal::region_testing
