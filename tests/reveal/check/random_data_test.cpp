// Hostile data is what it says: it cancels, spreads over exponents, underflows.
#include "reveal/check/random_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace reprosum::reveal {
namespace {

constexpr std::size_t kCount = 4000;

struct Pair {
  std::vector<double> x = std::vector<double>(kCount), y = x, beside = x;
  Partners partners;
};

Pair filled(Data kind, spec::Type type, std::uint64_t seed) {
  FastRandom random(seed);
  Pair pair;
  fill(kind, type, random, pair.x, pair.y, &pair.partners);
  fill_beside(kind, type, random, pair.beside, pair.partners);
  return pair;
}

bool fits(spec::Type type, const std::vector<double>& values) {
  return spec::is_f64(type) || std::all_of(values.begin(), values.end(), [](double v) {
           return std::isnan(v) || static_cast<double>(static_cast<float>(v)) == v;
         });
}

class RandomData : public ::testing::TestWithParam<spec::Type> {};

TEST_P(RandomData, FitsTheType) {
  for (int kind = 0; kind < kDataKinds; ++kind) {
    const Pair pair = filled(static_cast<Data>(kind), GetParam(), 3);
    EXPECT_TRUE(fits(GetParam(), pair.x) && fits(GetParam(), pair.y)) << kind;
    EXPECT_TRUE(fits(GetParam(), pair.beside)) << kind;
  }
}

TEST_P(RandomData, EveryRowBesideAWideColumnCancelsAgainstIt) {
  const Pair pair = filled(Data::wide, GetParam(), 5);
  for (const auto& [k, j] : pair.partners) {
    ASSERT_LT(j, k);
    for (const auto* x : {&pair.x, &pair.beside})
      ASSERT_EQ((*x)[k] * pair.y[k] + (*x)[j] * pair.y[j], 0) << k << " and " << j;
  }
  EXPECT_GT(pair.partners.size(), kCount / 10);
  EXPECT_NE(pair.x, pair.beside);
}

TEST_P(RandomData, WideDataHaveEveryExponentAndBothSigns) {
  const Pair pair = filled(Data::wide, GetParam(), 7);
  for (const auto* values : {&pair.x, &pair.y, &pair.beside}) {
    std::set<int> exponents, negative;
    for (const double value : *values) (value < 0 ? negative : exponents).insert(std::ilogb(value));
    for (const std::set<int>& seen : {exponents, negative}) {
      EXPECT_EQ(seen.size(), 21u + (*seen.rbegin() == 11)) << *seen.begin();
      EXPECT_EQ(*seen.begin(), -10);
    }
  }
  FastRandom random(9);
  std::vector<double> alone(kCount);
  fill(Data::wide, GetParam(), random, alone, {});
  const auto [least, most] = std::minmax_element(
      alone.begin(), alone.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  EXPECT_EQ(std::ilogb(*least), -20);
  EXPECT_GE(std::ilogb(*most), 20);
}

TEST_P(RandomData, TinyProductsAreSubnormalAndSomeUnderflow) {
  const Pair pair = filled(Data::tiny, GetParam(), 11);
  const double least_normal = spec::least_normal(GetParam().input);
  for (const auto* x : {&pair.x, &pair.beside}) {
    std::size_t zeros = 0, subnormal = 0;
    for (std::size_t k = 0; k < kCount; ++k) {
      double product = (*x)[k] * pair.y[k];
      if (spec::is_f32(GetParam())) product = static_cast<double>(static_cast<float>(product));
      zeros += product == 0;
      subnormal += product != 0 && std::abs(product) < least_normal;
    }
    EXPECT_GT(zeros, kCount / 100);
    EXPECT_GT(subnormal, kCount / 3);
  }
}

// Each class has what it is named for, in one factor or in the pairs.
TEST_P(RandomData, ClassesAreWhatTheySay) {
  constexpr double kParts[] = {10, 100, 1000, 20, 5, 3};
  const auto holds = [&](Data kind, const std::vector<double>& x) {
    const auto all = [&](auto ask) { return std::all_of(x.begin(), x.end(), ask); };
    const auto by_size = [](double a, double b) { return std::abs(a) < std::abs(b); };
    switch (kind) {
      case Data::nonnegative:
        return all([](double v) { return !std::signbit(v); });
      case Data::nonpositive:
        return all([](double v) { return v <= 0; });
      case Data::one_binade:
        return all([&](double v) { return std::ilogb(v) == std::ilogb(x[0]); });
      case Data::ascending:
        return std::is_sorted(x.begin(), x.end()) || std::is_sorted(x.begin(), x.end(), by_size);
      case Data::descending:
        return std::is_sorted(x.rbegin(), x.rend()) ||
               std::is_sorted(x.rbegin(), x.rend(), by_size);
      case Data::constant:
        return all([&](double v) { return v == x[0]; });
      case Data::integers:
        return all([](double v) { return std::trunc(v) == v; });
      case Data::sparse:
        return 3 * std::count(x.begin(), x.end(), 0.0) > std::ssize(x);
      case Data::subnormal:
        return all([](double v) { return std::abs(v) < 0x1p-120; });
      case Data::fixed_point:
        return all([](double v) { return std::trunc(v * 0x1p16) == v * 0x1p16; });
      case Data::decimals:
        return std::any_of(std::begin(kParts), std::end(kParts), [&](double parts) {
          return all([&](double v) {
            return spec::rounded(GetParam().input, std::round(v * parts) / parts) == v;
          });
        });
      case Data::across:
        return !all([](double v) { return std::isfinite(v); });
      default:
        return true;
    }
  };
  for (int k = 0; k < kDataClasses; ++k)
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const Data kind = data_class(k);
      const Pair pair = filled(kind, GetParam(), seed);
      EXPECT_TRUE(fits(GetParam(), pair.x) && fits(GetParam(), pair.y)) << name(kind);
      EXPECT_TRUE(holds(kind, pair.x) || holds(kind, pair.y)) << name(kind) << ", seed " << seed;
      if (kind == Data::same) {
        EXPECT_EQ(pair.x, pair.y);
      }
      const double ratio = pair.y.back() / pair.x.back();
      for (std::size_t at = 0; at < kCount; ++at) {
        if (kind == Data::negated) {
          EXPECT_EQ(pair.y[at], -pair.x[at]);
        }
        if (kind == Data::reversed) {
          EXPECT_EQ(pair.y[at], pair.x[kCount - 1 - at]);
        }
        if (kind == Data::proportional && pair.x[at] != 0 && pair.x.back() != 0) {
          EXPECT_NEAR(pair.y[at] / pair.x[at], ratio, std::abs(ratio) * 0x1p-22);
        }
      }
      if (kind != Data::cancelling) continue;
      std::vector<double> products;
      for (std::size_t at = 0; at < kCount; ++at) products.push_back(pair.x[at] * pair.y[at]);
      std::sort(products.begin(), products.end(),
                [](double a, double b) { return std::abs(a) > std::abs(b); });
      EXPECT_EQ(products[0] + products[1], 0) << "seed " << seed;
    }
}

// A sum that overflows in one order does not in another, or does in all.
TEST_P(RandomData, OverflowingDataOverflow) {
  const double most = spec::is_f32(GetParam()) ? 0x1p127 : 0x1p1023;
  int overflow = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Pair pair = filled(Data::overflowing, GetParam(), seed);
    double sum = 0;
    bool seen = false;
    for (std::size_t k = 0; k < kCount; ++k) {
      EXPECT_TRUE(std::isfinite(pair.x[k]) && std::isfinite(pair.y[k]));
      sum += pair.x[k] * pair.y[k];
      seen = seen || std::abs(sum) >= most;
    }
    overflow += seen ? 1 : 0;
  }
  EXPECT_GT(overflow, 20);
}

INSTANTIATE_TEST_SUITE_P(Types, RandomData, ::testing::Values(spec::Type::f32, spec::Type::f64),
                         [](const auto& info) { return spec::is_f32(info.param) ? "f32" : "f64"; });

}  // namespace
}  // namespace reprosum::reveal
