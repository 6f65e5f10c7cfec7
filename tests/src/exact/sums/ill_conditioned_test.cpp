// Dot products of a wanted condition number, after Ogita, Rump and Oishi, "Accurate sum and dot
// product" (SIAM J. Sci. Comput. 26, 2005), algorithm 6.1: half of the terms spread over the
// exponents, the other half each take away what the sum has so far. The condition number
// 2 sum |x_i y_i| / |sum x_i y_i| that came out is computed by MPFR and must be the wanted one
// within a factor of 10.
#include <algorithm>
#include <cmath>

#include "tests/src/exact/sums/reduce_cases.h"

namespace reprosum::exact::testing {
namespace {

template <class T>
Terms<T> ill_conditioned(int log2_condition, std::size_t n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const int half = log2_condition / 2;
  const auto scaled = [&](int exponent) {
    return static_cast<T>(std::ldexp(uniform(random), exponent));
  };
  Terms<T> terms;
  Referee referee;
  const auto push = [&](T x, T y) {
    terms.x.push_back(x);
    terms.y.push_back(y);
    referee.add_product(x, y);
  };
  for (std::size_t i = 0; i < n / 2; ++i) {
    const int e = i == 0 ? half : i == 1 ? 0 : static_cast<int>(random() % (half + 1u));
    push(scaled(e), scaled(e));
  }
  for (std::size_t i = n / 2; i < n; ++i) {
    const double left = static_cast<double>(n - 1 - i) / static_cast<double>(n - 1 - n / 2);
    const int e = static_cast<int>(std::lround(left * half));
    T x = scaled(e);
    if (x == 0) x = 1;
    const double target = static_cast<double>(scaled(e));
    push(x, static_cast<T>((target - referee.rounded<double>(Rounding::nearest_even)) / x));
  }
  for (std::size_t i = n; i > 1; --i) {
    const std::size_t k = random() % i;
    std::swap(terms.x[i - 1], terms.x[k]);
    std::swap(terms.y[i - 1], terms.y[k]);
  }
  return terms;
}

// log10 of the condition number.
template <class T>
double achieved(const Terms<T>& terms, const Referee& sum) {
  Referee absolute;
  for (std::size_t i = 0; i < terms.x.size(); ++i)
    absolute.add_product(std::abs(terms.x[i]), std::abs(terms.y[i]));
  if (mpfr_zero_p(sum.sum())) return 1e9;
  const auto log10 = [](mpfr_srcptr value) {
    long exponent = 0;
    const double fraction = mpfr_get_d_2exp(&exponent, value, MPFR_RNDN);
    return std::log10(2 * std::abs(fraction)) + (static_cast<double>(exponent) - 1) * std::log10(2);
  };
  return log10(absolute.sum()) - log10(sum.sum()) + std::log10(2);
}

template <class T>
void check_condition(int log10_condition, int rounds) {
  std::mt19937_64 random(static_cast<std::uint64_t>(log10_condition));
  const int log2_condition = static_cast<int>(std::lround(log10_condition * 3.32193));
  Referee referee;
  int found = 0;
  for (int attempt = 0; found < rounds; ++attempt) {
    ASSERT_LT(attempt, 100 * rounds) << "no dot products of condition 1e" << log10_condition;
    const Terms<T> terms = ill_conditioned<T>(log2_condition, 40 + random() % 300, random);
    const T wanted = referee_result(terms, true, referee);
    if (std::abs(achieved(terms, referee) - log10_condition) > 1) continue;
    ++found;
    const T got =
        dot(static_cast<std::int64_t>(terms.x.size()), terms.x.data(), 1, terms.y.data(), 1);
    ASSERT_EQ(bits(got), bits(wanted))
        << "condition 1e" << log10_condition << ", attempt " << attempt;
  }
  ASSERT_TRUE(referee.trustworthy());
}

TEST(IllConditioned, DotsOfDouble) {
  for (const int c : {8, 16, 32, 50, 100, 150, 200, 250, 300}) check_condition<double>(c, 100);
}
TEST(IllConditioned, DotsOfFloat) {
  for (const int c : {8, 16, 24, 32}) check_condition<float>(c, 100);
}

}  // namespace
}  // namespace reprosum::exact::testing
