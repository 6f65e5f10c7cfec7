// The fast ways of gemm and gemv against exact sums, on data made to break their bounds; and that
// they are taken.
#include "src/exact/products/fast_product.h"

#include <cmath>

#include "src/exact/entries/exact_entry.h"
#include "src/exact/machine/fast_counts.h"
#include "src/exact/products/product.h"
#include "src/exact/sums/total.h"
#include "tests/src/exact/matrix_cases.h"
#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

template <class T>
void check(std::uint64_t seed, std::int64_t entries) {
  std::mt19937_64 random(seed);
  Mismatches mismatches;
  const FastCounts before = fast_counts();
  while (mismatches.done() < entries && !mismatches.too_many()) {
    const auto size = [&](std::uint64_t below) {
      return 4 + static_cast<std::int64_t>(random() % below);
    };
    const std::int64_t m = size(random() % 4 == 0 ? 130 : 30), n = random() % 4 == 0 ? 1 : size(20),
                       k = size(random() % 4 == 0 ? 900 : 60);
    const std::vector<T> a = matrix<T>(m, k, random), b = matrix<T>(n, k, random);
    std::vector<T> c = matrix<T>(n, m, random), a_stored(a.size());
    const bool across = random() % 2 != 0;  // the other order in memory
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t l = 0; l < k; ++l)
        a_stored[static_cast<std::size_t>(across ? i + l * m : i * k + l)] =
            a[static_cast<std::size_t>(i * k + l)];
    const View<const T> va =
        across ? View<const T>{a_stored.data(), 1, m} : View<const T>{a_stored.data(), k, 1};
    const T scalars[] = {T(1), T(-1), T(0.5), T(0.3), T(-7.1)};
    const T alpha = scalars[random() % 5], beta = random() % 2 != 0 ? T(0) : scalars[random() % 5];
    const std::vector<T> start = c;
    for (const Kernels* kernels : kernels_of_this_host()) {
      c = start;
      const Product<T> call{m, n, k, alpha, va, {b.data(), 1, k}, beta, {c.data(), 1, m}};
      multiply(kernels, call, 1);
      std::vector<T> wanted = start;
      const Product<T> exact{m, n, k, alpha, va, {b.data(), 1, k}, beta, {wanted.data(), 1, m}};
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < m; ++i) {
          mismatches.compare(
              c[static_cast<std::size_t>(i + j * m)], exact_entry<T>(kernels, exact, i, j), [&] {
                return "seed " + std::to_string(seed) + ", " + name_of(kernels) + ", " +
                       std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
              });
        }
      }
    }
  }
  if (kernels_of_this_host().empty()) return;
  const FastCounts& after = fast_counts();
  EXPECT_GT(after.tried, before.tried);
  EXPECT_GT(after.settled, before.settled);
}
TEST(FastProducts, HaveTheBitsOfExactSums) {
  check<float>(601, cases_or(200'000));
  check<double>(602, cases_or(200'000));
}

// Entries beside the middle of two numbers, nearer than any bound: column 0 has ones last, and each
// row's last elements bring its sum there. Only exact sums can tell the side.
template <class T>
void check_near_ties(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Mismatches mismatches;
  constexpr int kDigits = std::numeric_limits<T>::digits;
  constexpr std::int64_t kLast = Format<T>::kDouble ? 2 : 4;
  for (int round = 0; round < 60; ++round) {
    const std::int64_t m = 40, n = round % 2 != 0 ? 1 : 5, k = 10 + 9 * round;
    std::vector<T> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(n * k));
    for (auto* v : {&a, &b})
      for (T& x : *v) x = static_cast<T>(normal(random));
    for (std::int64_t l = k - kLast; l < k; ++l) b[static_cast<std::size_t>(l)] = 1;
    for (std::int64_t i = 0; i < m; ++i) {
      Accumulator<double> sum =
          total_of_products<T>(nullptr, k - kLast, &a[static_cast<std::size_t>(i)], m, b.data(), 1);
      const T v = sum.template rounded<T>(Rounding::toward_zero);
      sum.negate();
      sum.add(v);
      sum.add(std::ldexp(std::copysign(T(1), v), std::ilogb(v) - kDigits));
      for (std::int64_t l = k - kLast; l < k; ++l) {
        T& last = a[static_cast<std::size_t>(i + l * m)];
        last = sum.template rounded<T>(Rounding::toward_zero);
        sum.add(-last);
      }
    }
    for (const Kernels* kernels : kernels_of_this_host()) {
      for (const bool across : {false, true}) {
        std::vector<T> stored = a, c(static_cast<std::size_t>(m * n));
        for (std::int64_t i = 0; across && i < m; ++i)
          for (std::int64_t l = 0; l < k; ++l)
            stored[static_cast<std::size_t>(i * k + l)] = a[static_cast<std::size_t>(i + l * m)];
        const View<const T> view{stored.data(), across ? k : 1, across ? 1 : m};
        const Product<T> call{m, n, k, 1, view, {b.data(), 1, k}, 0, {c.data(), 1, m}};
        multiply(kernels, call, 1);
        for (std::int64_t i = 0; i < m; ++i)
          mismatches.compare(c[static_cast<std::size_t>(i)], exact_entry(kernels, call, i, 0), [&] {
            return "seed " + std::to_string(seed) + ", round " + std::to_string(round);
          });
      }
    }
  }
}
TEST(FastProducts, NearTiesOfDouble) { check_near_ties<double>(604); }
TEST(FastProducts, NearTiesOfFloat) { check_near_ties<float>(605); }

// Ordinary data needs few exact sums.
TEST(FastProducts, AreTakenOnOrdinaryData) {
  std::mt19937_64 random(603);
  std::normal_distribution<double> normal;
  const std::int64_t n = 200;
  std::vector<double> a(n * n), b(n * n), c(n * n);
  for (auto* v : {&a, &b})
    for (double& x : *v) x = normal(random);
  for (const Kernels* kernels : kernels_of_this_host()) {
    for (const std::int64_t columns : {n, std::int64_t{1}}) {
      const FastCounts before = fast_counts();
      multiply(kernels,
               Product<double>{
                   n, columns, n, 0.7, {a.data(), 1, n}, {b.data(), 1, n}, 0, {c.data(), 1, n}},
               1);
      EXPECT_EQ(fast_counts().tried - before.tried, n * columns) << name_of(kernels);
      EXPECT_LT(fast_counts().settled - before.settled, n * columns / 20) << name_of(kernels);
    }
  }
}

}  // namespace
}  // namespace reprosum::exact::testing
