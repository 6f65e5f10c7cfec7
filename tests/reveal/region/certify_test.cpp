// Time limits, signatures of two lengths, and contradictions that are cut off.
#include "reveal/region/certify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "fresh_check.h"
#include "planted_source.h"

namespace reprosum::reveal::region_testing {
namespace {

using spec::Shape3;

std::uint64_t edge(const Shape3& s, std::int64_t i, std::int64_t) { return i >= s.m / 4 * 4; }

RegionOptions gemv_options() {
  RegionOptions options;
  options.is_gemv = true;
  options.largest = {1024, 1, 512};
  return options;
}

TEST(Certify, DoesNotDependOnTheSpeedOfTheSource) {
  PlantedSource fast(edge);
  PlantedSource slow([](const Shape3& s, std::int64_t i, std::int64_t j) {
    if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return edge(s, i, j);
  });
  RegionOptions options = gemv_options();
  options.time_limit_s = 0.2;  // counted: the slow one sleeps longer than that
  const LearnedRegions a = learn_regions(fast, options);
  const LearnedRegions b = learn_regions(slow, options);
  EXPECT_GT(b.calls, 650);  // more than three times the limit
  ASSERT_EQ(a.regimes.size(), 1u);
  ASSERT_EQ(b.regimes.size(), 1u);
  EXPECT_EQ(a.regimes[0].rule, b.regimes[0].rule);
  EXPECT_EQ(a.shapes, b.shapes);
}

// A look counts as twenty calls, so that the time is over after some thousand of them.
class DearSource final : public SignatureSource {
 public:
  std::vector<std::uint64_t> signatures(const Shape3& shape) override {
    return source_.signatures(shape);
  }
  std::int64_t calls() const override { return 20 * source_.calls(); }

 private:
  PlantedSource source_{edge};
};

// The time ends in the middle: what is returned is right, and something is.
TEST(Certify, KeepsWhatWasCertifiedWhenTheTimeIsOver) {
  DearSource source;
  RegionOptions options = gemv_options();
  options.time_limit_s = 1;
  options.held_out = 100000;
  const LearnedRegions learned = learn_regions(source, options);
  ASSERT_EQ(learned.regimes.size(), 1u);
  EXPECT_NE(learned.stopped.find("no time was left"), std::string::npos) << learned.stopped;
  FreshCheck check(source, learned);
  check.look_at_random(100, options, 1e7, 5);
  EXPECT_EQ(check.tally.wrong, 0) << check.tally.first_wrong;
  EXPECT_GT(check.tally.right, 0);
}

// Short signatures that see no edge at large k only: calibration passes and the certificate fails.
class TwoLengths : public SignatureSource {
 public:
  bool set_short(bool is_short) override {
    const bool changes = is_short != is_short_;
    is_short_ = is_short;
    return changes;
  }
  std::int64_t calls() const override { return source_.calls(); }

 protected:
  bool is_short_ = false;
  PlantedSource source_{edge};
};

// Short ones that tell nothing apart above some k.
class BlindWhereShort final : public TwoLengths {
 public:
  explicit BlindWhereShort(std::int64_t blind_above) : blind_above_(blind_above) {}
  std::vector<std::uint64_t> signatures(const Shape3& shape) override {
    auto hashes = source_.signatures(shape);
    if (is_short_ && shape.k > blind_above_) std::fill(hashes.begin(), hashes.end(), 7);
    return hashes;
  }

