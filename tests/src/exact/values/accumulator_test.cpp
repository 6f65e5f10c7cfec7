// The superaccumulator against MPFR: sums and products of every kind, four modes, both results.
#include "src/exact/values/accumulator.h"

#include <gtest/gtest.h>

#include "src/exact/sums/terms.h"
#include "src/exact/values/bytes.h"
#include "tests/src/exact/generators.h"
#include "tests/src/exact/referee.h"
#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

constexpr std::uint64_t kSeed = 20240611;

template <class T, class A>
void expect_rounded(const Accumulator<A>& sum, const Referee& referee, const char* what) {
  for (const Rounding mode : kModes) {
    const T wanted = referee.rounded<T>(mode), got = sum.template rounded<T>(mode);
    ASSERT_EQ(bits(got), bits(wanted)) << what << ", mode " << static_cast<int>(mode) << ": " << got
                                       << " where MPFR has " << wanted;
  }
}

template <class A>
std::vector<unsigned char> saved(const Accumulator<A>& sum) {
  std::vector<unsigned char> bytes(kSavedBytes<A>);
  save(sum, bytes.data());
  return bytes;
}

template <class A, class T>
void check(const Terms<T>& terms, Referee& referee, std::mt19937_64& random, const char* what) {
  const bool dot = !terms.y.empty();
  const auto n = static_cast<std::int64_t>(terms.x.size());
  referee.clear();
  Accumulator<A> one_by_one, parts[3], block;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    Accumulator<A>& part = parts[random() % 3];
    if (dot) {
      referee.add_product(terms.x[k], terms.y[k]);
      one_by_one.add_product(terms.x[k], terms.y[k]);
      part.add_product(terms.x[k], terms.y[k]);
    } else {
      referee.add(terms.x[k]);
      one_by_one.add(terms.x[k]);
      part.add(terms.x[k]);
    }
  }
  ASSERT_TRUE(referee.trustworthy());
  expect_rounded<float>(one_by_one, referee, what);
  expect_rounded<double>(one_by_one, referee, what);

  if (dot)
    add_products(block, n, terms.x.data(), 1, terms.y.data(), 1);
  else
    add_values(block, n, terms.x.data(), 1);
  Accumulator<A> merged, loaded;
  for (const Accumulator<A>& part : parts) ASSERT_TRUE(merged.merge(part));
  const std::vector<unsigned char> bytes = saved(one_by_one);
  ASSERT_EQ(saved(block), bytes) << what;
  ASSERT_EQ(saved(merged), bytes) << what;
  int type = -1;
  ASSERT_EQ(check_saved(bytes.data(), bytes.size(), &type), nullptr) << what;
  ASSERT_EQ(type, Format<A>::kDouble ? 1 : 0);
  load(bytes.data(), loaded);
  ASSERT_EQ(saved(loaded), bytes) << what;

  // Negated: toward the other side, and zero when merged with what it was.
  Accumulator<A> negated = one_by_one;
  negated.negate();
  const double down = negated.template rounded<double>(Rounding::downward);
  const double up = referee.rounded<double>(Rounding::upward);
  if (std::isnan(up) || (n == 0))
    ASSERT_EQ(std::isnan(down), std::isnan(up)) << what;
  else
    ASSERT_EQ(bits(down), bits(up == 0 ? down : -up)) << what;
  ASSERT_TRUE(negated.merge(one_by_one));
  ASSERT_TRUE(is_zero(negated.words())) << what;
}

