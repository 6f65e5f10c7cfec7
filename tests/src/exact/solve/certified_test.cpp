// Certified triangular solves against MPFR with more bits than the condition number takes away.
#include "src/exact/solve/certified.h"

#include <algorithm>

#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

// Substitution with `bits` bits; with the condition numbers of these tests its error is far below
// 2^-400 times a component, so that only a result within that of a middle could be misjudged.
class WideSolver {
 public:
  explicit WideSolver(mpfr_prec_t bits) : bits_(bits) {
    mpfr_init2(sum_, bits);
    mpfr_init2(term_, bits);
  }
  ~WideSolver() {
    mpfr_clear(sum_);
    mpfr_clear(term_);
    for (auto& one : x_) mpfr_clear(one.value);
  }
  WideSolver(const WideSolver&) = delete;
  WideSolver& operator=(const WideSolver&) = delete;

  template <class T>
  std::vector<T> solve(const Triangular<T>& system, const std::vector<T>& b) {
    while (x_.size() < b.size()) mpfr_init2(x_.emplace_back().value, bits_);
    std::vector<T> rounded(b.size());
    for (std::int64_t step = 0; step < system.n; ++step) {
      const std::int64_t i = row(system, step);
      mpfr_set_d(sum_, b[static_cast<std::size_t>(i)], MPFR_RNDN);
      for (std::int64_t before = 0; before < step; ++before) {
        const std::int64_t j = row(system, before);
        mpfr_mul_d(term_, at(j), system.a.at(i, j), MPFR_RNDN);
        mpfr_sub(sum_, sum_, term_, MPFR_RNDN);
      }
      if (system.unit)
        mpfr_set(at(i), sum_, MPFR_RNDN);
      else
        mpfr_div_d(at(i), sum_, system.a.at(i, i), MPFR_RNDN);
      T& out = rounded[static_cast<std::size_t>(i)];
      out = sizeof(T) == 8 ? static_cast<T>(mpfr_get_d(at(i), MPFR_RNDN))
                           : static_cast<T>(mpfr_get_flt(at(i), MPFR_RNDN));
    }
    return rounded;
  }

  // What the last row's sum leaves to component `column` for its own value to be zero, as a
  // coefficient; after a solve.
  double left_over(const Triangular<double>& system, const std::vector<double>& b,
                   std::int64_t column) {
    const std::int64_t last = system.n - 1;
    mpfr_set_d(sum_, b.back(), MPFR_RNDN);
    for (std::int64_t j = 0; j < column; ++j) {
      mpfr_mul_d(term_, at(j), system.a.at(last, j), MPFR_RNDN);
      mpfr_sub(sum_, sum_, term_, MPFR_RNDN);
    }
    mpfr_div(term_, sum_, at(column), MPFR_RNDN);
    return mpfr_get_d(term_, MPFR_RNDN);
  }

  // The condition of the last component.
  double log10_condition(const Triangular<double>& system) {
    const std::int64_t last = system.n - 1;
    mpfr_set_zero(sum_, 1);
    for (std::int64_t j = 0; j < last; ++j) {
      mpfr_mul_d(term_, at(j), system.a.at(last, j), MPFR_RNDN);
      mpfr_abs(term_, term_, MPFR_RNDN);
      mpfr_add(sum_, sum_, term_, MPFR_RNDN);
    }
    mpfr_mul_d(term_, at(last), system.a.at(last, last), MPFR_RNDN);
    mpfr_div(sum_, sum_, term_, MPFR_RNDN);
    mpfr_abs(sum_, sum_, MPFR_RNDN);
    mpfr_log10(sum_, sum_, MPFR_RNDN);
    return mpfr_get_d(sum_, MPFR_RNDN);
  }

 private:
  struct Held {
    mpfr_t value;
  };
  template <class T>
  static std::int64_t row(const Triangular<T>& system, std::int64_t step) {
    return system.lower ? step : system.n - 1 - step;
  }
  mpfr_ptr at(std::int64_t i) { return x_[static_cast<std::size_t>(i)].value; }

  const mpfr_prec_t bits_;
  mpfr_t sum_, term_;
  std::vector<Held> x_;
};

template <class T>
struct Problem {
  std::vector<T> a, b;
  Triangular<T> system;
};