 private:
  std::int64_t blind_above_;
};

TEST(Certify, FullSignaturesDecide) {
  for (const std::int64_t blind_above : {0, 160, 4096}) {
    BlindWhereShort source(blind_above);
    const RegionOptions options = gemv_options();
    const LearnedRegions learned = learn_regions(source, options);
    ASSERT_FALSE(learned.regimes.empty()) << blind_above;
    source.set_short(false);
    FreshCheck check(source, learned);
    check.look_at_random(400, options, 1e7, 6);
    EXPECT_EQ(check.tally.wrong, 0) << blind_above << ": " << check.tally.first_wrong;
    EXPECT_EQ(check.tally.right, 400) << blind_above << ": " << learned.stopped;
  }
}

// Few shapes that only full signatures tell apart: held-out shapes find them, a condition leaves
// them out, and what it leaves out is searched.
class FewShapesApart final : public TwoLengths {
 public:
  std::vector<std::uint64_t> signatures(const Shape3& shape) override {
    auto hashes = source_.signatures(shape);
    if (!is_short_ && shape.m > 850 && shape.k <= 2) std::fill(hashes.begin(), hashes.end(), 7);
    return hashes;
  }
};

TEST(Certify, SearchesWhatItCutsOff) {
  int cuts = 0, whole = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    SCOPED_TRACE(seed);
    FewShapesApart source;
    RegionOptions options = gemv_options();
    options.seed = seed;
    bool is_hopeless = false, is_contradicted = false;
    options.log = [&](const std::string& line) {
      is_hopeless |= line == "full signatures tell more apart";
      is_contradicted |= line.find("contradicts") != std::string::npos;
    };
    const LearnedRegions learned = learn_regions(source, options);
    if (!is_contradicted || is_hopeless) continue;  // too few to be met by each seed
    ++cuts;
    source.set_short(false);
    FreshCheck check(source, learned);
    for (std::int64_t m = 3; m <= 1024; m += 7) {
      for (std::int64_t k = 1; k <= 20; ++k) check.look({m, 1, k});
    }
    EXPECT_EQ(check.tally.wrong, 0) << check.tally.first_wrong;
    whole += check.tally.uncovered == 0;
  }
  // Not for every seed: the other shapes have a contradiction of their own.
  EXPECT_GT(cuts, 1) << "no rule was cut";
  EXPECT_GT(whole, 0);
}

// One summand has a map of its own, in which only full signatures tell small sizes from others.
class OneSummandApart final : public SignatureSource {
 public:
  std::vector<std::uint64_t> signatures(const Shape3& shape) override {
    return (is_short_ ? short_ : full_).signatures(shape);
  }
  bool set_short(bool is_short) override {
    const bool changes = is_short != is_short_;
    is_short_ = is_short;
    return changes;
  }
  std::int64_t calls() const override { return short_.calls() + full_.calls(); }

