// Outputs behind the last whole block of a long side, in an order of their own where the other side
// is short.
#include "reveal/capture/matrix_band.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "reveal/check/matrix_check.h"
#include "tests/reveal/capture/planted_captures.h"
#include "tests/spec/sample_regions.h"

namespace reprosum::reveal {
namespace {

constexpr spec::Shape3 kLargest{2048, 1, 2048};

using Truth = std::function<bool(std::int64_t length, std::int64_t other)>;  // is it wrong?

FirstWrong first_wrong_of(const Truth& is_wrong, bool is_m_long) {
  return [=](std::span<const spec::Shape3> shapes) -> std::optional<spec::Shape3> {
    const auto at = std::find_if(shapes.begin(), shapes.end(), [&](const spec::Shape3& shape) {
      return is_m_long ? is_wrong(shape.m, shape.k) : is_wrong(shape.k, shape.m);
    });
    return at == shapes.end() ? std::nullopt : std::optional(*at);
  };
}

// Up to seven behind a multiple of 472, but no four, up to a product of sizes.
bool behind_blocks(std::int64_t length, std::int64_t other) {
  const std::int64_t rest = length % 472;
  return length > 472 && rest > 0 && rest < 8 && rest != 4 && other > 3 &&
         (length + 1) * (other + 1) <= 8192;
}

TEST(BandsOfFewSizes, LeaveOutWhatIsWrongAndLittleElse) {
  for (const bool is_m_long : {true, false}) {
    const spec::Shape3 wrong = is_m_long ? spec::Shape3{477, 1, 12} : spec::Shape3{12, 1, 477};
    const auto bands =
        bands_of_few_sizes(wrong, kLargest, 48, first_wrong_of(behind_blocks, is_m_long));
    ASSERT_EQ(bands.size(), 3u);
    for (const spec::MatrixRegime& band : bands) spec::validate(band);
    std::int64_t left_out = 0;
    for (std::int64_t length = 1; length <= 2048; ++length)
      for (std::int64_t other = 1; other <= 2048; ++other) {
        const spec::Shape3 shape =
            is_m_long ? spec::Shape3{length, 1, other} : spec::Shape3{other, 1, length};
        const bool is_out = deciding_regime(bands, shape).has_value();
        ASSERT_TRUE(is_out || !behind_blocks(length, other)) << length << " by " << other;
        left_out += is_out;
      }
    EXPECT_EQ(left_out, 7 * (16 + 7 + 4));
  }
}

TEST(BandsOfFewSizes, LeaveOtherTroublesToOthers) {
  const auto is_wrong = [](std::int64_t m, std::int64_t k) {
    return behind_blocks(m, k) || (m * k > 15'000 && k < 14);
  };
  const auto bands = bands_of_few_sizes({477, 1, 12}, kLargest, 48, first_wrong_of(is_wrong, true));
  EXPECT_EQ(bands.size(), 3u);
}

TEST(BandsOfFewSizes, AreNotBlamedForOtherTroubles) {
  const auto bands = [](const spec::Shape3& at, const Truth& is_wrong) {
    return bands_of_few_sizes(at, kLargest, 48, first_wrong_of(is_wrong, true)).size();
  };
  const auto every_rest = [](std::int64_t m, std::int64_t) { return m % 40 == 39; };
  EXPECT_EQ(bands({479, 1, 12}, every_rest), 0u);  // at all m
  const auto few_m = [](std::int64_t m, std::int64_t) { return m > 470 && m < 480; };
  EXPECT_EQ(bands({477, 1, 12}, few_m), 0u);  // at all k
  const auto many_m = [](std::int64_t m, std::int64_t k) { return m > 470 && k < 16; };
  EXPECT_EQ(bands({477, 1, 12}, many_m), 0u);
  EXPECT_EQ(bands({477, 1, 200}, few_m), 0u);
  EXPECT_EQ(bands({30, 1, 12}, [](std::int64_t m, std::int64_t) { return m == 30; }), 0u);
}

Call gemv() { return call_without_sizes(spec::Routine::gemv, spec::Type::f64); }

TEST(MatrixCapture, IsNotWrongBehindABlockWhereColumnsAreFew) {
  CaptureOptions options = testing::small_options(spec::Routine::gemv, spec::Type::f64);
  options.largest = {1000, 1, 300};
  options.matrix_work = 2e7;
  options.time_limit_s = 20;
  options.alpha_one = true;
  const spec::Spec spec = capture(testing::factory_of(testing::rows_behind_blocks()), options);
  ASSERT_GE(spec.entries.size(), 2u) << testing::refusals(spec);
  // A rule may say what the last rows are; if not, they are left out.
  std::vector<spec::Shape3> in_band;
  for (std::int64_t m = 473; m <= 479; ++m)
    for (std::int64_t k = 1; k <= 20; ++k) in_band.insert(in_band.end(), 11, {m, 1, k});
  FunctionTarget target(testing::rows_behind_blocks());
  MatrixCheck check;
  check.limits.alpha_one = true;
  check.seed = 77;
  for (const spec::Entry& entry : spec.entries) {
    Call call = gemv();
    call.trans_a = entry.guard.trans_a;
    const auto looks = check_matrices(target, call, entry.regimes, spec.orders, in_band, check);
    EXPECT_FALSE(looks.wrong) << looks.wrong->mismatch.context;
    for (const std::int64_t k : {1, 4, 16, 100})
      for (const std::int64_t m : {64, 300, 472, 480, 481, 700, 943, 952, 1000})
        EXPECT_TRUE(spec::regions(entry.regimes, {m, 1, k})) << m << " x " << k;
    EXPECT_TRUE(spec::regions(entry.regimes, {477, 1, 17}));
  }
}

// In two contexts a product in a hundred thousand shows it; the others have shapes of their own.
TEST(MatrixCapture, LeavesOutABandThatAnotherContextShowed) {
  CaptureOptions options = testing::small_options(spec::Routine::gemv, spec::Type::f64);
  options.largest = {600, 1, 100};
  options.matrix_work = 2e7;
  options.time_limit_s = 20;
  options.alpha_one = true;
  options.increments = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {2, -1}};
  options.transposes = {{spec::Trans::no, spec::Trans::no}};
  const auto planted = [behind = testing::rows_behind_blocks(),
                        plain = testing::apart_where([](const Call&, std::int64_t) {
                          return false;
                        })](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                            const double* b, double alpha, double beta, double c) {
    // 0 in the data of probes, and in products that underflow.
    const double bits = std::abs(b[0]) < 0x1p-40 ? 0 : std::fmod(std::abs(b[0]) * 0x1p40, 0x1p17);
    const bool shows = call.incx == 2 || (bits > 0 && bits < 1);
    return (shows ? behind : plain)(call, i, j, a, b, alpha, beta, c);
  };
  for (options.seed = 1; options.seed <= 4; ++options.seed) {
    SCOPED_TRACE(options.seed);
    const spec::Spec spec = capture(testing::factory_of(planted), options);
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    for (const spec::Entry& entry : spec.entries) {
      for (const spec::Increments& asked : options.increments)
        if (spec::admits(entry.guard.increments, asked.x.least, asked.y.least))
          seen.insert(asked.plainest());
      EXPECT_FALSE(spec::regions(entry.regimes, {477, 1, 12}));
      EXPECT_TRUE(spec::regions(entry.regimes, {470, 1, 12})) << testing::refusals(spec);
    }
    EXPECT_EQ(seen.size(), 5u) << testing::refusals(spec);
  }
}

}  // namespace
}  // namespace reprosum::reveal
