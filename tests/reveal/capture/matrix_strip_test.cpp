// Limits that no product of sizes says.
#include "reveal/capture/matrix_strip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "reveal/check/matrix_check.h"
#include "tests/reveal/capture/planted_captures.h"
#include "tests/spec/sample_regions.h"

namespace reprosum::reveal {
namespace {

constexpr spec::Shape3 kLargest{600, 1, 600};
constexpr std::int64_t kLimit = 20'000;

// One class for all outputs of a shape of at most so many products; another one beyond.
std::vector<spec::MatrixRegime> learned(std::int64_t limit = kLimit) {
  spec::MatrixRegime below;
  below.guard = {spec::samples::at_most("mk", limit)};
  below.rows = {spec::samples::uniform(2048)};
  below.columns = {spec::samples::uniform(1)};
  below.table = {{0}};
  below.classes = {{0, {}, {}}};
  below.k_max = 2048;
  spec::MatrixRegime above = below;
  above.guard = {};
  above.classes = {{1, {}, {}}};
  return {below, above};
}

using Truth = std::function<bool(const spec::Shape3&)>;  // where order 0 is right

std::optional<spec::MatrixRegime> strip_of(const spec::Shape3& wrong, const Truth& is_right,
                                           std::int64_t limit = kLimit) {
  return strip_below_limit(learned(limit), 0, 0, wrong, kLargest, true, 200, 3,
                           [&](std::span<const spec::Shape3> shapes) {
                             EXPECT_EQ(shapes.size(), 200U);
                             return std::all_of(shapes.begin(), shapes.end(), is_right);
                           });
}

bool with_edges(const spec::Shape3& shape) { return (shape.m + 1) * (shape.k + 1) <= kLimit + 300; }

TEST(StripBelowLimit, LeavesOutNoMoreThanASixteenth) {
  ASSERT_FALSE(with_edges({kLimit / 40, 1, 40}));
  const auto strip = strip_of({kLimit / 40, 1, 40}, with_edges);
  ASSERT_TRUE(strip);
  auto rules = learned();
  rules.insert(rules.begin(), *strip);
  for (const spec::MatrixRegime& regime : rules) spec::validate(regime);
  for (std::int64_t m = 1; m <= kLargest.m; ++m)
    for (std::int64_t k = 1; k <= kLargest.k; ++k) {
      const bool is_covered = spec::regions(rules, {m, 1, k}).has_value();
      if (m * k <= kLimit * 15 / 16 - 2 || m * k > kLimit) {
        ASSERT_TRUE(is_covered) << m << " x " << k;
      } else if (is_covered) {
        ASSERT_TRUE(with_edges({m, 1, k})) << m << " x " << k;
      }
    }
}

TEST(StripBelowLimit, IsNotBlamedForWhatIsWrongFurtherBelow) {
  const spec::Shape3 wrong{100, 1, kLimit / 100};
  EXPECT_TRUE(strip_of(wrong, [](const auto& at) { return at.m * at.k < kLimit - 200; }));
  EXPECT_FALSE(strip_of(wrong, [](const auto& at) { return at.m * at.k < kLimit / 2; }));
  EXPECT_FALSE(strip_of(wrong, [](const auto& at) { return at.m != 100; }));  // a row of its own
  EXPECT_FALSE(strip_of(wrong, [](const auto& at) { return at.k != kLimit / 100; }));
  EXPECT_FALSE(strip_of({100, 1, kLimit / 110}, [](const auto&) { return true; }));  // not close
}

TEST(StripBelowLimit, NeedsALimitOnAProduct) {
  auto rules = learned();
  const auto never = [](std::span<const spec::Shape3>) { return true; };
  EXPECT_FALSE(strip_below_limit(rules, 1, 0, {500, 1, 500}, kLargest, true, 50, 3, never));
  rules[0].guard = {spec::samples::at_most("k", 500)};
  EXPECT_FALSE(strip_below_limit(rules, 0, 0, {100, 1, 499}, kLargest, true, 50, 3, never));
}

// Rows behind the last whole block of 24 are one bit off beyond (m + 1) * (k + 1) = 20,301.
TEST(StripBelowLimit, MakesRulesRightForPlantedProducts) {
  FunctionTarget target([](const Call& call, std::int64_t i, std::int64_t, const double* a,
                           const double* b, double, double beta, double c) {
    double sum = testing::beta_times(call, beta, c);
    for (std::int64_t p = 0; p < call.k; ++p) sum = std::fma(a[p], b[p], sum);
    const bool is_odd = !with_edges({call.m, 1, call.k}) && i >= call.m / 24 * 24;
    return is_odd && std::isfinite(sum) ? std::nextafter(sum, 1e300) : sum;
  });
  const Call call = call_without_sizes(spec::Routine::gemv, spec::Type::f64);
  MatrixCheck check;
  check.limits.alpha_one = true;
  const std::vector<spec::Order> orders{
      spec::parse_order("1..2048: loop 1 { 0: [out f@0 +1 x q]; }")};
  auto rules = learned();
  rules.pop_back();
  const auto result = [&](std::span<const spec::Shape3> shapes) {
    return check_matrices(target, call, rules, orders, shapes, check);
  };
  const auto shapes = plan_shapes(rules, orders, true, kLargest, 1e7, 3);
  const auto before = result(shapes);
  ASSERT_TRUE(before.wrong);
  const auto strip =
      strip_below_limit(rules, 0, 0, before.wrong->shape, kLargest, true, 100, 3,
                        [&](std::span<const spec::Shape3> tried) { return !result(tried).wrong; });
  ASSERT_TRUE(strip) << before.wrong->mismatch.context;
  rules.insert(rules.begin(), *strip);
  const auto after = result(shapes);
  EXPECT_FALSE(after.wrong) << after.wrong->mismatch.context;
  EXPECT_GT(after.shapes, before.shapes);
}

// The same rows, beyond a limit.
testing::MatrixFunction apart_beyond(std::int64_t limit) {
  return testing::apart_where([limit](const Call& call, std::int64_t i) {
    return (call.m + 1) * (call.k + 1) > limit && i >= call.m / 24 * 24;
  });
}

// A capture learns a limit of m*k, and its certificate shows where that is wrong: in a strip, not
// in a band for each length of the short side. The smaller limit is further from all products, so
// that little beside it can be learned.
TEST(MatrixCapture, LeavesOutAStripBelowALimitThatNoProductSays) {
  for (const std::int64_t limit : {8192, 60'000}) {
    CaptureOptions options = testing::small_options(spec::Routine::gemv, spec::Type::f64);
    options.largest = {500, 1, 500};
    options.time_limit_s = 30;
    options.alpha_one = true;
    options.transposes = {{spec::Trans::no, spec::Trans::no}};
    const spec::Spec spec = capture(testing::factory_of(apart_beyond(limit)), options);
    SCOPED_TRACE(std::to_string(limit) + "\n" + testing::refusals(spec));
    ASSERT_EQ(spec.entries.size(), 1U);
    const auto& regimes = spec.entries.front().regimes;
    std::vector<spec::Shape3> near;
    for (std::int64_t m = 20; m <= 480; m += limit / 2000)
      for (std::int64_t k = limit * 15 / 16 / m; k <= std::min<std::int64_t>(limit / m, 500); ++k)
        near.push_back({m, 1, k});
    FunctionTarget target(apart_beyond(limit));
    const Call call = call_without_sizes(spec::Routine::gemv, spec::Type::f64);
    MatrixCheck check;
    check.limits.alpha_one = true;
    check.seed = 88;
    const auto looks = check_matrices(target, call, regimes, spec.orders, near, check);
    EXPECT_FALSE(looks.wrong) << looks.wrong->mismatch.context;
    EXPECT_GT(looks.shapes, 0);
    EXPECT_LE(std::ranges::count_if(regimes, [](const auto& one) { return one.classes.empty(); }),
              2);
    for (const std::int64_t m : {7, 25, 100, 240, 300, 499})
      for (const std::int64_t product : {600, 10'000, 40'000, 90'000, 160'000})
        EXPECT_TRUE(limit < 60'000 || product > 500 * m ||
                    spec::regions(regimes, {m, 1, product / m}))
            << m << " " << product;
  }
}

}  // namespace
}  // namespace reprosum::reveal
