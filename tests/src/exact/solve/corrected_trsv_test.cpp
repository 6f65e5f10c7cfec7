// Certified triangular solves that pairs leave open: residuals against exact ones, and solutions
// against balls.
#include <cmath>

#include "src/exact/machine/fast_counts.h"
#include "src/exact/solve/certified.h"
#include "src/exact/solve/fast_trsv.h"
#include "src/exact/solve/residuals.h"
#include "src/exact/solve/solve_kernels.h"
#include "src/exact/sums/terms.h"
#include "src/exact/values/nearest.h"
#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

const ResidualKernel<double>& loops_of(const SolveKernels& loops, double) { return loops.residual; }
const ResidualKernel<float>& loops_of(const SolveKernels& loops, float) {
  return loops.float_residual;
}

template <class T>
struct Problem {
  std::vector<T> a, b;
  Triangular<T> system;
};

// Rows whose elements off the diagonal have a norm of about `size`, up to 2^scale times that.
template <class T>
Problem<T> problem(std::int64_t n, double size, int scale, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Problem<T> p;
  p.a.resize(static_cast<std::size_t>(n * n));
  const bool by_rows = random() % 2 != 0;
  const View<T> a{p.a.data(), by_rows ? n : 1, by_rows ? 1 : n};
  p.system = {n, {a.first, a.row, a.column}, random() % 2 != 0, random() % 4 == 0};
  for (std::int64_t i = 0; i < n; ++i) {
    const auto drawn = static_cast<int>(random() % static_cast<unsigned>(scale + 1));
    const int e = p.system.unit ? 0 : drawn;
    for (std::int64_t j = 0; j < n; ++j) {
      const double x = normal(random);
      const double v = i == j ? 1 + std::fabs(x) : x * size / std::sqrt(static_cast<double>(n));
      a.at(i, j) = static_cast<T>(std::ldexp(v, e));
    }
    p.b.push_back(static_cast<T>(std::ldexp(normal(random), e)));
  }
  return p;
}

// X is a solution to twice the bits of a double, so that next to nothing of a sum is left, or any
// numbers.
template <class T>
void check_residuals(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const std::int64_t sizes[] = {1, 3, 7, 8, 9, 15, 17, 40, 63, 129, 300, 777};
  std::int64_t inexact = 0;
  for (int round = 0; round < 4; ++round) {
    for (const std::int64_t n : sizes) {
      const Problem<T> p = problem<T>(n, 0.5, round == 2 ? 60 : 0, random);
      const auto length = static_cast<std::size_t>(n + 16);
      std::vector<double> x1(length), x2(length), bounds(length);
      for (std::int64_t step = 0; step < n; ++step) {
        const std::int64_t i = p.system.lower ? step : n - 1 - step;
        const auto at = static_cast<std::size_t>(i);
        double sum_of_both;
        Accumulator<double> sum;
        sum.add(static_cast<double>(p.b[at]));
        for (std::int64_t before = 0; before < step; ++before) {
          const std::int64_t j = p.system.lower ? before : n - 1 - before;
          const auto other = static_cast<std::size_t>(j);
          const double a = static_cast<double>(p.system.a.at(i, j));
          sum.add_product(a, x1[other]);
          sum.add_product(a, x2[other]);
          bounds[at] += std::fabs(a * x1[other]) * (1 + 0x1p-40);
        }
        const double diagonal = p.system.unit ? 1 : static_cast<double>(p.system.a.at(i, i));
        x1[at] = -sum.rounded<double>(Rounding::nearest_even) / diagonal;
        if (round == 3) x1[at] = normal(random);
        sum.add_product(diagonal, x1[at]);
        x2[at] = -sum.rounded<double>(Rounding::nearest_even) / diagonal;
        if (round == 3) x2[at] = x1[at] * std::ldexp(normal(random), -56);
        two_sum(x1[at], x2[at], sum_of_both, x2[at]);
        x1[at] = sum_of_both;
      }
      for (const Kernels* kernels : kernels_of_this_host()) {
        const SolveKernels* const loops = solve_kernels(kernels->lanes);
        std::vector<double> memory(4 * length), residual(length), off(length);
        residuals_of<T>(kernels, loops_of(*loops, T()), p.system, {p.b.data(), 1, 0},
                        {x1.data(), x2.data(), bounds.data()}, memory.data(), residual.data(),
                        off.data());
        for (std::int64_t i = 0; i < n; ++i) {
          const auto at = static_cast<std::size_t>(i);
          Accumulator<double> sum;
          sum.add(static_cast<double>(p.b[at]));
          for (std::int64_t j = 0; j < n; ++j) {
            if (p.system.lower ? j > i : j < i) continue;
            const bool one = p.system.unit && i == j;
            const double a = one ? 1 : static_cast<double>(p.system.a.at(i, j));
            sum.add_product(a, x1[static_cast<std::size_t>(j)]);
            sum.add_product(a, x2[static_cast<std::size_t>(j)]);
          }
          sum.add(-residual[at]);
          const double error = std::fabs(sum.rounded<double>(Rounding::nearest_even));
          inexact += error > std::fabs(residual[at]) * 0x1p-50;
          // Not so wide either that it would be of no use.
          ASSERT_LE(error, off[at])
              << "seed " << seed << ", n " << n << ", row " << i << ", " << kernels->name;
          EXPECT_LE(off[at], (bounds[at] + std::fabs(static_cast<double>(p.b[at]))) * 0x1p-100 +
                                 std::fabs(residual[at]) * 0x1p-50)
              << "n " << n << ", row " << i;
        }
      }
    }
  }
  EXPECT_TRUE(inexact > 0 || kernels_of_this_host().empty());
}
TEST(Residuals, LieWithinTheirBounds) {
  check_residuals<double>(811);
  check_residuals<float>(812);
}