// Random triangles whose growth makes the condition number, some 2^growth a row.
template <class T>
Problem<T> random_problem(std::int64_t n, int growth, std::mt19937_64& random) {
  Problem<T> p;
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::int64_t i = 0; i < n * n; ++i) p.a.push_back(static_cast<T>(uniform(random)));
  for (std::int64_t i = 0; i < n; ++i) {
    T& diagonal = p.a[static_cast<std::size_t>(i * (n + 1))];
    const int e = growth == 0 ? 0 : -static_cast<int>(random() % static_cast<unsigned>(growth + 1));
    diagonal = std::ldexp(diagonal < 0 ? diagonal - 1 : diagonal + 1, e);
    p.b.push_back(static_cast<T>(uniform(random)));
  }
  const View<const T> columns{p.a.data(), 1, n};
  p.system = {n, random() % 2 != 0 ? columns : columns.transposed(), random() % 2 != 0,
              random() % 4 == 0};
  return p;
}

template <class T>
void check_random(std::uint64_t seed, std::int64_t cases) {
  std::mt19937_64 random(seed);
  WideSolver referee(3000);
  Mismatches mismatches;
  std::int64_t plain_wrong = 0;
  const auto kernels = all_kernels();
  std::size_t turn = 0;
  while (mismatches.done() < cases && !mismatches.too_many()) {
    const auto n = 1 + static_cast<std::int64_t>(random() % (random() % 16 == 0 ? 60 : 12));
    const int growth = static_cast<int>(random() % 12);
    Problem<T> p = random_problem<T>(n, growth, random);
    const std::vector<T> wanted = referee.solve(p.system, p.b);
    std::vector<T> x = p.b, plain = p.b;
    const Kernels* const with = kernels[turn++ % kernels.size()];
    ASSERT_EQ(solve_certified<T>(with, p.system, {x.data(), 1, 0}), "");
    substitute<T>(nullptr, p.system, {plain.data(), 1, 0});
    for (std::size_t i = 0; i < x.size(); ++i) {
      plain_wrong += bits(plain[i]) != bits(wanted[i]);
      mismatches.compare(x[i], wanted[i], [&] {
        return "seed " + std::to_string(seed) + ", n " + std::to_string(n) + ", component " +
               std::to_string(i);
      });
    }
  }
  EXPECT_GT(plain_wrong, mismatches.done() / 20);  // substitution alone would not do
}
TEST(Certified, RandomSystems) {
  check_random<float>(501, cases_or(60000));
  check_random<double>(502, cases_or(60000));
}

// Systems whose last component has a condition number of 10^60 and more: its row takes away its own
// sum, 53 bits with each coefficient. The condition, the sum of |a_ij x_j| over |a_ii x_i|, is
// computed by MPFR.
TEST(Certified, IllConditioned) {
  std::mt19937_64 random(503);
  WideSolver referee(6000);
  double least = 1e9, most = 0;
  for (int round = 0; round < 60; ++round) {
    const std::int64_t n = 10 + round;
    Problem<double> p = random_problem<double>(n, 3, random);
    p.system = {n, {p.a.data(), 1, n}, true, false};
    referee.solve(p.system, p.b);
    for (int taken = 0; taken < 4 + round % 16; ++taken) {
      // a_nj := RN(remaining right side / x_j); the elements after it in this row are zero.
      double& next = p.a[static_cast<std::size_t>(n - 1 + (taken % (n - 1)) * n)];
      for (std::int64_t j = taken; j < n - 1; ++j) p.a[static_cast<std::size_t>(n - 1 + j * n)] = 0;
      if (taken >= n - 1) break;
      next = referee.left_over(p.system, p.b, taken);
    }
    std::vector<double> x = p.b;
    const std::vector<double> wanted = referee.solve(p.system, p.b);
    const double condition = referee.log10_condition(p.system);
    least = std::min(least, condition);
    most = std::max(most, condition);
    ASSERT_EQ(solve_certified<double>(all_kernels().back(), p.system, {x.data(), 1, 0}), "");
    EXPECT_EQ(x, wanted) << "seed 503, round " << round << ", condition 10^" << condition;
  }
  EXPECT_GT(least, 45);
  EXPECT_GT(most, 60);
  RecordProperty("log10_of_most", std::to_string(most));
}

