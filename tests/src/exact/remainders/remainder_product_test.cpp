// gemm by remainders against exact sums and MPFR, on data made to break its bounds.
#include "src/exact/remainders/remainder_product.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/exact/entries/exact_entry.h"
#include "src/exact/machine/fast_counts.h"
#include "src/exact/products/product.h"
#include "src/exact/remainders/remainder_choice.h"
#include "tests/src/exact/matrix_cases.h"
#include "tests/src/exact/remainders/remainder_cases.h"
#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

const Kernels* best_kernels() {
  return kernels_of_this_host().empty() ? nullptr : kernels_of_this_host().front();
}

// A matrix with padding, in one of the orders of storage.
struct Matrix {
  std::vector<double> data;
  View<double> view;

  Matrix(std::int64_t rows, std::int64_t columns, std::mt19937_64& random) {
    const auto padding = static_cast<std::int64_t>(random() % 3);
    const std::int64_t step = random() % 8 == 0 ? 2 : 1;
    if (random() % 2 != 0)
      view = {nullptr, step, step * (rows + padding)};
    else
      view = {nullptr, step * (columns + padding), step};
    data.assign(static_cast<std::size_t>(rows * view.row + columns * view.column + 1), 0.0);
    view.first = data.data();
  }
  View<const double> readable() const { return {view.first, view.row, view.column}; }
};

void compare_all(Mismatches& mismatches, const RemainderKernels& loops, const Product<double>& call,
                 const std::vector<double>& before, const Remainders* moduli,
                 const std::string& what, int workers = 1) {
  // The same output in memory of its own, for exact sums.
  std::vector<double> wanted = before;
  Product<double> exact = call;
  exact.c = {wanted.data(), 1, call.m};
  ASSERT_TRUE(multiply_by_remainders(best_kernels(), loops, call, moduli, workers));
  for (std::int64_t j = 0; j < call.n; ++j)
    for (std::int64_t i = 0; i < call.m; ++i)
      mismatches.compare(call.c.at(i, j), exact_entry(best_kernels(), exact, i, j),
                         [&] { return what + ", " + loops.name; });
}

// Ragged sizes, strides, scalars, few and many moduli.
TEST(RemainderProducts, HaveTheBitsOfExactSums) {
  std::mt19937_64 random(711);
  Mismatches mismatches;
  const std::int64_t entries = cases_or(100'000);
  const auto all = all_remainder_kernels();
  Referee referee(Referee::kTriples);
  while (mismatches.done() < entries && !mismatches.too_many()) {
    const auto size = [&](std::uint64_t below) {
      return 1 + static_cast<std::int64_t>(random() % below);
    };
    const bool large = random() % 16 == 0;
    const std::int64_t m = size(large ? 300 : 40), n = size(large ? 40 : 60),
                       k = size(random() % 4 == 0 ? 900 : 150);
    const std::vector<double> rows = matrix<double>(m, k, random),
                              columns = matrix<double>(n, k, random),
                              before = matrix<double>(n, m, random);
    Matrix a(m, k, random), b(k, n, random), c(m, n, random);
    for (std::int64_t l = 0; l < k; ++l) {
      for (std::int64_t i = 0; i < m; ++i)
        a.view.at(i, l) = rows[static_cast<std::size_t>(i * k + l)];
      for (std::int64_t j = 0; j < n; ++j)
        b.view.at(l, j) = columns[static_cast<std::size_t>(j * k + l)];
    }
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i)
        c.view.at(i, j) = before[static_cast<std::size_t>(i + j * m)];
    const double scalars[] = {1, -1, 0.5, 0.3, -7.1, 0x1p-200};
    const double alpha = scalars[random() % 6],
                 beta = random() % 2 != 0 ? 0 : scalars[random() % 6];
    const Remainders* const moduli =
        random() % 2 != 0 ? nullptr : &remainders_for(20 + static_cast<int>(random() % 55), k);
    const std::vector<double> memory = c.data;
    const RemainderKernels& loops = *all[random() % all.size()];
    const Product<double> call{m, n, k, alpha, a.readable(), b.readable(), beta, c.view};
    compare_all(mismatches, loops, call, before, moduli,
                std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
                    ", moduli " + std::to_string(moduli != nullptr ? moduli->count : 0),
                1 + static_cast<int>(random() % 3));
    // One entry of each by MPFR too; and nothing beside the output.
    const auto i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(m)),
               j = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    referee.clear();
    for (std::int64_t l = 0; l < k; ++l)
      referee.add_triple(alpha, call.a.at(i, l), call.b.at(l, j));
    if (beta != 0) referee.add_product(beta, before[static_cast<std::size_t>(i + j * m)]);
    mismatches.compare(call.c.at(i, j), referee.rounded<double>(Rounding::nearest_even),
                       [&] { return std::string("MPFR"); });
    std::vector<double> beside = memory;
    for (std::int64_t s = 0; s < n; ++s)
      for (std::int64_t r = 0; r < m; ++r)
        beside[static_cast<std::size_t>(&c.view.at(r, s) - c.data.data())] = c.view.at(r, s);
    for (std::size_t at = 0; at < beside.size(); ++at)
      ASSERT_EQ(testing::bits(c.data[at]), testing::bits(beside[at])) << "beside the output";
  }
  EXPECT_TRUE(referee.trustworthy());
}