 private:
  static std::uint64_t odd_row(const Shape3& s, std::int64_t i) {
    return s.m % 2 == 1 && i + 1 == s.m;
  }
  bool is_short_ = false;
  PlantedSource short_{[](const Shape3& s, std::int64_t i, std::int64_t j) {
    return s.k == 1 ? odd_row(s, i) : edge(s, i, j);
  }};
  PlantedSource full_{[](const Shape3& s, std::int64_t i, std::int64_t j) {
    return s.k == 1 ? odd_row(s, i) + (s.m <= 8 ? 10 : 0) : edge(s, i, j);
  }};
};

// A regime of which short signatures knew too little is searched again, and no other one is.
TEST(Certify, SearchesAgainWhatFullSignaturesRefute) {
  int refuted = 0;
  for (double limit = 0.02; limit < 1 && refuted < 2; limit *= 1.03) {
    SCOPED_TRACE("time limit " + std::to_string(limit));
    OneSummandApart source;
    RegionOptions options = gemv_options();
    options.time_limit_s = limit;
    int searches = 0;
    bool is_over = false, is_contradicted = false;
    options.log = [&](const std::string& line) {
      searches += line == "regime in: every shape";
      is_over |= line == "the time limit was reached";
      is_contradicted |= line.find("contradicts k <= 1") != std::string::npos;
    };
    const LearnedRegions learned = learn_regions(source, options);
    if (searches > 1 || is_over || !is_contradicted || !learned.stopped.empty()) continue;
    ++refuted;
    source.set_short(false);
    FreshCheck check(source, learned);
    for (std::int64_t m = 1; m <= 1024; m += 1 + m / 40)
      for (const std::int64_t k : {1, 2, 7, 300}) check.look({m, 1, k});
    EXPECT_EQ(check.tally.wrong, 0) << check.tally.first_wrong;
    EXPECT_EQ(check.tally.uncovered, 0) << check.tally.holes;
  }
  EXPECT_GT(refuted, 0) << "no time limit is short enough, and long enough for the rest";
}

// However little room a guard leaves, as far as it has shapes at all.
TEST(HeldOut, HasShapesForEveryGuard) {
  PlantedSource source(edge);
  RegionOptions options;
  region::Maps maps(source, options);
  spec::Atom one_column{spec::Atom::Kind::at_most, false, true, false, 1, 1, 1};
  spec::Atom few_outputs{spec::Atom::Kind::at_most, true, true, false, 40, 1, 1};
  spec::Atom tall{spec::Atom::Kind::taller, false, false, false, 0, 16, 6};
  const std::vector<std::vector<spec::Atom>> guards{{one_column, tall}, {few_outputs}, {tall}, {}};
  std::vector<std::int64_t> decided(guards.size(), 0);
  for (const Shape3& shape : region::held_out_shapes(maps, guards)) {
    const auto first = std::find_if(guards.begin(), guards.end(),
                                    [&](const auto& guard) { return region::holds(guard, shape); });
    ++decided[static_cast<std::size_t>(first - guards.begin())];
  }
  for (std::size_t k = 0; k < guards.size(); ++k) {
    EXPECT_GE(decided[k], region::least_inside) << "guard " << k;
  }
}

// Where two limits meet, where a limit meets the least sizes, and where sizes are equal.
TEST(HeldOut, HasTheCornersOfGuards) {
  using Kind = spec::Atom::Kind;
  PlantedSource source(edge);
  RegionOptions options;
  region::Maps maps(source, options);
  const auto shapes =
      region::held_out_shapes(maps, {{{Kind::at_most, true, false, false, 100, 1, 1},
                                      {Kind::at_most, false, true, false, 80, 1, 1}},
                                     {{Kind::above, true, true, false, 9000, 1, 1}},
                                     {{Kind::at_most, true, true, true, 9000, 1, 1}}});
  const auto has = [&](auto is_there) {
    return std::any_of(shapes.begin(), shapes.end(), is_there);
  };
  EXPECT_TRUE(has([](const Shape3& s) { return s.m == 100 && s.n == 80; }));
  EXPECT_TRUE(has([](const Shape3& s) { return s.m == 100 && s.n == 1; }));
  EXPECT_TRUE(has([](const Shape3& s) { return s.m == 1 && s.n == 80; }));
  EXPECT_TRUE(has([](const Shape3& s) { return s.m == 95 && s.n == 95; }));
  EXPECT_TRUE(has([](const Shape3& s) { return s.m > 100 && s.m * s.n * s.k == 9000; }));
}

// Other orders at the same places are the same regions; other places are not.
TEST(Confirm, RegionsOfAnotherContext) {
  PlantedSource source(edge);
  const RegionOptions options = gemv_options();
  const LearnedRegions learned = learn_regions(source, options);
  PlantedSource other_orders(
      [](const Shape3& s, auto i, auto j) -> std::uint64_t { return 17 - 3 * edge(s, i, j); });
  const auto confirmed = confirm_regions(other_orders, learned, options);
  ASSERT_TRUE(confirmed.has_value());
  ASSERT_EQ(confirmed->regimes.size(), learned.regimes.size());
  EXPECT_EQ(confirmed->regimes[0].rule, learned.regimes[0].rule);
  EXPECT_GE(confirmed->checked, options.held_out / 2);

  PlantedSource other_places(
      [](const Shape3& s, std::int64_t i, auto) -> std::uint64_t { return i >= s.m / 8 * 8; });
  EXPECT_FALSE(confirm_regions(other_places, learned, options).has_value());
  PlantedSource above_a_limit([](const Shape3& s, auto i, auto j) -> std::uint64_t {
    return s.m * s.k > 100000 ? 5 : edge(s, i, j);
  });
  EXPECT_FALSE(confirm_regions(above_a_limit, learned, options).has_value());
  EXPECT_FALSE(confirm_regions(source, LearnedRegions{}, options).has_value());
}

TEST(Cut, LeavesAMarginAndKeepsMost) {
  std::vector<Shape3> right, wrong;
  for (std::int64_t m = 1; m < 400; m += 7) {
    for (const std::int64_t k : {3, 50, 700}) (m <= 192 ? right : wrong).push_back({m, 9, k});
  }
  const auto atom = region::cut(right, wrong, 10);
  ASSERT_TRUE(atom.has_value());
  EXPECT_EQ(atom->kind, spec::Atom::Kind::at_most);
  EXPECT_TRUE(atom->use_m && !atom->use_k);
  EXPECT_LE(atom->limit, 100);
  EXPECT_GE(atom->limit, 90);
  EXPECT_FALSE(region::cut(right, wrong, 1000).has_value());
  EXPECT_FALSE(region::cut(right, {}, 10).has_value());
}

}  // namespace
}  // namespace reprosum::reveal::region_testing