// Ties and their neighbours, exact zeros after inexact components, subnormals, overflow.
TEST(Certified, TiesAndZeros) {
  const auto solve = [](std::vector<double> a, std::vector<double> b, bool unit = false) {
    const auto n = static_cast<std::int64_t>(b.size());
    const Triangular<double> system{n, {a.data(), n, 1}, true, unit};
    EXPECT_EQ(solve_certified<double>(all_kernels().back(), system, {b.data(), 1, 0}), "");
    return b;
  };
  // x_1 = x_0 (1 + 2^-53) with x_0 = 1: half way; and a hair above and below it.
  EXPECT_EQ(solve({1, 0, -0x1p-53, 1}, {1, 1})[1], 1);
  EXPECT_EQ(solve({1, 0, -0x1p-53, 1}, {1 + 0x1p-52, 1})[1], 1 + 0x1p-52);
  EXPECT_EQ(solve({1, 0, -0x1p-53, 1}, {1 - 0x1p-53, 1})[1], 1);
  EXPECT_EQ(solve({1, 0, -0x1p-53, 1}, {1, 1 + 0x1p-52})[1], 1 + 0x1p-51);
  // The same tie made of thirds: x_0 = 1/3, x_1 = 3 x_0 2^-53 + 1.
  EXPECT_EQ(solve({3, 0, -3 * 0x1p-53, 1}, {1, 1})[1], 1);
  EXPECT_EQ(solve({3, 0, -3 * 0x1p-53, 1}, {1, 1 + 0x1p-52})[1], 1 + 0x1p-51);
  // x_2 = x_0 - x_1 = 0, with x_0 = x_1 = 1/3 known only in part.
  const std::vector<double> zero = solve({3, 0, 0, 0, 3, 0, -1, 1, 1}, {1, 1, 0});
  EXPECT_EQ(bits(zero[2]), bits(0.0));
  // It stays zero in what follows, and a tiny rest keeps its sign.
  EXPECT_EQ(solve({3, 0, 0, 0, 3, 0, -1, 1, 1}, {1, 1, -0x1p-1074})[2], -0x1p-1074);
  EXPECT_EQ(bits(solve({0x1p100, 0, -1, 0x1p1000}, {-0x1p-1000, 0})[1]), bits(-0.0));
  // 2^-1075 is half the smallest number: even is zero; three times that is not.
  EXPECT_EQ(bits(solve({0x1p60}, {0x1p-1015})[0]), bits(0.0));
  EXPECT_EQ(solve({0x1p60}, {3 * 0x1p-1015})[0], 0x1p-1073);
  // Beyond the finite numbers and back.
  const std::vector<double> large = solve({0x1p-1000, 0, -1, 0x1p1000}, {0x1p1000, 0});
  EXPECT_TRUE(std::isinf(large[0]));
  EXPECT_EQ(large[1], 0x1p1000);
  // The middle between the largest number and 2^1024 is infinite, anything below it is not.
  EXPECT_TRUE(std::isinf(solve({0.5}, {0x1p1023 - 0x1p969})[0]));
  EXPECT_EQ(solve({0.5}, {std::nextafter(0x1p1023 - 0x1p969, 0)})[0],
            std::numeric_limits<double>::max());
}

// Whole numbers: all is exact, and the solution comes back.
TEST(Certified, WholeNumbers) {
  std::mt19937_64 random(504);
  for (int round = 0; round < 300; ++round) {
    const auto n = 1 + static_cast<std::int64_t>(random() % 30);
    std::vector<double> a(static_cast<std::size_t>(n * n)), x, b(static_cast<std::size_t>(n), 0);
    for (double& v : a) v = static_cast<double>(random() % 19) - 9;
    for (std::int64_t i = 0; i < n; ++i) {
      a[static_cast<std::size_t>(i * (n + 1))] = 1 + static_cast<double>(random() % 9);
      x.push_back(static_cast<double>(random() % 1000) - 500);
    }
    const Triangular<double> system{n, {a.data(), 1, n}, round % 2 == 0, false};
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        if (system.lower ? j <= i : j >= i)
          b[static_cast<std::size_t>(i)] += system.a.at(i, j) * x[static_cast<std::size_t>(j)];
    ASSERT_EQ(solve_certified<double>(all_kernels().back(), system, {b.data(), 1, 0}), "");
    ASSERT_EQ(b, x) << "seed 504, round " << round;
  }
}

TEST(Certified, WithoutASolution) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> a = {1, nan, 2, 0}, b = {1, nan};
  const Triangular<double> lower{2, {a.data(), 2, 1}, true, false};
  const Triangular<double> upper{2, {a.data(), 2, 1}, false, true};
  EXPECT_NE(solve_certified<double>(all_kernels().back(), lower, {b.data(), 1, 0})
                .find("2 of the right side"),
            std::string::npos);
  b[1] = 1;
  EXPECT_NE(solve_certified<double>(all_kernels().back(), lower, {b.data(), 1, 0})
                .find("2 of the diagonal is zero"),
            std::string::npos);
  EXPECT_NE(solve_certified<double>(all_kernels().back(), upper, {b.data(), 1, 0}).find("row 1"),
            std::string::npos);
  EXPECT_EQ(b, (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace reprosum::exact::testing