// Numbers of few bits: many entries are ties or next to them, and all are known without sums.
TEST(RemainderProducts, KnowTiesOfFewBits) {
  std::mt19937_64 random(716);
  Mismatches mismatches;
  for (const int digits : {10, 20, 26, 27, 28, 30, 40, 53}) {
    const std::int64_t m = 40, n = 30, k = 70;
    std::vector<double> a(m * k), b(n * k), c(m * n);
    for (auto* v : {&a, &b})
      for (double& x : *v) x = std::ldexp(static_cast<double>(random() >> (64 - digits)) - 1, -99);
    for (double& x : a) x = random() % 2 != 0 ? x : -x;
    for (double& x : c) x = std::ldexp(static_cast<double>(random() >> (64 - digits)), -150);
    const std::vector<double> before = c;
    for (const RemainderKernels* loops : all_remainder_kernels()) {
      for (const double alpha : {1.0, 0.3}) {
        c = before;
        const FastCounts counts = fast_counts();
        const Product<double> call{
            m, n, k, alpha, {a.data(), 1, m}, {b.data(), 1, k}, 0.5, {c.data(), 1, m}};
        compare_all(mismatches, *loops, call, before, &remainders(20),
                    std::to_string(digits) + " digits");
        EXPECT_LE(fast_counts().settled - counts.settled, 2) << digits;
      }
    }
  }
}

// Ties that a number decides whose square, scaled with its line, is nothing: it is dropped unseen
// by the norms, and the integer is not all of the entry.
TEST(RemainderProducts, TiesDecidedByNumbersTooSmallToSquare) {
  Mismatches mismatches;
  constexpr std::int64_t kLines = 16, kDepth = 70;
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> a(kLines * kDepth), b(kLines * kDepth, 1.0), c(kLines * kLines);
    for (std::int64_t i = 0; i < kLines; ++i) {
      double* const row = a.data() + i * kDepth;
      row[0] = 1 + static_cast<double>(i) * 0x1p-52;
      row[1] = 0x1p-53;
      row[kDepth - 1] = sign * 0x1p-700;
    }
    for (const RemainderKernels* loops : all_remainder_kernels()) {
      const Product<double> call{kLines,
                                 kLines,
                                 kDepth,
                                 1,
                                 {a.data(), kDepth, 1},
                                 {b.data(), 1, kDepth},
                                 0,
                                 {c.data(), 1, kLines}};
      compare_all(mismatches, *loops, call, c, &remainders(20), "sign " + std::to_string(sign));
    }
  }
}

