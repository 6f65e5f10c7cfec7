// Increments as intervals: which pairs they admit, their parts, their words.
#include "spec/increments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>

#include "spec/error.h"
#include "spec/spec.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kLeast = IncrementRange::kLeast, kGreatest = IncrementRange::kGreatest;

std::vector<Increments> random_increments(std::mt19937_64& engine) {
  const auto pick = [&](int lo, int hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(engine);
  };
  const auto range = [&] {
    const std::int64_t a = pick(-4, 4), b = pick(-4, 4);
    switch (pick(0, 4)) {
      case 0:
        return IncrementRange(std::min(a, b), std::max(a, b));
      case 1:
        return IncrementRange(a, kGreatest);
      case 2:
        return IncrementRange(kLeast, a);
      default:
        return IncrementRange(a);
    }
  };
  std::vector<Increments> all;
  for (std::int64_t k = pick(1, 5); k > 0; --k) all.push_back({range(), range()});
  return all;
}

template <class Visit>
void for_each_pair(const Visit& visit) {
  for (std::int64_t x = -6; x <= 6; ++x)
    for (std::int64_t y = -6; y <= 6; ++y) visit(x, y);
  visit(kLeast, kGreatest);
  visit(kGreatest, kLeast);
}

TEST(Increments, PartsAdmitWhatTheWholeAdmits) {
  constexpr std::uint64_t seed = 5;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 engine(seed);
  for (int round = 0; round < 500; ++round) {
    const auto all = random_increments(engine);
    const auto few = merged(all), fine = refined(all);
    EXPECT_LE(few.size(), fine.size());
    EXPECT_EQ(merged(fine), few);  // one form, however it is said
    EXPECT_EQ(merged(few), few);
    for_each_pair([&](std::int64_t x, std::int64_t y) {
      const auto count = [&](const auto& parts) {
        return std::count_if(parts.begin(), parts.end(),
                             [&](const Increments& one) { return one.admits(x, y); });
      };
      ASSERT_EQ(count(few), admits(all, x, y) ? 1 : 0) << text_of(all, true);
      ASSERT_EQ(count(fine), count(few));
    });
    for (const Increments& part : fine)
      for (const Increments& one : all)
        ASSERT_TRUE(one.contains(part) || !one.admits(part.x.least, part.y.least))
            << text_of(all, true);
  }
}

TEST(Increments, NeighboursAreOne) {
  EXPECT_EQ(text_of(merged({{1, 1}, {{2, kGreatest}, 1}}), true), "1..:1");
  EXPECT_EQ(text_of(merged({{{kLeast, -2}, 0}, {-1, 0}, {0, 0}, {{1, kGreatest}, 0}}), false),
            "any");
  EXPECT_EQ(text_of(merged({{1, 1}, {1, 3}}), true), "1:1 1:3");
}

TEST(Increments, WordsAndBack) {
  for (const IncrementRange& range :
       {IncrementRange(7), IncrementRange(-1), IncrementRange(2, kGreatest),
        IncrementRange(kLeast, -2), IncrementRange(-3, 17), IncrementRange(kLeast, kGreatest)})
    EXPECT_EQ(increment_range_from(text_of(range)), range) << text_of(range);
  for (const char* none : {"", "..", "3..2", "x", "2...", "1.5", "..x", "+2..", "2..3..4", " 2.."})
    EXPECT_FALSE(increment_range_from(none)) << none;
}

TEST(Increments, ThePlainestIsNextToNought) {
  EXPECT_EQ(IncrementRange(-5, 5).plainest(), 1);
  EXPECT_EQ(IncrementRange(kLeast, -2).plainest(), -2);
  EXPECT_EQ(IncrementRange(2, kGreatest).plainest(), 2);
  EXPECT_EQ(IncrementRange(-3, 0).plainest(), 0);
}

Spec spec_with(const std::vector<Increments>& increments) {
  Spec spec;
  spec.orders.push_back(parse_order("1..100: loop 1 { 0: [f@0 +1 x q]; }"));
  spec.entries = {
      entry_of_one_output(Routine::dot, Type::f64, vector_guard(increments, {1}), 0, 100)};
  canonicalize(spec);
  return spec;
}

// A document that lists pairs means what it meant, in the same bytes.
TEST(Increments, DocumentsListPairsOrIntervals) {
  const Spec listed = spec_with({{1, 1}, {2, 1}});
  EXPECT_NE(to_json(listed, -1).find(R"("increments":[[1,1],[2,1]])"), std::string::npos);
  EXPECT_NE(find(from_json(to_json(listed)), vector_call(Routine::dot, Type::f64, 9, 2, 1)),
            nullptr);
  std::string why;
  EXPECT_EQ(find(from_json(to_json(listed)), vector_call(Routine::dot, Type::f64, 9, 3, 1), &why),
            nullptr);
  EXPECT_EQ(why, "ddot with incx = 3, incy = 1 was not captured");

  const Spec spec = spec_with({{{2, kGreatest}, 1}, {1, {kLeast, -2}}});
  const std::string text = to_json(spec, -1);
  EXPECT_NE(text.find(R"("increments":[[1,"..-2"],["2..",1]])"), std::string::npos) << text;
  const Spec read = from_json(text);
  EXPECT_EQ(read.entries[0].guard, spec.entries[0].guard);
  EXPECT_EQ(meaning_hash(read), meaning_hash(spec));
  for (const auto& [x, y, covered] : {std::tuple{9000, 1, true},
                                      {1, -3, true},
                                      {1, 1, false},
                                      {2, 2, false},
                                      {-2, 1, false},
                                      {1, -1, false}})
    EXPECT_EQ(find(read, vector_call(Routine::dot, Type::f64, 9, x, y)) != nullptr, covered)
        << x << ":" << y;
}

TEST(Increments, DocumentsAreReadStrictly) {
  const std::string text = to_json(spec_with({{{2, kGreatest}, 1}}), -1);
  const std::string good = R"(["2..",1])";
  for (const char* bad : {R"(["2..2",1])", R"(["02..",1])", R"(["..",1])", R"(["2",1])",
                          R"(["2..",1,1])", R"([2.5,1])", R"(["2..99999999999999",1])",
                          R"(["2..",1],["2..",1])", R"(["3..",1],["2..",1])"}) {
    std::string document = text;
    document.replace(document.find(good), good.size(), bad);
    EXPECT_THROW(from_json(document, Check::form), ParseError) << bad;
  }
  std::string many;
  for (int x = 2; x < 300; ++x) many += "[" + std::to_string(x) + R"(,"2.."],)";
  std::string document = text;
  document.replace(document.find(good), good.size(), many + "[300,1]");
  EXPECT_THROW(from_json(document, Check::form), ParseError);
}

}  // namespace
}  // namespace reprosum::spec
