// The exact sum that recognises order-free targets, against MPFR.
#include "reveal/check/exact_sum.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <vector>

#include "reveal/check/random_data.h"

namespace reprosum::reveal {
namespace {

double mpfr_result(spec::Type type, const std::vector<double>& x, const std::vector<double>& y) {
  mpfr_t sum, term;
  mpfr_inits2(6000, sum, term, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_zero(sum, 1);
  for (std::size_t k = 0; k < x.size(); ++k) {
    mpfr_set_d(term, x[k], MPFR_RNDN);
    if (!y.empty()) mpfr_mul_d(term, term, y[k], MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
  }
  const double result = spec::is_f32(type) ? static_cast<double>(mpfr_get_flt(sum, MPFR_RNDN))
                                           : mpfr_get_d(sum, MPFR_RNDN);
  mpfr_clears(sum, term, static_cast<mpfr_ptr>(nullptr));
  return result;
}

TEST(ExactSum, EqualsMpfrOnCancellingData) {
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FastRandom random(seed);
    const spec::Type type = seed % 2 == 0 ? spec::Type::f32 : spec::Type::f64;
    const auto n = static_cast<std::size_t>(1 + random.below(70));
    std::vector<double> x(n), y(seed % 3 == 0 ? n : 0);
    fill(seed % 5 == 0 ? Data::ordinary : Data::wide, type, random, x, y);
    ASSERT_EQ(exact_result(type, x, y), mpfr_result(type, x, y));
  }
}

TEST(ExactSum, TiesGoToEven) {
  const double u = 0x1p-53;
  EXPECT_EQ(exact_result(spec::Type::f64, std::vector{1.0, u}, {}), 1.0);
  EXPECT_EQ(exact_result(spec::Type::f64, std::vector{1.0 + 2 * u, u}, {}), 1.0 + 4 * u);
  EXPECT_EQ(exact_result(spec::Type::f64, std::vector{1.0, u, 0x1p-1000}, {}), 1.0 + 2 * u);
  EXPECT_EQ(exact_result(spec::Type::f64, std::vector{1.0, u, -0x1p-1000}, {}), 1.0);
  EXPECT_EQ(exact_result(spec::Type::f32, std::vector{1.0, 0x1p-24}, {}), 1.0);
  EXPECT_EQ(exact_result(spec::Type::f32, std::vector{1.0, 0x1p-24, 0x1p-80}, {}), 1 + 0x1p-23);
  EXPECT_EQ(exact_result(spec::Type::f32, std::vector{1.0, -0x1p-25}, {}), 1.0);
  EXPECT_EQ(exact_result(spec::Type::f32, std::vector{1.0, -0x1p-25, -0x1p-80}, {}), 1 - 0x1p-24);
}

// Where the leading part cancelled, the next parts need not be far below it: 4 and 1.5 here.
TEST(ExactSum, OfPartsThatLieClose) {
  const std::vector<double> x{1.5, 0x1p55, 0x1p54 + 4, -0x3p54};
  EXPECT_EQ(exact_result(spec::Type::f64, x, {}), 5.5);
}

// Half of the distance between neighbours there is no double.
TEST(ExactSum, OfTheLeastDoubles) {
  for (const double sum : {0x1p-1074, 0x1.8p-1073, 0x1p-1072, 0x1.4p-1072}) {
    EXPECT_EQ(exact_result(spec::Type::f64, std::vector{sum}, {}), sum);
    EXPECT_EQ(exact_result(spec::Type::f64, std::vector{1.0, -sum, -1.0}, {}), -sum);
  }
  EXPECT_EQ(exact_result(spec::Type::f32, std::vector{0x1.8p-149, 0x1p-1074}, {}), 0x1p-148);
  EXPECT_EQ(exact_result(spec::Type::f32, std::vector{0x1p-150}, {}), 0.0);
}

}  // namespace
}  // namespace reprosum::reveal
