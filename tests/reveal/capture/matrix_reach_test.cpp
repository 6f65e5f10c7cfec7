// Rules of planted products on longer shapes than they were learned from.
#include "reveal/capture/matrix_reach.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

#include "reveal/check/random_data.h"
#include "spec/surface.h"
#include "tests/reveal/capture/planted_captures.h"

namespace reprosum::reveal {
namespace {

using spec::Shape3;
using testing::factory_of;
using testing::MatrixFunction;
using testing::refusals;
using Condition = std::function<bool(const Shape3&)>;

constexpr Shape3 kLearned{48, 48, 96};
constexpr std::int64_t kBlock = 8, kOther = 6;  // summands of a block; fewer show no border

CaptureOptions options_of(spec::Routine routine, std::uint64_t seed = 1) {
  CaptureOptions options = testing::small_options(routine, spec::Type::f64);
  options.transposes = {{spec::Trans::no, spec::Trans::no}};
  options.largest = kLearned;
  options.matrix_work = 1e6;
  options.reach = {2048, std::int64_t{1} << 14, std::int64_t{1} << 20};
  options.seed = seed;
  return options;
}

// Rows and columns as BLAS counts them in memory by columns.
Shape3 by_columns(const Call& call) {
  const bool swapped = call.row_major && call.routine == spec::Routine::gemm;
  return swapped ? Shape3{call.n, call.m, call.k} : Shape3{call.m, call.n, call.k};
}

// Other blocks of summands where the shape has a habit of its own.
MatrixFunction other_blocks(Condition is_other) {
  return [is_other = std::move(is_other), plain = testing::rows_by_four(kBlock),
          other = testing::rows_by_four(kOther)](const Call& call, std::int64_t i, std::int64_t j,
                                                 const double* a, const double* b, double alpha,
                                                 double beta, double c) {
    return (is_other(by_columns(call)) ? other : plain)(call, i, j, a, b, alpha, beta, c);
  };
}

// The plain rules, up to the learned sizes.
const spec::Spec& plain_rules(spec::Routine routine) {
  static const auto captured = [](spec::Routine of) {
    CaptureOptions options = options_of(of);
    options.reach.size = 0;
    return capture(factory_of(testing::rows_by_four(kBlock)), options);
  };
  static const spec::Spec gemm = captured(spec::Routine::gemm),
                          gemv = captured(spec::Routine::gemv);
  return routine == spec::Routine::gemm ? gemm : gemv;
}

bool covers(const spec::Entry& entry, const Shape3& shape) {
  return shape.m <= entry.m_max && shape.n <= entry.n_max &&
         spec::regions(entry.regimes, shape).has_value();
}

class Reached {
 public:
  Reached(spec::Routine routine, const Condition& is_other, std::uint64_t seed = 1,
          std::int64_t every_size_to = 4200)
      : options_(options_of(routine, seed)), is_other_(is_other), random_(seed) {
    options_.every_size_to = every_size_to;
    const spec::Spec& plain = plain_rules(routine);
    EXPECT_EQ(plain.entries.size(), 1U) << refusals(plain);
    entry = plain.entries.at(0);
    Targets targets;
    targets.emplace_back(1, factory_of(other_blocks(is_other))(1));
    reach_beyond(targets, entry, plain.orders, options_);
    for (const spec::MatrixRegime& regime : entry.regimes) spec::validate(regime);
  }

  // Draws shapes evenly in the logarithms. Counts those that are claimed and have other bits, and
  // how many of the right ones beyond the learned sizes are covered.
  void look() {
    const ReachRegion all = reach_of(entry_learned(), options_);
    int right = 0, covered = 0;
    for (int turn = 0; turn < 60'000; ++turn) {
      const auto size = [&](std::int64_t learned) {
        const double most = learned == 1 ? 1.0 : static_cast<double>(options_.reach.size);
        return static_cast<std::int64_t>(std::exp(random_.unit() * std::log(most + 0.999)));
      };
      const Shape3 shape{size(kLearned.m), size(entry.n_max), size(kLearned.k)};
      const bool is_wrong = is_other_(shape) && shape.k > kOther;
      if (covers(entry, shape) && is_wrong) {
        ++wrong;
        example = std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " +
                  std::to_string(shape.k);
      }
      if (!all.claims(shape) || is_wrong) continue;
      ++right;
      covered += covers(entry, shape) ? 1 : 0;
    }
    share = static_cast<double>(covered) / std::max(right, 1);
  }

  spec::Entry entry;
  int wrong = 0;
  std::string example;
  double share = 0;