// For each number of moduli the largest depth that takes it, and lines as long as may be: their
// products come next to the ends of the range, of either sign. One modulus less would show.
TEST(RemainderProducts, AtTheEndsOfTheRange) {
  std::mt19937_64 random(712);
  Mismatches mismatches;
  std::int64_t settled = 0;
  std::vector<bool> seen(kMostModuli + 1);
  for (int bits = 20; bits <= 76; ++bits) {
    std::int64_t k = kMostDepth;
    while (k > 64 && seen[static_cast<std::size_t>(remainders_for(bits, k).count)]) k /= 2;
    const int count = remainders_for(bits, k).count;
    if (seen[static_cast<std::size_t>(count)]) continue;
    seen[static_cast<std::size_t>(count)] = true;
    const double root = std::sqrt(static_cast<double>(k));
    constexpr std::int64_t kM = 4, kN = 5;
    std::vector<double> a(static_cast<std::size_t>(kM * k)), b(static_cast<std::size_t>(kN * k)),
        c(kM * kN);
    for (auto* v : {&a, &b}) {
      const int scale = static_cast<int>(random() % 200) - 100;
      const double most =
          std::ldexp((remainders(count).limit - root) / root, scale) * (1 - 0x1.1p-18);
      for (std::size_t at = 0; at < v->size(); ++at) {
        const bool negative = at / static_cast<std::size_t>(k) % 2 != 0;
        const double x = most * (1 - std::ldexp(static_cast<double>(random() % 1024), -30));
        (*v)[at] = negative ? -x : x;
      }
    }
    for (const RemainderKernels* loops : all_remainder_kernels()) {
      const FastCounts before = fast_counts();
      const Product<double> call{
          kM, kN, k, 1, {a.data(), k, 1}, {b.data(), 1, k}, 0, {c.data(), 1, kM}};
      compare_all(mismatches, *loops, call, c, &remainders(count),
                  std::to_string(count) + " moduli, k " + std::to_string(k));
      if (count >= 16) settled += fast_counts().settled - before.settled;
    }
  }
  EXPECT_GE(std::count(seen.begin(), seen.end(), true), 14);
  EXPECT_LE(settled, 2);
}

// Integers of 53 bits lose nothing, so all entries but ties are certain; so are entries of ordinary
// data but for a few in a thousand. Deeper products than are proven are refused.
TEST(RemainderProducts, NeedFewExactSums) {
  std::mt19937_64 random(713);
  std::normal_distribution<double> normal;
  const std::int64_t m = 70, n = 90, k = 500;
  std::vector<double> a(m * k), b(n * k), c(m * n);
  for (const bool integers : {false, true}) {
    for (auto* v : {&a, &b})
      for (double& x : *v)
        x = integers ? std::ldexp(static_cast<double>(random() >> 11), -53) : normal(random);
    for (const RemainderKernels* loops : all_remainder_kernels()) {
      const FastCounts before = fast_counts();
      const std::int64_t calls = path_counts().*loops->calls;
      Product<double> call{m, n, k, 1, {a.data(), 1, m}, {b.data(), 1, k}, 0, {c.data(), 1, m}};
      ASSERT_TRUE(multiply_by_remainders(best_kernels(), *loops, call));
      EXPECT_EQ(fast_counts().tried - before.tried, m * n);
      EXPECT_LE(fast_counts().settled - before.settled, integers ? 0 : m * n / 500);
      EXPECT_EQ(path_counts().*loops->calls, calls + 1);
      call.k = kMostDepth + 1;
      EXPECT_FALSE(multiply_by_remainders(best_kernels(), *loops, call));
    }
  }
}

