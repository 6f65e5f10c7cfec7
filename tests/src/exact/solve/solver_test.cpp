// trsv, getrf and getrs against MPFR, step by step: each rounded result goes into the next exact
// sum.
#include <algorithm>
#include <numeric>

#include "src/exact/factor/factor.h"
#include "src/exact/solve/triangular.h"
#include "tests/src/exact/divider.h"
#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

template <class T>
void check_trsv(std::uint64_t seed, std::int64_t cases, std::int64_t most) {
  std::mt19937_64 random(seed);
  Referee referee;
  Divider<T> divide;
  Mismatches mismatches;
  const auto kernels = all_kernels();
  for (std::size_t turn = 0; mismatches.done() < cases && !mismatches.too_many(); ++turn) {
    for (const Kind kind : kKinds) {
      const auto n = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
      const std::vector<T> a = entries<T>(kind, static_cast<std::size_t>(n * n), random);
      std::vector<T> b = entries<T>(kind, static_cast<std::size_t>(n), random);
      const View<const T> by_columns{a.data(), 1, n};
      const Triangular<T> system{n, random() % 2 != 0 ? by_columns : by_columns.transposed(),
                                 random() % 2 != 0, random() % 3 == 0};
      if (random() % 4 == 0) {  // a sum that cancels, or nearly
        const std::int64_t last = system.lower ? n - 1 : 0;
        std::vector<T> x = b;
        substitute<T>(nullptr, system, {x.data(), 1, 0});
        const T s =
            x[static_cast<std::size_t>(last)] * (system.unit ? T(1) : system.a.at(last, last));
        if (std::isfinite(s)) b[static_cast<std::size_t>(last)] -= s;
      }
      std::vector<T> x = b;
      const Kernels* const with = kernels[turn % kernels.size()];
      substitute<T>(with, system, {x.data(), 1, 0});
      for (std::int64_t step = 0; step < n; ++step) {
        const std::int64_t i = system.lower ? step : n - 1 - step;
        const std::int64_t solved = system.lower ? 0 : i + 1;
        referee.clear();
        referee.add(b[static_cast<std::size_t>(i)]);
        for (std::int64_t j = solved; j < solved + step; ++j)
          referee.add_product(-system.a.at(i, j), x[static_cast<std::size_t>(j)]);
        const T wanted = system.unit ? referee.rounded<T>(Rounding::nearest_even)
                                     : divide(referee, system.a.at(i, i));
        mismatches.compare(x[static_cast<std::size_t>(i)], wanted, [&] {
          return std::string(name(kind)) + ", seed " + std::to_string(seed) + ", n " +
                 std::to_string(n) + ", step " + std::to_string(step) + ", " + name_of(with);
        });
      }
    }
  }
  EXPECT_TRUE(referee.trustworthy());
}
TEST(Solvers, Trsv) {
  check_trsv<float>(401, cases_or(200000), 12);
  check_trsv<double>(402, cases_or(200000), 12);
  check_trsv<float>(403, 3000, 90);
  check_trsv<double>(404, 3000, 90);
}

