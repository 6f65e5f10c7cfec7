// The fast ways of trsv against exact sums and against balls, bit for bit, on systems made to break
// their bounds; and that they are taken.
#include "src/exact/solve/fast_trsv.h"

#include <cfenv>
#include <cmath>

#include "src/exact/machine/fast_counts.h"
#include "src/exact/solve/certified.h"
#include "src/exact/solve/row_norms.h"
#include "src/exact/solve/solve_kernels.h"
#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

enum class Data { tame, grows, integers, sparse, scaled, wide, special, small, cancels };
constexpr Data kData[] = {Data::tame, Data::grows,   Data::integers, Data::sparse, Data::scaled,
                          Data::wide, Data::special, Data::small,    Data::cancels};

template <class T>
struct Problem {
  std::vector<T> a, b;
  Triangular<T> system;
};

template <class T>
Problem<T> problem(Data data, std::int64_t n, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const int most = Format<T>::kDouble ? 300 : 40;
  const auto exponent = [&](int range) {
    return static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range;
  };
  const auto special = [&] {
    const double fixed[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
    return random() % 2 != 0 ? fixed[random() % 5] : static_cast<double>(any_bits<T>(random));
  };
  const std::int64_t lda = n + static_cast<std::int64_t>(random() % 3);
  Problem<T> p;
  p.a.resize(static_cast<std::size_t>(lda * n));
  const bool by_rows = random() % 2 != 0;
  const View<T> a{p.a.data(), by_rows ? lda : 1, by_rows ? 1 : lda};
  p.system = {n, {a.first, a.row, a.column}, random() % 2 != 0, random() % 4 == 0};
  for (std::int64_t i = 0; i < n; ++i) {
    const int scale = data == Data::scaled ? exponent(most) : 0;
    const std::int64_t leading = data == Data::sparse ? n / 2 : 0;
    double b = std::ldexp(normal(random), scale);
    for (std::int64_t j = 0; j < n; ++j) {
      double x = normal(random) / (data == Data::grows ? 4 : static_cast<double>(n));
      if (i == j) x = std::copysign(1, x) + x;
      if (data == Data::integers) x = static_cast<double>(random() % 7) - 3;
      if (data == Data::integers && i == j) x = static_cast<double>(1 + random() % 3);
      if (data == Data::sparse && i != j && random() % 3 != 0) x = random() % 8 == 0 ? -0.0 : 0.0;
      if (data == Data::wide) x = std::ldexp(x, exponent(most / 8));
      if (data == Data::special && random() % 512 == 0)
        x = static_cast<double>(any_bits<T>(random));
      if (data == Data::small) x = std::ldexp(x, Format<T>::kDouble ? -1000 : -130);
      if (data == Data::cancels && i != j && random() % 4 == 0) x *= 64;
      a.at(i, j) = static_cast<T>(std::ldexp(x, scale));
    }
    if (data == Data::integers) b = static_cast<double>(random() % 19) - 9;
    if (data == Data::sparse && i != leading && random() % 4 != 0) b = i % 5 == 0 ? -0.0 : 0.0;
    if (data == Data::wide) b = std::ldexp(b, exponent(most / 4));
    if (data == Data::special && random() % 64 == 0) b = special();
    p.b.push_back(static_cast<T>(b));
  }
  return p;
}

// Certified solutions do not have, in balls, more elements than their time allows.
template <class T>
void check(std::uint64_t seed, std::int64_t components) {
  std::mt19937_64 random(seed);
  Mismatches mismatches;
  const std::int64_t planted[] = {1, 3, 4, 5, 7, 8, 9, 16, 24, 31, 32, 33, 40, 63, 64, 65};
  std::int64_t refused = 0;
  // Each of two makers' kernels: as many problems as one maker's have.
  while (mismatches.done() < 2 * components && !mismatches.too_many()) {
    for (const Data data : kData) {
      std::int64_t n = random() % 2 != 0 ? planted[random() % std::size(planted)]
                                         : 1 + static_cast<std::int64_t>(random() % 50);
      if (random() % 32 == 0) n = 250 + static_cast<std::int64_t>(random() % 60);
      const Problem<T> p = problem<T>(data, n, random);
      const auto said = [&](const char* what, const Kernels* kernels) {
        return std::string(what) + ", seed " + std::to_string(seed) + ", data " +
               std::to_string(int(data)) + ", n " + std::to_string(n) + ", " + name_of(kernels);
      };
      std::vector<T> rounded = p.b, certified = p.b;
      substitute<T>(nullptr, p.system, {rounded.data(), 1, 0});
      const bool checks_certified = n < 70;
      std::string why;
      if (checks_certified) why = solve_certified<T>(nullptr, p.system, {certified.data(), 1, 0});
      refused += !why.empty();
      for (const Kernels* kernels : kernels_of_all_makers()) {
        std::vector<T> x = p.b;
        ASSERT_TRUE(substitute_fast<T>(kernels, p.system, {x.data(), 1, 0}));
        for (std::size_t i = 0; i < x.size(); ++i)
          mismatches.compare(x[i], rounded[i], [&] { return said("rounded", kernels); });
        if (!checks_certified) continue;
        x = p.b;
        const bool done = solve_certified_fast<T>(kernels, p.system, {x.data(), 1, 0});
        EXPECT_FALSE(done && !why.empty()) << said(why.c_str(), kernels);
        for (std::size_t i = 0; i < x.size(); ++i)
          mismatches.compare(x[i], done ? certified[i] : p.b[i],
                             [&] { return said("certified", kernels); });
      }
    }
    if (kernels_of_this_host().empty()) return;
  }
  EXPECT_GT(refused, 0);
}
TEST(FastSolves, HaveTheBitsOfTheSlowWays) {
  check<float>(801, cases_or(150'000));
  check<double>(802, cases_or(150'000));
}

// Columns that begin anywhere in a cache line, a whole number of lines apart or not: of each, the
// rows up to a line are taken apart, and sums of rows are stored at other places.
template <class T>
void check_places(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Mismatches mismatches;
  for (int round = 0; round < 8; ++round) {
    const std::int64_t n = 280 + 9 * round, lda = round % 2 == 0 ? 352 : n;
    const Problem<T> p = problem<T>(round < 4 ? Data::tame : Data::sparse, n, random);
    std::vector<T> rounded = p.b;
    substitute<T>(nullptr, p.system, {rounded.data(), 1, 0});
    for (std::int64_t place = 0; place < 16; ++place) {
      std::vector<T> moved(static_cast<std::size_t>(lda * n + 32));
      const auto to_line = static_cast<std::int64_t>(
          -reinterpret_cast<std::uintptr_t>(moved.data()) / sizeof(T) % 16);
      const View<T> a{moved.data() + to_line + place, 1, lda};
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) a.at(i, j) = p.system.a.at(i, j);
      Triangular<T> system = p.system;
      system.a = {a.first, 1, lda};
      std::vector<T> certified;
      const auto solve = [&](const Kernels* kernels) {
        std::vector<T> x = p.b, y = p.b;
        ASSERT_TRUE(substitute_fast<T>(kernels, system, {x.data(), 1, 0}));
        ASSERT_TRUE(solve_certified_fast<T>(kernels, system, {y.data(), 1, 0}));
        if (certified.empty()) certified = y;
        for (std::size_t i = 0; i < x.size(); ++i) {
          const auto said = [&] {
            return "seed " + std::to_string(seed) + ", n " + std::to_string(n) + ", place " +
                   std::to_string(place) + ", " + name_of(kernels);
          };
          mismatches.compare(x[i], rounded[i], said);
          mismatches.compare(y[i], certified[i], said);
        }
      };
      for (const Kernels* kernels : kernels_of_all_makers())
        for_each_reading([&] { solve(kernels); });
    }
  }
}
TEST(FastSolves, PlacesOfDouble) { check_places<double>(815); }
TEST(FastSolves, PlacesOfFloat) { check_places<float>(816); }

// Right sides that bring each row's sum beside the middle of two numbers, or on it.
TEST(FastSolves, NearTies) {
  std::mt19937_64 random(803);
  Mismatches mismatches;
  for (int round = 0; round < 40; ++round) {
    const std::int64_t n = 9 + round;
    Problem<double> p = problem<double>(Data::tame, n, random);
    p.system.unit = true;
    std::vector<double> x(p.b.size());
    for (std::int64_t step = 0; step < n; ++step) {
      // Its middle, less the sum of the products, rounded: exact where few bits are needed.
      const std::int64_t i = p.system.lower ? step : n - 1 - step;
      const std::int64_t solved = p.system.lower ? 0 : i + 1;
      const auto at = static_cast<std::size_t>(i);
      Accumulator<double> sum =
          residual<double>(nullptr, step, p.b[at],
                           p.system.a.first + i * p.system.a.row + solved * p.system.a.column,
                           p.system.a.column, x.data() + solved, 1);
      const double v = sum.rounded<double>(Rounding::toward_zero);
      sum.add(-v);
      sum.add(-std::ldexp(std::copysign(1.0, v), std::ilogb(v) - 53));
      sum.negate();
      sum.add(p.b[at]);
      p.b[at] = sum.rounded<double>(Rounding::nearest_even);
      x[at] = residual<double>(nullptr, step, p.b[at],
                               p.system.a.first + i * p.system.a.row + solved * p.system.a.column,
                               p.system.a.column, x.data() + solved, 1)
                  .rounded<double>(Rounding::nearest_even);
    }
    for (const Kernels* kernels : kernels_of_all_makers()) {
      std::vector<double> got = p.b;
      ASSERT_TRUE(substitute_fast<double>(kernels, p.system, {got.data(), 1, 0}));
      for (std::size_t i = 0; i < x.size(); ++i)
        mismatches.compare(got[i], x[i], [&] { return "seed 803, n " + std::to_string(n); });
    }
  }
}

// Errors of earlier components as large as their bounds let them be, which a later one takes beyond
// a tie. Component `victim` is 1 + 2^-10, plus many times 0.99 * 2^-53 that are all lost in a
// running sum near 1, less 1. The last one is 2^-9 + half a last place, less `victim`, plus three
// quarters of what was lost: its own additions err by less than it is above the tie. Components of
// zero between them bring the two into different blocks.
TEST(FastSolves, ErrorsOfEarlierComponents) {
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const std::int64_t lost : {100, 301, 1000}) {
      for (const int variant : {0, 1, 2, 3}) {
        const bool lower = variant % 2 == 0;
        const std::int64_t one = lost, victim = lost + 1, last = lost + (variant < 2 ? 2 : 50);
        const std::int64_t n = last + 1;
        std::vector<float> a(static_cast<std::size_t>(n * n)), b(static_cast<std::size_t>(n));
        const auto place = [&](std::int64_t step) { return lower ? step : n - 1 - step; };
        const auto at = [&](std::int64_t i, std::int64_t j) -> float& {
          return a[static_cast<std::size_t>(place(i) + place(j) * n)];
        };
        const auto right = [&](std::int64_t i) -> float& {
          return b[static_cast<std::size_t>(place(i))];
        };
        for (std::int64_t j = 0; j < lost; ++j) at(victim, j) = -0.99F, right(j) = 0x1p-53F;
        right(one) = 1;
        right(victim) = 1 + 0x1p-10F;
        at(victim, one) = 1;
        right(last) = 0x1p-9F;
        at(last, one) = -(0x1p-34F + std::ldexp(std::floor(0.75F * static_cast<float>(lost)), -53));
        at(last, victim) = 1;
        for (std::int64_t i = 0; i < n; ++i) at(i, i) = 1;
        const Triangular<float> system{n, {a.data(), 1, n}, lower, true};
        std::vector<float> x = b;
        ASSERT_EQ(solve_certified<float>(kernels, system, {x.data(), 1, 0}), "");
        EXPECT_EQ(x[static_cast<std::size_t>(place(victim))], 0x1p-10F);
        EXPECT_EQ(x[static_cast<std::size_t>(place(last))], 0x1p-10F)
            << kernels->name << ", " << lost << (lower ? " lower" : " upper");
      }
    }
  }
}

// The same with pairs, in whole diagonal blocks of components that are not zero; `last` in the next
// block, and where what bounds the errors of `victim` has gone from norms into A. Half of what is
// taken off `victim`, 1/4, stays below the last places of its sum and makes the lower part grow;
// the other half is lost in that, even if eight products at a time are added to it. The last
// component takes 64 times `victim` off 16: it is as far above a tie as a quarter of what is lost
// there, and comes out three quarters below it.
TEST(FastSolves, ErrorsOfEarlierPairs) {
  constexpr std::int64_t half = 500, one = 2 * half, victim = one + 2;
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (const int variant : {0, 1, 2, 3}) {
      const bool lower = variant % 2 == 0;
      const std::int64_t last = victim + (variant < 2 ? 9 : 200), n = variant < 2 ? 1024 : 1280;
      std::vector<double> a(static_cast<std::size_t>(n * n)), b(static_cast<std::size_t>(n), 1.0);
      const auto place = [&](std::int64_t step) { return lower ? step : n - 1 - step; };
      const auto at = [&](std::int64_t i, std::int64_t j) -> double& {
        return a[static_cast<std::size_t>(place(i) + place(j) * n)];
      };
      const auto right = [&](std::int64_t i) -> double& {
        return b[static_cast<std::size_t>(place(i))];
      };
      for (std::int64_t j = 0; j < 2 * half; ++j) {
        right(j) = 0x1p-20;
        at(victim, j) = j < half ? 125 * 0x1p-29 : 31 * 0x1p-77;  // times half: F, T
      }
      right(victim) = 0.25;
      right(last) = 16;
      at(last, victim) = 64;
      at(last, one) = -(0x1p-5 - 31250 * 0x1p-42);      // 64 F
      at(last, one + 1) = -(0x1p-58 - 2906 * 0x1p-89);  // 3/4 of 64 T
      for (std::int64_t i = 0; i < n; ++i) at(i, i) = 1;
      const Triangular<double> system{n, {a.data(), 1, n}, lower, true};
      std::vector<double> x = b;
      ASSERT_EQ(solve_certified<double>(kernels, system, {x.data(), 1, 0}), "");
      EXPECT_EQ(x[static_cast<std::size_t>(place(last))], 0x1p-5 + 0x1p-57)
          << kernels->name << (lower ? " lower" : " upper") << ", n " << n;
    }
  }
}

// What norms give is at least the sum of magnitudes, for elements and sizes of any exponents, whose
// squares underflow or not, and not much more where they are alike; S and L have the same bits.
TEST(FastSolves, NormsBoundSumsOfMagnitudes) {
  constexpr std::int64_t kRowsHere = 43, kColumns = kNormColumns;
  std::mt19937_64 random(817);
  std::normal_distribution<double> normal;
  for (const Kernels* kernels : kernels_of_all_makers()) {
    const SolveKernels& loops = *solve_kernels(kernels->lanes);
    for (int round = 0; round < 200; ++round) {
      const int range = round % 4 == 0 ? 1 : round % 4 == 1 ? 40 : 300;
      const auto any = [&](int shift) {
        const int exponent = static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range;
        return std::ldexp(normal(random), exponent + shift);
      };
      std::vector<double> a(kRowsHere * kColumns), x(kColumns), size(kColumns);
      for (double& v : a) v = any(round % 4 == 3 ? -900 : 0);
      RowNorms norms;
      std::vector<double> kept(kRowsHere + 8), sizes(kRowsHere + 8), wanted = sizes;
      norms.keep_in(kept.data());
      norms.begin(kRowsHere);
      for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] = random() % 8 == 0 ? 0 : any(round % 8 == 5 ? -700 : 0);
        size[k] = std::fabs(x[k]);
        norms.note(size[k], std::fabs(x[k]));
      }
      std::vector<double> sums(kRowsHere + 8, 1.5 * 0x1p900), low(kRowsHere + 8);
      std::vector<double> same_sums = sums, same_low = low;
      for (std::size_t k = 0; k < x.size(); k += kSolveColumns) {
        const double* const from = a.data() + k * kRowsHere;
        const Solved solved{x.data() + k, x.data() + k, size.data() + k, nullptr};
        loops.solve.columns(kRowsHere, from, kRowsHere, solved, same_sums.data(), same_low.data(),
                            wanted.data());
        loops.solve.columns_by_norms(kRowsHere, from, kRowsHere, solved, sums.data(), low.data(),
                                     norms.of(0));
      }
      double first = 0;
      std::vector<double> rows(kept);
      RowNorms one_row = norms;
      one_row.keep_in(rows.data());
      one_row.add_to(0, first);
      ASSERT_TRUE(norms.complete());
      norms.add_to_all(loops.add_norms, 0, kRowsHere, sizes.data());
      EXPECT_EQ(sums, same_sums);
      EXPECT_EQ(low, same_low);
      EXPECT_GE(first, wanted[0]);
      for (std::size_t i = 0; i < kRowsHere; ++i) {
        ASSERT_GE(sizes[i] * (1 + 0x1p-40), wanted[i]) << "seed 817, round " << round;
        if (round % 4 == 0) {
          ASSERT_LE(sizes[i], 4 * wanted[i]);
        }
        EXPECT_EQ(*norms.of(static_cast<std::int64_t>(i)), 0);
      }
    }
  }
}