// Shared by workers, with more entries open than wait at a time: the bits of one.
TEST(RemainderProducts, HaveTheSameBitsByAnyWorkers) {
  std::mt19937_64 random(717);
  std::normal_distribution<double> normal;
  const std::int64_t m = 330, n = 290, k = 140;
  std::vector<double> a(m * k), b(n * k), before(m * n);
  for (auto* v : {&a, &b, &before})
    for (double& x : *v) x = normal(random);
  for (const RemainderKernels* loops : all_remainder_kernels()) {
    for (const int bits : {28, 60}) {
      std::vector<double> one;
      for (const int workers : {1, 2, 5}) {
        std::vector<double> c = before;
        const Product<double> call{
            m, n, k, 1, {a.data(), 1, m}, {b.data(), 1, k}, 0.5, {c.data(), 1, m}};
        ASSERT_TRUE(multiply_by_remainders(best_kernels(), *loops, call, &remainders_for(bits, k),
                                           workers));
        if (workers == 1) one = c;
        ASSERT_EQ(std::memcmp(c.data(), one.data(), c.size() * sizeof c[0]), 0) << loops->name;
      }
    }
  }
}

// Few moduli for numbers of few bits, and more for data of far apart sizes.
TEST(RemainderProducts, TakeAsManyModuliAsTheDataNeed) {
  std::mt19937_64 random(715);
  std::normal_distribution<double> normal;
  const std::int64_t n = 300;
  std::vector<double> a(n * n), b(n * n), c(n * n);
  const Product<double> call{n, n, n, 1, {a.data(), 1, n}, {b.data(), 1, n}, 0, {c.data(), 1, n}};
  int counts[4];
  for (int kind = 0; kind < 4; ++kind) {
    for (auto* v : {&a, &b}) {
      for (double& x : *v) {
        x = normal(random);
        if (kind == 0) x = std::nearbyint(16 * x);
        if (kind == 1) x = static_cast<float>(x);
        if (kind == 3) x = std::exp(3 * x);
      }
    }
    counts[kind] = remainders_for_data(best_kernels(), call, 1000).count;
    if (kind > 0) {
      EXPECT_LT(counts[kind - 1], counts[kind]) << kind;
    }
    const FastCounts before = fast_counts();
    ASSERT_TRUE(multiply_by_remainders(best_kernels(), kPortableRemainders, call));
    // With integers, the sums that are zero; with floats, those of the few lines that are rounded.
    const std::int64_t most[] = {n * n / 10, n * n / 50, n * n / 300, n * n / 300};
    EXPECT_LE(fast_counts().settled - before.settled, most[kind]) << kind;
  }
  EXPECT_LE(counts[0], 8);
  EXPECT_EQ(counts[3], kMostModuli);
}

// Large products go by remainders where the machine has fast loops for them, others are split.
TEST(RemainderProducts, AreTakenWhereTheyAreFaster) {
  const Kernels* const kernels = best_kernels();
  if (kernels == nullptr) GTEST_SKIP() << "no vector kernels";
  const RemainderKernels* const loops =
      amx_remainders() != nullptr ? amx_remainders() : vnni_remainders();
  std::mt19937_64 random(714);
  std::normal_distribution<double> normal;
  for (const std::int64_t n : {40, 256}) {
    std::vector<double> a(static_cast<std::size_t>(n * n)), b(a.size()), c(a.size());
    for (auto* v : {&a, &b})
      for (double& x : *v) x = normal(random);
    const Product<double> call{n, n, n, 1, {a.data(), 1, n}, {b.data(), 1, n}, 0, {c.data(), 1, n}};
    path_counts() = {};
    multiply(kernels, call, 1);
    const bool by_remainders = n == 256 && kernels->lanes == 8 && loops != nullptr;
    EXPECT_EQ(path_counts().split_products, by_remainders ? 0 : 1);
    if (loops != nullptr) {
      EXPECT_EQ(path_counts().*loops->calls, by_remainders ? 1 : 0);
    }
  }
}

}  // namespace
}  // namespace reprosum::exact::testing