// A premise that does not hold leaves no bound.
TEST(Residuals, BeyondTheirRange) {
  for (const Kernels* kernels : kernels_of_this_host()) {
    const SolveKernels* const loops = solve_kernels(kernels->lanes);
    const std::vector<double> a = {0x1p950}, b = {1};
    std::vector<double> x1(17), x2(17), bounds(17), memory(68), residual(17), off(17);
    x1[0] = -1;
    const Triangular<double> system{1, {a.data(), 1, 1}, true, false};
    residuals_of<double>(kernels, loops->residual, system, {b.data(), 1, 0},
                         {x1.data(), x2.data(), bounds.data()}, memory.data(), residual.data(),
                         off.data());
    EXPECT_TRUE(std::isnan(off[0]));
  }
}

// Bounds of errors that grow by 2^15 to 2^90: balls give the same, and those that grow less do not
// need them.
template <class T>
void check_growing(std::uint64_t seed, std::int64_t components) {
  std::mt19937_64 random(seed);
  Mismatches mismatches;
  const FastCounts before = fast_counts();
  while (mismatches.done() < components && !mismatches.too_many()) {
    const std::int64_t n = random() % 8 == 0 ? 1024 : 9 + static_cast<std::int64_t>(random() % 250);
    const double size = std::ldexp(0.5, static_cast<int>(random() % 8)) * (n == 1024 ? 0.75 : 1);
    const Problem<T> p = problem<T>(n, size, random() % 3 == 0 ? 20 : 0, random);
    std::vector<T> wanted = p.b;
    ASSERT_EQ(solve_certified<T>(nullptr, p.system, {wanted.data(), 1, 0}), "");
    for (const Kernels* kernels : kernels_of_this_host()) {
      std::vector<T> x = p.b;
      const bool done = solve_certified_fast<T>(kernels, p.system, {x.data(), 1, 0});
      for (std::size_t i = 0; i < x.size(); ++i)
        mismatches.compare(x[i], done ? wanted[i] : p.b[i], [&] {
          return "seed " + std::to_string(seed) + ", n " + std::to_string(n) + ", size " +
                 std::to_string(size) + ", " + name_of(kernels);
        });
    }
    if (kernels_of_this_host().empty()) return;
  }
  EXPECT_GT(fast_counts().corrected - before.corrected, 0);
}
TEST(CorrectedSolves, HaveTheBitsOfBalls) {
  check_growing<float>(813, cases_or(30'000));
  check_growing<double>(814, cases_or(60'000));
}

// Elements of 1 / sqrt(n) at n = 1024: residuals settle what pairs leave, without balls.
TEST(CorrectedSolves, NeedNoBalls) {
  for (const Kernels* kernels : kernels_of_this_host()) {
    std::mt19937_64 random(815);
    const FastCounts before = fast_counts();
    for (int round = 0; round < 16; ++round) {
      Problem<double> p = problem<double>(1024, 0.65, 0, random);
      p.system.unit = round % 2 != 0;
      EXPECT_EQ(solve_certified<double>(kernels, p.system, {p.b.data(), 1, 0}), "");
    }
    EXPECT_EQ(fast_counts().balls - before.balls, 0) << kernels->name;
    EXPECT_GT(fast_counts().corrected - before.corrected, 0) << kernels->name;
  }
}

}  // namespace
}  // namespace reprosum::exact::testing