// Follows the pivots that `factor` took and checks that each was the right one.
template <class T>
void check_getrf(std::uint64_t seed, std::int64_t cases, std::int64_t most) {
  std::mt19937_64 random(seed);
  Referee referee;
  Divider<T> divide;
  Mismatches mismatches;
  const auto kernels = all_kernels();
  for (std::size_t turn = 0; mismatches.done() < cases && !mismatches.too_many(); ++turn) {
    for (const Kind kind : kKinds) {
      const auto draw = [&] {
        return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
      };
      const std::int64_t m = draw(), n = draw(), lda = m + 1;
      std::vector<T> a = entries<T>(kind, static_cast<std::size_t>(lda * n), random);
      if (random() % 4 == 0 && n > 1)  // two columns alike: zero or tiny pivots
        std::copy_n(a.begin(), lda, a.begin() + lda);
      std::vector<T> before = a;
      std::vector<std::int64_t> pivots(static_cast<std::size_t>(std::min(m, n)), -1);
      const Kernels* const with = kernels[turn % kernels.size()];
      const std::int64_t info = factor<T>(with, m, n, {a.data(), 1, lda}, pivots.data(), 1);
      const View<const T> lu{a.data(), 1, lda};
      const View<T> start{before.data(), 1, lda};
      std::vector<std::int64_t> row(static_cast<std::size_t>(m));  // of `before`, of row i of lu
      std::iota(row.begin(), row.end(), 0);
      for (std::size_t j = 0; j < pivots.size(); ++j) {
        ASSERT_GE(pivots[j], static_cast<std::int64_t>(j) + 1);
        ASSERT_LE(pivots[j], m);
        std::swap(row[j], row[static_cast<std::size_t>(pivots[j] - 1)]);
      }
      std::int64_t singular = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        std::vector<T> rounded(static_cast<std::size_t>(m));
        for (std::int64_t i = 0; i < m; ++i) {
          referee.clear();
          referee.add(start.at(row[static_cast<std::size_t>(i)], j));
          for (std::int64_t k = 0; k < std::min(i, j); ++k)
            referee.add_product(-lu.at(i, k), lu.at(k, j));
          rounded[static_cast<std::size_t>(i)] = referee.rounded<T>(Rounding::nearest_even);
          const bool divided = i > j && j < m && lu.at(j, j) != 0;
          const T wanted =
              divided ? divide(referee, lu.at(j, j)) : rounded[static_cast<std::size_t>(i)];
          mismatches.compare(lu.at(i, j), wanted, [&] {
            return std::string(name(kind)) + ", seed " + std::to_string(seed) + ", " +
                   std::to_string(m) + " x " + std::to_string(n) + ", entry " + std::to_string(i) +
                   ", " + std::to_string(j) + ", " + name_of(with);
          });
        }
        if (j >= m) continue;
        const T pivot = std::fabs(rounded[static_cast<std::size_t>(j)]);
        for (std::int64_t i = j + 1; i < m && std::isfinite(pivot); ++i)
          ASSERT_FALSE(std::fabs(rounded[static_cast<std::size_t>(i)]) > pivot) << "pivot " << j;
        if (lu.at(j, j) == 0 && singular == 0) singular = j + 1;
      }
      ASSERT_EQ(info, singular);
      for (std::int64_t j = 0; j < n; ++j)
        ASSERT_EQ(bits(a[static_cast<std::size_t>(m + j * lda)]),
                  bits(before[static_cast<std::size_t>(m + j * lda)]));
    }
  }
  EXPECT_TRUE(referee.trustworthy());
}
TEST(Solvers, Getrf) {
  check_getrf<float>(405, cases_or(200000), 8);
  check_getrf<double>(406, cases_or(200000), 8);
  check_getrf<float>(407, 4000, 40);
  check_getrf<double>(408, 4000, 40);
}

// The first of equal candidates is the pivot.
TEST(Solvers, FirstOfEqualPivots) {
  double a[6] = {1, -2, 2, 1, 1, 1};
  std::int64_t pivots[2];
  EXPECT_EQ(factor<double>(nullptr, 3, 2, {a, 1, 3}, pivots, 1), 0);
  EXPECT_EQ(pivots[0], 2);
  EXPECT_EQ(pivots[1], 3);  // 1 + 0.5 beside 1 + 1
}

// A x = b with small integers: every step is exact, so x comes back.
TEST(Solvers, GetrsInBothTransposes) {
  std::mt19937_64 random(409);
  for (const bool transposed : {false, true}) {
    for (int round = 0; round < 200; ++round) {
      const auto n = 1 + static_cast<std::int64_t>(random() % 9), columns = std::int64_t{3};
      const auto at = [n](std::int64_t i, std::int64_t j) {
        return static_cast<std::size_t>(i + j * n);
      };
      std::vector<double> lu(static_cast<std::size_t>(n * n)), x(static_cast<std::size_t>(n * 3));
      for (double& v : lu) v = static_cast<double>(random() % 7) - 3;
      for (double& v : x) v = static_cast<double>(random() % 19) - 9;
      for (std::int64_t i = 0; i < n; ++i) lu[at(i, i)] = std::ldexp(1, int(random() % 3));
      std::vector<std::int64_t> pivots;
      for (std::int64_t i = 0; i < n; ++i)
        pivots.push_back(1 + i + static_cast<std::int64_t>(random() % std::uint64_t(n - i)));
      std::vector<double> a(lu.size(), 0);  // P' L U
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t k = 0; k <= std::min(i, j); ++k)
            a[at(i, j)] += (k == i ? 1 : lu[at(i, k)]) * lu[at(k, j)];
      for (std::int64_t i = n; i-- > 0;)
        for (std::int64_t j = 0; j < n; ++j)
          std::swap(a[at(i, j)], a[at(pivots[static_cast<std::size_t>(i)] - 1, j)]);
      std::vector<double> b(x.size(), 0);
      for (std::int64_t c = 0; c < columns; ++c)
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < n; ++j)
            b[at(i, c)] += (transposed ? a[at(j, i)] : a[at(i, j)]) * x[at(j, c)];
      solve_factored<double>(all_kernels().back(), transposed, n, {lu.data(), 1, n}, pivots.data(),
                             columns, {b.data(), 1, n}, 1 + round % 2);
      EXPECT_EQ(b, x) << "transposed " << transposed << ", round " << round << ", seed 409";
    }
  }
}

}  // namespace
}  // namespace reprosum::exact::testing
