// Formats as values: their numbers, their rounding against MPFR, their names.
#include "spec/format.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "mpfr_format.h"
#include "spec/error.h"

namespace reprosum::spec {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Format, NamedOnesHaveTheNumbersThatTheyAreKnownFor) {
  EXPECT_EQ(largest(Format::f64), std::numeric_limits<double>::max());
  EXPECT_EQ(largest(Format::f32), double{std::numeric_limits<float>::max()});
  EXPECT_EQ(largest(Format::f16), 65504);
  EXPECT_EQ(largest(Format::bf16), 0x1.fep127);
  EXPECT_EQ(largest(Format::e4m3), 448);
  EXPECT_EQ(largest(Format::e5m2), 57344);
  EXPECT_EQ(least_subnormal(Format::f64), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(least_normal(Format::f32), double{std::numeric_limits<float>::min()});
  EXPECT_EQ(least_subnormal(Format::f16), 0x1p-24);
  EXPECT_EQ(least_subnormal(Format::bf16), 0x1p-133);
  EXPECT_EQ(least_subnormal(Format::e4m3), 0x1p-9);
  EXPECT_EQ(least_subnormal(Format::e5m2), 0x1p-16);
}

TEST(Format, RoundsAsMpfrDoes) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  mpfr_t exact;
  mpfr_init2(exact, 53);
  for (const Format& format :
       {Format::f64, Format::f32, Format::f16, Format::bf16, Format::tf32, Format::e5m2}) {
    SCOPED_TRACE(name(format));
    for (int i = 0; i < 20000; ++i) {
      // Around the whole range of exponents, with few bits every other time: then ties are common.
      const int low = least_subnormal_exponent(format) - 3, high = greatest_exponent(format) + 2;
      const int exponent = low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
      std::uint64_t bits = random() >> 11;
      if (i % 2 == 0) bits &= ~std::uint64_t{0} << (53 - format.significand_bits - 2 + i % 4);
      double value = std::ldexp(static_cast<double>(bits | std::uint64_t{1} << 52), exponent - 52);
      if (random() % 2 == 0) value = -value;
      mpfr_set_d(exact, value, MPFR_RNDN);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(rounded(format, value)),
                std::bit_cast<std::uint64_t>(test::rounded_by_mpfr(format, exact)))
          << std::hexfloat << value;
    }
  }
  mpfr_clear(exact);
}

// Every value of e4m3 and the middles between them, by enumeration.
TEST(Format, RoundsToTheNearestOfAllValuesOfE4M3) {
  std::vector<double> values;
  for (int bits = 0; bits < 0x7f; ++bits) {
    const int exponent = bits >> 3, fraction = bits & 7;
    values.push_back(exponent == 0 ? std::ldexp(fraction, -9)
                                   : std::ldexp(8 + fraction, exponent - 10));
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_EQ(rounded(Format::e4m3, values[k]), values[k]);
    if (k + 1 == values.size()) break;
    const double middle = (values[k] + values[k + 1]) / 2;
    EXPECT_EQ(rounded(Format::e4m3, middle), values[k % 2 == 0 ? k : k + 1]) << middle;
    EXPECT_EQ(rounded(Format::e4m3, std::nextafter(middle, 0)), values[k]);
    EXPECT_EQ(rounded(Format::e4m3, std::nextafter(middle, kInfinity)), values[k + 1]);
  }
  EXPECT_EQ(rounded(Format::e4m3, 464), 448);  // the middle to the NaN, which is odd
  EXPECT_TRUE(std::isnan(rounded(Format::e4m3, 465)));
  EXPECT_TRUE(std::isnan(rounded(Format::e4m3, -kInfinity)));
}

TEST(Format, WhatHasNoPlaceBecomesWhatTheFormatSays) {
  Format flushing = Format::f16;
  flushing.subnormals = Format::Subnormals::zero;
  EXPECT_EQ(rounded(flushing, 0x1p-14), 0x1p-14);
  EXPECT_EQ(rounded(flushing, 0x1.ff8p-15), 0.0);  // a subnormal number of f16
  EXPECT_TRUE(std::signbit(rounded(flushing, -0x1p-20)));
  Format saturating = Format::e4m3;
  saturating.specials = Format::Specials::none;
  EXPECT_EQ(rounded(saturating, 1e9), largest(saturating));
  EXPECT_EQ(rounded(saturating, -kInfinity), -480);
  EXPECT_EQ(rounded(Format::f16, 65520), kInfinity);
  EXPECT_EQ(rounded(Format::f16, 65519.99), 65504);
  EXPECT_TRUE(std::signbit(rounded(Format::bf16, -0.0)));
}

TEST(Format, NamesOfTypesComeBack) {
  for (const Type& type :
       {Type::f64, Type::f32, Type::f16, Type::bf16,
        Type(Format::bf16, Format::exact, Format::f32, Format::bf16),
        Type(Format::e4m3, Format::exact, Format::f32, Format::f16), Type(Format::tf32)}) {
    const auto again = type_from_name(name(type));
    ASSERT_TRUE(again) << name(type);
    EXPECT_EQ(*again, type);
  }
  EXPECT_EQ(name(Type::f16), "f16");
  EXPECT_EQ(name(Type(Format::bf16, Format::exact, Format::f32, Format::bf16)),
            "bf16/exact/f32/bf16");
  for (const char* wrong :
       {"", "f8", "exact", "f32/f32/f32/f32", "f16/f32/f32", "f16/exact/exact/f16",
        "f16/f32/f32/f32/f32", "f16//f32/f32", "exact/f32/f32/f32"})
    EXPECT_FALSE(type_from_name(wrong)) << wrong;
}

TEST(Format, AThirdTypeIsNeverTakenForF64) {
  EXPECT_TRUE(is_f32(Type::f32));
  EXPECT_TRUE(is_f64(Type::f64));
  for (const Type& type :
       {Type::f16, Type::bf16, Type(Format::f32, Format::f32, Format::f64, Format::f32)})
    try {
      is_f32(type);
      ADD_FAILURE() << name(type);
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(name(type)), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace reprosum::spec