// Compares each sum or dot product in four modes and both formats, until `cases` roundings were
// compared.
template <class A, class T>
void check_all(bool dot) {
  constexpr std::int64_t kRoundings = 2 * std::size(kModes);
  const std::uint64_t seed = dot ? kSeed + 1 : kSeed;
  std::mt19937_64 random(seed);
  Referee referee;
  ByKind compared;
  const std::int64_t cases = cases_or(264'000);
  std::int64_t done = 0;
  for (int round = 0; done < cases; ++round) {
    for (const Kind kind : kKinds) {
      const std::size_t n = round % 50 == 0 ? random() % 300 : random() % 9;
      check<A>(make_terms<T>(kind, n, dot, random), referee, random, name(kind));
      if (::testing::Test::HasFatalFailure()) {
        FAIL() << "seed " << seed << ", round " << round;
      }
      compared.add(kind, kRoundings);
      done += kRoundings;
    }
  }
  compared.record(seed);
}

TEST(Accumulator, SumsOfFloat) { check_all<float, float>(false); }
TEST(Accumulator, SumsOfDouble) { check_all<double, double>(false); }
TEST(Accumulator, ProductsOfFloat) { check_all<float, float>(true); }
TEST(Accumulator, ProductsOfDouble) { check_all<double, double>(true); }
TEST(Accumulator, FloatsInOneOfDouble) {
  check_all<double, float>(false);
  check_all<double, float>(true);
}

TEST(Accumulator, EmptyIsPlusZeroInEveryMode) {
  for (const Rounding mode : kModes)
    EXPECT_EQ(bits(Accumulator<float>().rounded<double>(mode)), 0u);
}

// The ends of the range: 2^64 of the largest products fit, and one doubling more is refused.
template <class A>
void check_carry_bits() {
  Accumulator<A> sum;
  const A largest = std::numeric_limits<A>::max();
  for (const A y : {largest, -largest}) {
    sum = {};
    sum.add_product(largest, y);
    for (int k = 0; k < 64; ++k) ASSERT_TRUE(sum.merge(sum)) << k;
    EXPECT_TRUE(std::isinf(sum.template rounded<A>(Rounding::nearest_even)));
    EXPECT_EQ(std::abs(sum.template rounded<A>(Rounding::toward_zero)), largest);
    const std::vector<unsigned char> before = saved(sum);
    ASSERT_FALSE(sum.merge(sum));
    EXPECT_EQ(saved(sum), before);
    Accumulator<A> opposite = sum;
    opposite.negate();
    ASSERT_TRUE(sum.merge(opposite));
    EXPECT_TRUE(is_zero(sum.words()));
  }
}
TEST(Accumulator, HoldsTwoToThe64LargestProducts) {
  check_carry_bits<float>();
  check_carry_bits<double>();
}

TEST(Bytes, DamagedOnesAreRefused) {
  Accumulator<double> sum;
  sum.add(1.5);
  std::vector<unsigned char> bytes = saved(sum);
  ASSERT_EQ(bytes.size(), 544u);
  EXPECT_EQ(saved(Accumulator<float>()).size(), 88u);
  int type = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(check_saved(bytes.data(), size, &type), nullptr) << size;
  for (std::size_t i = 0; i < 8; ++i) {  // every byte of the header matters
    std::vector<unsigned char> other = bytes;
    other[i] ^= 0x40;
    EXPECT_NE(check_saved(other.data(), other.size(), &type), nullptr) << i;
  }
  std::vector<unsigned char> no_terms = bytes;
  no_terms[6] = 0;
  EXPECT_NE(check_saved(no_terms.data(), no_terms.size(), &type), nullptr);
  std::vector<unsigned char> too_large = bytes;
  too_large.back() = 0x40;
  EXPECT_NE(check_saved(too_large.data(), too_large.size(), &type), nullptr);
  too_large.assign(bytes.size(), 0);
  std::copy_n(bytes.begin(), 8, too_large.begin());
  too_large.back() = 0x80;  // the one number without a negative
  EXPECT_NE(check_saved(too_large.data(), too_large.size(), &type), nullptr);
}

// The layout is a promise: 1.5 is 3 * 2^-1, that is bit 2147 and the one above.
TEST(Bytes, AreThoseOfTheReadme) {
  Accumulator<double> sum;
  sum.add(1.5);
  const std::vector<unsigned char> bytes = saved(sum);
  const unsigned char header[8] = {'R', 'S', 'A', 'C', 1, 1, 32, 0};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    unsigned wanted = i < 8 ? header[i] : 0;
    if (i == 8 + 2147 / 8) wanted = 1u << (2147 % 8) | 1u << (2148 % 8);
    EXPECT_EQ(bytes[i], wanted & 255) << i;
  }
}

}  // namespace
}  // namespace reprosum::exact::testing