 private:
  const spec::Entry& entry_learned() const { return plain_rules(entry.routine).entries.at(0); }

  CaptureOptions options_;
  Condition is_other_;
  FastRandom random_;
};

TEST(MatrixReach, RulesCoverWhatTheyAreRightFor) {
  for (const auto routine : {spec::Routine::gemm, spec::Routine::gemv}) {
    Reached plain(routine, [](const Shape3&) { return false; });
    plain.look();
    EXPECT_EQ(plain.entry.m_max, 2048);
    EXPECT_EQ(plain.share, 1);
    EXPECT_TRUE(covers(plain.entry, {2047, 1, 7}));
    EXPECT_TRUE(covers(plain.entry, {7, 1, 2048}));
    EXPECT_FALSE(covers(plain.entry, {2048, 1, 9}));  // more than 2^14 elements
    EXPECT_FALSE(covers(plain.entry, {2049, 1, 1}));
    EXPECT_GE(plain.entry.certificate.largest.m, 2000);
    EXPECT_GE(plain.entry.certificate.largest.k, 2000);
  }
}

TEST(MatrixReach, IsPartOfACaptureIfAskedFor) {
  auto options = options_of(spec::Routine::gemm);
  const auto plain = factory_of(testing::rows_by_four());
  const spec::Spec spec = capture(plain, options);
  ASSERT_EQ(spec.entries.size(), 1U) << refusals(spec);
  EXPECT_EQ(spec.entries[0].m_max, 2048);
  EXPECT_EQ(spec::to_json(spec::from_json(spec::to_json(spec))), spec::to_json(spec));
  EXPECT_TRUE(verify(spec, plain, options).holds);
  const auto longer = other_blocks([](const Shape3& shape) { return shape.m > 500; });
  EXPECT_FALSE(verify(spec, factory_of(longer), options).holds);
  EXPECT_EQ(plain_rules(spec::Routine::gemm).entries.at(0).m_max, kLearned.m);
}

// Blocks that are longer than any sum that was learned from go on from what is in y.
TEST(MatrixReach, LongSumsGoOnInBlocks) {
  const MatrixFunction blocks = [](const Call& call, std::int64_t, std::int64_t, const double* a,
                                   const double* b, double alpha, double beta, double c) {
    return testing::blocked<double>(alpha, beta, c, call.k, a, b, 150);
  };
  const auto options = options_of(spec::Routine::gemv);
  const spec::Spec spec = capture(factory_of(blocks), options);
  ASSERT_EQ(spec.entries.size(), 1U) << refusals(spec);
  EXPECT_TRUE(covers(spec.entries[0], {3, 1, 2048}));
  EXPECT_TRUE(covers(spec.entries[0], {100, 1, 151}));
  EXPECT_TRUE(verify(spec, factory_of(blocks), options).holds);
}

struct Planted {
  const char* name;
  spec::Routine routine;
  Condition is_other;
  double share;  // of the right ones that should be covered
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

class PlantedBorder : public ::testing::TestWithParam<Planted> {};

// Seeds 1 to REPROSUM_REACH_SEEDS: what is found must not be luck.
std::uint64_t seeds() {
  const char* const given = std::getenv("REPROSUM_REACH_SEEDS");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

TEST_P(PlantedBorder, IsLeftOut) {
  const Planted& planted = GetParam();
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Reached reached(planted.routine, planted.is_other, seed);
    reached.look();
    EXPECT_EQ(reached.wrong, 0) << "covers " << reached.example;
    EXPECT_GE(reached.share, planted.share);
  }
}

// One more than some blocks of 512.
bool is_one_over(std::int64_t size) { return size > 512 && size % 512 == 1; }

// One to three more than some blocks of 150.
bool is_behind_block(std::int64_t size) { return size > 96 && size % 150 > 0 && size % 150 < 4; }

bool both(std::int64_t a, std::int64_t more_than_a, std::int64_t b, std::int64_t more_than_b) {
  return a > more_than_a && b > more_than_b;
}

INSTANTIATE_TEST_SUITE_P(
    Gemm, PlantedBorder,
    ::testing::Values(
        Planted{"rows", spec::Routine::gemm, [](const Shape3& s) { return s.m > 500; }, 0.7},
        Planted{"columns", spec::Routine::gemm, [](const Shape3& s) { return s.n > 1024; }, 0.7},
        Planted{"summands", spec::Routine::gemm, [](const Shape3& s) { return s.k > 700; }, 0.7},
        Planted{"product", spec::Routine::gemm,
                [](const Shape3& s) { return s.m * s.n * s.k > 500'000; }, 0.7},
        Planted{"outputs", spec::Routine::gemm, [](const Shape3& s) { return s.m * s.n > 7'000; },
                0.7},
        Planted{"few more summands of many rows", spec::Routine::gemm,
                [](const Shape3& s) { return both(s.m, 300, s.k, 30); }, 0.7},
        Planted{"blocks of summands of many rows", spec::Routine::gemm,
                [](const Shape3& s) { return both(s.m, 60, s.k, 120); }, 0.7},
        Planted{"long and wide", spec::Routine::gemm,
                [](const Shape3& s) { return both(s.m, 60, s.n, 60) && s.k > 60; }, 0.7},
        Planted{"few columns", spec::Routine::gemm,
                [](const Shape3& s) { return s.m > 500 && s.n <= 8; }, 0.6},
        Planted{"a band", spec::Routine::gemm,
                [](const Shape3& s) { return s.m > 600 && s.m < 1300; }, 0.7},
        Planted{"rests", spec::Routine::gemm,
                [](const Shape3& s) { return s.m > 400 && s.m % 4 == 3; }, 0.7},
        Planted{"one row behind blocks", spec::Routine::gemm,
                [](const Shape3& s) { return is_one_over(s.m); }, 0.6},
        Planted{"one column behind blocks", spec::Routine::gemm,
                [](const Shape3& s) { return is_one_over(s.n); }, 0.6},
        Planted{"one summand behind blocks", spec::Routine::gemm,
                [](const Shape3& s) { return is_one_over(s.k); }, 0.6}));
INSTANTIATE_TEST_SUITE_P(
    Gemv, PlantedBorder,
    ::testing::Values(
        Planted{"rows", spec::Routine::gemv, [](const Shape3& s) { return s.m > 500; }, 0.7},
        Planted{"summands", spec::Routine::gemv, [](const Shape3& s) { return s.k > 1027; }, 0.7},
        Planted{"elements", spec::Routine::gemv, [](const Shape3& s) { return s.m * s.k > 9'000; },
                0.7},
        Planted{"both", spec::Routine::gemv,
                [](const Shape3& s) { return both(s.m, 70, s.k, 110); }, 0.7},
        Planted{"many rows", spec::Routine::gemv,
                [](const Shape3& s) { return both(s.m, 200, s.k, 26); }, 0.7},
        Planted{"one row behind blocks", spec::Routine::gemv,
                [](const Shape3& s) { return is_one_over(s.m); }, 0.6},
        Planted{"one summand behind blocks", spec::Routine::gemv,
                [](const Shape3& s) { return is_one_over(s.k); }, 0.6},
        Planted{"few rows behind other blocks", spec::Routine::gemv,
                [](const Shape3& s) { return is_behind_block(s.m); }, 0.3},
        Planted{"few summands behind other blocks", spec::Routine::gemv,
                [](const Shape3& s) { return is_behind_block(s.k); }, 0.3}));

// Single sizes above those that are tried one by one.
TEST(MatrixReach, SizesThatStandOutAreLeftOut) {
  const auto is_power = [](std::int64_t size) { return (size & (size - 1)) == 0; };
  const Condition conditions[] = {[](const Shape3& s) { return s.m > 100 && s.m % 64 == 0; },
                                  [=](const Shape3& s) { return s.m > 100 && is_power(s.m); },
                                  [](const Shape3& s) { return s.k > 100 && s.k % 64 == 0; },
                                  [](const Shape3& s) { return s.k >= 1000 && s.k % 1000 == 0; },
                                  [=](const Shape3& s) { return s.k > 500 && is_power(s.k - 1); }};
  for (const Condition& is_other : conditions) {
    Reached reached(spec::Routine::gemv, is_other, 1, 100);
    reached.look();
    EXPECT_EQ(reached.wrong, 0) << "covers " << reached.example;
  }
}

// What is wrong already within the learned sizes is not covered there, either.
TEST(MatrixReach, ABorderWithinTheLearnedSizesIsLeftOutToo) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Reached reached(
        spec::Routine::gemm, [](const Shape3& s) { return s.m * s.k > 3'000; }, seed);
    EXPECT_FALSE(covers(reached.entry, {48, 1, 96}));
    EXPECT_FALSE(covers(reached.entry, {40, 40, 90}));
    EXPECT_TRUE(covers(reached.entry, {20, 40, 96}));
  }
}

}  // namespace
}  // namespace reprosum::reveal
