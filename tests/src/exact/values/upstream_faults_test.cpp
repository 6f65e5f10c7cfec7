// What published exact and reproducible sums got wrong, as inputs with the results worked out by
// hand. MPFR is not asked here.
#include <gtest/gtest.h>

#include <limits>

#include "src/exact/values/accumulator.h"
#include "tests/src/exact/referee.h"

namespace reprosum::exact::testing {
namespace {

double sum(std::initializer_list<double> terms, Rounding mode = Rounding::nearest_even) {
  Accumulator<double> accumulator;
  for (const double x : terms) accumulator.add(x);
  return accumulator.rounded<double>(mode);
}

struct Product {
  double x, y;
};
double dot(std::initializer_list<Product> terms) {
  Accumulator<double> accumulator;
  for (const Product& p : terms) accumulator.add_product(p.x, p.y);
  return accumulator.rounded<double>(Rounding::nearest_even);
}

constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// 1: the sticky bit put into a result bit where the top word is short; 2: a negative number
// complemented word by word without a borrow; 3: a tie seen from one word only.
TEST(UpstreamFaults, RoundingOfWords) {
  EXPECT_EQ(sum({-0x1.8p52}), -0x1.8p52);
  EXPECT_EQ(sum({1.5, 0x1p-56}), 1.5);
  EXPECT_EQ(sum({0x1p53, -1.25 * 0x1p-15}), 0x1p53);
  for (int e = -1000; e <= 900; ++e) {
    const double v = std::ldexp(1.0, e), ulp = std::ldexp(1.0, e - 52);
    for (const double s : {1.0, -1.0}) {
      ASSERT_EQ(sum({s * v, s * ulp / 2}), s * v) << e;
      ASSERT_EQ(sum({s * v, s * ulp, s * ulp / 2}), s * (v + 2 * ulp)) << e;
      ASSERT_EQ(sum({s * v, s * ulp / 2, s * kTiny}), s * (v + ulp)) << e;
      ASSERT_EQ(sum({s * v, s * ulp, s * ulp / 2, -s * kTiny}), s * (v + ulp)) << e;
    }
  }
}

// 4: a hidden bit given to subnormal numbers.
TEST(UpstreamFaults, Subnormals) {
  EXPECT_EQ(sum({kTiny}), kTiny);
  EXPECT_EQ(sum({1e-310}), 1e-310);
  EXPECT_EQ(sum({1e-310, 1e-310}), 2e-310);
  EXPECT_EQ(sum({0x1p-1022, -kTiny}), 0x1p-1022 - kTiny);
}

// 5: NaN taken for infinity, opposite infinities for zero, and no end for NaN.
TEST(UpstreamFaults, SpecialValues) {
  EXPECT_TRUE(std::isnan(sum({1, kNan, 2})));
  EXPECT_TRUE(std::isnan(sum({kInfinity, -kInfinity})));
  EXPECT_EQ(sum({1e300, -kInfinity, 5}), -kInfinity);
  EXPECT_TRUE(std::isnan(dot({{kInfinity, 0}})));
}

// 6: a negative mantissa of ones only, where the magnitude beyond it is slightly larger.
TEST(UpstreamFaults, NegativeMantissaOfOnes) {
  const double ones = -0x1.fffffffffffffp10;
  EXPECT_EQ(sum({ones}), ones);
  EXPECT_EQ(sum({ones, -0x1p-200}), ones);
  EXPECT_EQ(sum({ones, -0x1p-43}), -0x1p11);
  EXPECT_EQ(sum({ones, -0x1p-43, 0x1p-900}), ones);
  EXPECT_EQ(sum({ones, -0x1p-900}, Rounding::downward), -0x1p11);
}

// 7: bins scaled the wrong way near overflow; zero states that are not zero.
TEST(UpstreamFaults, LargeAndZero) {
  EXPECT_EQ(sum({1e300, 1e300}), 2e300);
  EXPECT_EQ(sum({0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023}),
            0x1.fffffffffffffp1023);
  EXPECT_EQ(bits(sum({0, 0, 0})), bits(0.0));
  EXPECT_EQ(bits(sum({-0.0, -0.0})), bits(-0.0));
}

// Products rounded before they are summed.
TEST(UpstreamFaults, RoundedProducts) {
  EXPECT_EQ(dot({{1 + 0x1p-30, 1 - 0x1p-30}, {-1, 1}}), -0x1p-60);
  EXPECT_EQ(dot({{1e200, 1e200}, {-1e200, 1e200}}), 0);
  EXPECT_EQ(dot({{1e40, 1}, {1, 1}, {-1e40, 1}}), 1);
  EXPECT_EQ(dot({{0x1p-600, 0x1p-600}, {0x1p-537, 0x1p-537}}), kTiny);
  EXPECT_EQ(dot({{0x1p-600, 0x1p-600}, {1, 0}}), 0);
}

}  // namespace
}  // namespace reprosum::exact::testing