// Tame systems take no exact sum, and no balls; nor do scaled ones.
TEST(FastSolves, AreTakenOnOrdinaryData) {
  std::mt19937_64 random(804);
  for (const Kernels* kernels : kernels_of_all_makers()) {
    for (int round = 0; round < 8; ++round) {
      const std::int64_t n = 100 + 57 * round;
      Problem<double> p = problem<double>(round % 4 == 3 ? Data::scaled : Data::tame, n, random);
      p.system.unit = false;
      std::vector<double> x = p.b;
      const FastCounts before = fast_counts();
      substitute<double>(kernels, p.system, {x.data(), 1, 0});
      EXPECT_EQ(fast_counts().tried - before.tried, n);
      EXPECT_LE(fast_counts().settled - before.settled, round % 4 == 3 ? 8 + n / 32 : 0);
      x = p.b;
      EXPECT_TRUE(solve_certified_fast<double>(kernels, p.system, {x.data(), 1, 0}));
    }
  }
}

// The caller's rounding mode and flags stay, and do not matter.
TEST(FastSolves, KeepTheCallersEnvironment) {
  std::mt19937_64 random(805);
  const Problem<double> p = problem<double>(Data::tame, 70, random);
  std::vector<double> rounded = p.b, certified = p.b;
  substitute<double>(nullptr, p.system, {rounded.data(), 1, 0});
  ASSERT_EQ(solve_certified<double>(nullptr, p.system, {certified.data(), 1, 0}), "");
  for (const Kernels* kernels : kernels_of_all_makers()) {
    std::vector<double> x = p.b, y = p.b;
    std::fesetround(FE_DOWNWARD);
    std::feclearexcept(FE_ALL_EXCEPT);
    substitute<double>(kernels, p.system, {x.data(), 1, 0});
    solve_certified<double>(kernels, p.system, {y.data(), 1, 0});
    const int mode = std::fegetround(), flags = std::fetestexcept(FE_ALL_EXCEPT);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(mode, FE_DOWNWARD);
    EXPECT_EQ(flags, 0);
    EXPECT_EQ(x, rounded);
    EXPECT_EQ(y, certified);
  }
}

}  // namespace
}  // namespace reprosum::exact::testing
