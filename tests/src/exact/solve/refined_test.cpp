// Refined triangular solves against MPFR, step by step, and against the certified solution.
#include "src/exact/solve/refined.h"

#include <algorithm>
#include <cmath>

#include "src/exact/solve/certified.h"
#include "tests/src/exact/divider.h"
#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

// The routine's definition, every rounding by MPFR but x + d, which the processor rounds once.
template <class T>
class Slow {
 public:
  std::vector<T> solve(const Triangular<T>& system, const std::vector<T>& b, std::int64_t steps) {
    std::vector<T> x = substituted(system, b);
    for (std::int64_t step = 0; step < steps; ++step) {
      std::vector<T> r(b.size());
      for (std::int64_t i = 0; i < system.n; ++i) {
        start(b, i);
        for (std::int64_t j = 0; j < system.n; ++j) {
          if (system.lower ? j > i : j < i) continue;
          const T a = i == j && system.unit ? T(1) : system.a.at(i, j);
          referee_.add_product(-a, x[static_cast<std::size_t>(j)]);
        }
        r[static_cast<std::size_t>(i)] = referee_.rounded<T>(Rounding::nearest_even);
      }
      const std::vector<T> d = substituted(system, r);
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] += d[i];
        if (std::isnan(x[i])) x[i] = std::numeric_limits<T>::quiet_NaN();
      }
    }
    return x;
  }
  bool trustworthy() const { return referee_.trustworthy(); }

 private:
  void start(const std::vector<T>& b, std::int64_t i) {
    referee_.clear();
    referee_.add(b[static_cast<std::size_t>(i)]);
  }
  std::vector<T> substituted(const Triangular<T>& system, const std::vector<T>& b) {
    std::vector<T> x(b.size());
    for (std::int64_t step = 0; step < system.n; ++step) {
      const std::int64_t i = system.lower ? step : system.n - 1 - step;
      start(b, i);
      for (std::int64_t j = 0; j < system.n; ++j) {
        if (system.lower ? j >= i : j <= i) continue;
        referee_.add_product(-system.a.at(i, j), x[static_cast<std::size_t>(j)]);
      }
      x[static_cast<std::size_t>(i)] = system.unit ? referee_.rounded<T>(Rounding::nearest_even)
                                                   : divide_(referee_, system.a.at(i, i));
    }
    return x;
  }
  Referee referee_;
  Divider<T> divide_;
};

template <class T>
void check(std::uint64_t seed, std::int64_t cases) {
  std::mt19937_64 random(seed);
  Slow<T> slow;
  Mismatches mismatches;
  const auto kernels = all_kernels();
  for (std::size_t turn = 0; mismatches.done() < cases && !mismatches.too_many(); ++turn) {
    for (const Kind kind : kKinds) {
      const auto n = 1 + static_cast<std::int64_t>(random() % (random() % 16 == 0 ? 40 : 12));
      const std::vector<T> a = entries<T>(kind, static_cast<std::size_t>(n * n), random);
      const std::vector<T> b = entries<T>(kind, static_cast<std::size_t>(n), random);
      const View<const T> by_columns{a.data(), 1, n};
      const Triangular<T> system{n, random() % 2 != 0 ? by_columns : by_columns.transposed(),
                                 random() % 2 != 0, random() % 3 == 0};
      const auto steps = static_cast<std::int64_t>(random() % 4);
      const std::vector<T> wanted = slow.solve(system, b, steps);
      std::vector<T> x(static_cast<std::size_t>(2 * n), T(7));
      for (std::size_t i = 0; i < b.size(); ++i) x[2 * i] = b[i];
      const Kernels* const with = kernels[turn % kernels.size()];
      solve_refined<T>(with, system, {x.data(), 2, 0}, steps);
      for (std::size_t i = 0; i < b.size(); ++i) {
        ASSERT_EQ(x[2 * i + 1], T(7));
        mismatches.compare(x[2 * i], wanted[i], [&] {
          return std::string(name(kind)) + ", seed " + std::to_string(seed) + ", n " +
                 std::to_string(n) + ", steps " + std::to_string(steps) + ", " + name_of(with);
        });
      }
    }
  }
  EXPECT_TRUE(slow.trustworthy());
}
TEST(Refined, HasTheBitsOfItsDefinition) {
  check<float>(801, cases_or(60'000));
  check<double>(802, cases_or(60'000));
}

std::vector<double> refined(const Triangular<double>& system, std::vector<double> b,
                            std::int64_t steps) {
  solve_refined<double>(nullptr, system, {b.data(), 1, 0}, steps);
  return b;
}
std::vector<double> certified(const Triangular<double>& system, std::vector<double> b) {
  EXPECT_EQ(solve_certified<double>(nullptr, system, {b.data(), 1, 0}), "");
  return b;
}
// In last places, of the worst component.
double error(const std::vector<double>& x, const std::vector<double>& truth) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    most = std::max(most, std::fabs(x[i] - truth[i]) * 0x1p52 / std::fabs(truth[i]));
  return most;
}

// A solution of nearly all ones, of a triangle whose inverse grows: substitution is off by
// thousands of last places, and one step leaves one of them at most.
TEST(Refined, GainsWhileTheConditionAllows) {
  std::mt19937_64 random(803);
  std::uniform_real_distribution<double> uniform(1, 2);
  const std::int64_t n = 60;
  std::vector<double> a(static_cast<std::size_t>(n * n)), b(static_cast<std::size_t>(n), 0.0);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j; i < n; ++i) {
      const double sign = random() % 2 != 0 ? 0.75 : -0.75;
      const double v = i == j ? uniform(random) : sign * uniform(random);
      a[static_cast<std::size_t>(i + j * n)] = v;
      b[static_cast<std::size_t>(i)] += v;
    }
  }
  const Triangular<double> system{n, {a.data(), 1, n}, true, false};
  const std::vector<double> truth = certified(system, b);
  EXPECT_GT(error(refined(system, b, 0), truth), 1000);
  EXPECT_LE(error(refined(system, b, 1), truth), 1);
  std::vector<double> x = b;
  substitute<double>(nullptr, system, {x.data(), 1, 0});
  EXPECT_EQ(refined(system, b, 0), x);
}

// x = (e, 1 / 3, (1 + e) / 3, e / 3), and the last is the difference of the two before. A step
// finds the residuals 2^-54 and 2^-54 + e of those rounded to 1 / 3: their difference, if 53 bits
// hold the second one, else nothing, however many steps.
TEST(Refined, StopsGainingBeyondTwoPrecisions) {
  for (const int exponent : {-100, -130}) {
    const double e = std::ldexp(1, exponent);
    const std::vector<double> a = {1, 0, -1, 0, 0, 3, 0, 1, 0, 0, 3, -1, 0, 0, 0, 1};
    const std::vector<double> b = {e, 1, 1, 0};
    const Triangular<double> system{4, {a.data(), 1, 4}, true, false};
    const std::vector<double> truth = certified(system, b);
    EXPECT_EQ(truth[3], e / 3);
    EXPECT_EQ(refined(system, b, 0)[3], 0);
    const std::vector<double> x = refined(system, b, 5);
    if (exponent == -100)
      EXPECT_NEAR(x[3] / truth[3], 1, 0x1p-5);
    else
      EXPECT_EQ(x[3], 0);
  }
}

}  // namespace
}  // namespace reprosum::exact::testing
