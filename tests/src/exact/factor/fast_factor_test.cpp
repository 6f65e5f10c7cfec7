// The fast way of getrf against sums in superaccumulators, bit for bit: blocks of any size, data
// made to break its bounds, ties, zeros; and that it is taken.
#include "src/exact/factor/fast_factor.h"

#include <cfenv>
#include <cmath>

#include "src/exact/factor/factor.h"
#include "src/exact/machine/fast_counts.h"
#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

template <class T>
struct Factored {
  std::vector<T> lu;
  std::vector<std::int64_t> pivots;
  std::int64_t info = -1;
};

// Column major with lda = m + 1, or row major with lda = n + 1.
template <class T>
View<T> view_of(std::vector<T>& all, std::int64_t m, std::int64_t n, bool rows) {
  return rows ? View<T>{all.data(), n + 1, 1} : View<T>{all.data(), 1, m + 1};
}

enum class Data { normal, lines, integers, sparse, wide, alike, special, small, grows };
constexpr Data kData[] = {Data::normal, Data::lines,   Data::integers, Data::sparse, Data::wide,
                          Data::alike,  Data::special, Data::small,    Data::grows};

template <class T>
std::vector<T> matrix(Data data, std::int64_t m, std::int64_t n, bool rows,
                      std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<T> all(static_cast<std::size_t>(rows ? m * (n + 1) : (m + 1) * n));
  const View<T> a = view_of(all, m, n, rows);
  const int most = Format<T>::kDouble ? 500 : 60;
  const auto exponent = [&](int range) {
    return static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range;
  };
  std::vector<int> by_row(static_cast<std::size_t>(m)), by_column(static_cast<std::size_t>(n));
  for (int& e : by_row) e = data == Data::lines && random() % 3 == 0 ? exponent(most) : 0;
  for (int& e : by_column) e = data == Data::lines && random() % 3 == 0 ? exponent(most) : 0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      double x = std::ldexp(normal(random), by_row[static_cast<std::size_t>(i)] +
                                                by_column[static_cast<std::size_t>(j)]);
      if (data == Data::integers) x = static_cast<double>(random() % 7) - 3;
      if (data == Data::sparse && random() % 4 != 0) x = random() % 8 == 0 ? -0.0 : 0.0;
      if (data == Data::wide) x = std::ldexp(x, exponent(most / 8));
      if (data == Data::alike && j > 0 && random() % 64 != 0)
        x = static_cast<double>(a.at(i, j - 1));
      if (data == Data::special && random() % 256 == 0)
        x = static_cast<double>(any_bits<T>(random));
      if (data == Data::small) x = std::ldexp(x, Format<T>::kDouble ? -1050 : -140);
      if (data == Data::grows) x = i == j || j == n - 1 ? 1 + x / 64 : i > j ? -1 + x / 64 : 0;
      a.at(i, j) = static_cast<T>(x);
    }
  }
  return all;
}

template <class T>
Factored<T> slowly(const std::vector<T>& start, std::int64_t m, std::int64_t n, bool rows) {
  Factored<T> out{start, std::vector<std::int64_t>(static_cast<std::size_t>(std::min(m, n)), -1)};
  out.info = factor<T>(nullptr, m, n, view_of(out.lu, m, n, rows), out.pivots.data(), 1);
  return out;
}

template <class T>
void compare(const Kernels* kernels, const std::vector<T>& start, std::int64_t m, std::int64_t n,
             bool rows, std::int64_t block, int workers, const Factored<T>& wanted,
             Mismatches& mismatches, const std::string& said) {
  Factored<T> got{start, std::vector<std::int64_t>(wanted.pivots.size(), -1)};
  ASSERT_TRUE(factor_fast<T>(kernels, m, n, view_of(got.lu, m, n, rows), got.pivots.data(), block,
                             workers, got.info));
  const std::string all = said + ", " + name_of(kernels) + ", " + std::to_string(m) + " x " +
                          std::to_string(n) + ", block " + std::to_string(block) + ", workers " +
                          std::to_string(workers);
  EXPECT_EQ(got.info, wanted.info) << all;
  EXPECT_EQ(got.pivots, wanted.pivots) << all;
  for (std::size_t k = 0; k < got.lu.size(); ++k)
    mismatches.compare(got.lu[k], wanted.lu[k], [&] { return all + ", at " + std::to_string(k); });
}

template <class T>
void check(std::uint64_t seed, std::int64_t entries) {
  std::mt19937_64 random(seed);
  Mismatches mismatches;
  const std::int64_t planted[] = {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 80};
  const std::int64_t blocks[] = {0, 8, 16, 24, 32, 64, kMostFactorBlock};
  const auto size = [&] {
    if (random() % 16 == 0) return 100 + static_cast<std::int64_t>(random() % 60);
    return random() % 2 != 0 ? planted[random() % std::size(planted)]
                             : 1 + static_cast<std::int64_t>(random() % 40);
  };
  while (mismatches.done() < entries && !mismatches.too_many()) {
    for (const Data data : kData) {
      const std::int64_t m = size(), n = random() % 2 != 0 ? m : size();
      const bool rows = random() % 4 == 0;
      const std::vector<T> start = matrix<T>(data, m, n, rows, random);
      const Factored<T> wanted = slowly(start, m, n, rows);
      for (const Kernels* kernels : kernels_of_this_host()) {
        for (int k = 0; k < 2; ++k) {
          compare(kernels, start, m, n, rows, blocks[random() % std::size(blocks)], 1, wanted,
                  mismatches,
                  "seed " + std::to_string(seed) + ", data " + std::to_string(int(data)));
        }
      }
    }
    if (kernels_of_this_host().empty()) return;
  }
}
TEST(FastFactors, HaveTheBitsOfExactSums) {
  check<float>(701, cases_or(400'000));
  check<double>(702, cases_or(400'000));
}

template <class T>
void check_large(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (const std::int64_t n : {257, 512}) {
    const std::vector<T> start = matrix<T>(Data::normal, n, n, false, random);
    const Factored<T> wanted = slowly(start, n, n, false);
    Mismatches mismatches;
    for (const Kernels* kernels : kernels_of_this_host())
      for (const std::int64_t block : {0, 40, 128})
        for (const int workers : {1, 2, 3})
          compare(kernels, start, n, n, false, block, workers, wanted, mismatches, "large");
  }
}
TEST(FastFactors, LargeOnes) {
  check_large<float>(703);
  check_large<double>(704);
}

// Products of two numbers of 27 bits that are all there is of an entry: it is half way between two
// doubles. With tiny numbers that follow, it is not, and only exact sums know.
TEST(FastFactors, Ties) {
  std::mt19937_64 random(705);
  const std::int64_t m = 40, n = 20;
  for (int round = 0; round < 20; ++round) {
    std::vector<double> start = matrix<double>(Data::normal, m, n, false, random);
    const View<double> a = view_of(start, m, n, false);
    const auto odd = [&] {
      return static_cast<double>((std::uint64_t{1} << 26) | random() % (1 << 26) | 1);
    };
    for (std::int64_t i = 0; i < m; ++i) {
      a.at(i, 0) = i == 0 ? 1 : std::ldexp(odd(), -27);
      for (std::int64_t j = 1; j < n; ++j) {
        a.at(i, j) = i == 0 ? odd() : 0;
        if (i == 1 && round % 2 != 0) a.at(i, j) = std::ldexp(odd(), -200);
      }
    }
    const Factored<double> wanted = slowly(start, m, n, false);
    Mismatches mismatches;
    for (const Kernels* kernels : kernels_of_this_host()) {
      const FastCounts before = fast_counts();
      compare(kernels, start, m, n, false, 8, 1, wanted, mismatches, "seed 705");
      EXPECT_GE(fast_counts().settled - before.settled, m - 2);
    }
  }
}

// Sums of a column that differ by less than a last place and round alike: the first is the pivot,
// not the largest; and sums a last place apart, whose larger ones come last.
template <class T>
void check_pivots(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int bits = Format<T>::kDouble ? 53 : 24;
  for (const std::int64_t m : {5, 16, 41, 67}) {
    for (const int apart : {-4, -2, -1, 0, 1, 2}) {
      const std::int64_t n = 3;
      std::vector<T> start = matrix<T>(Data::normal, m, n, false, random);
      const View<T> a = view_of(start, m, n, false);
      for (std::int64_t i = 0; i < m; ++i) {
        a.at(i, 0) = i == 0 ? T(1) : static_cast<T>(random() % 1000) / 1024;
        a.at(i, 1) = i == 0 ? std::ldexp(T(1), apart - bits) : random() % 2 != 0 ? T(1) : T(-1);
      }
      const Factored<T> wanted = slowly(start, m, n, false);
      Mismatches mismatches;
      for (const Kernels* kernels : kernels_of_this_host())
        compare(kernels, start, m, n, false, 8, 1, wanted, mismatches, std::to_string(apart));
    }
  }
}
TEST(FastFactors, PivotsThatRoundAlike) {
  check_pivots<float>(706);
  check_pivots<double>(707);
}

// Ordinary data needs hardly an exact sum; where entries of U grow by 2^200, some do.
TEST(FastFactors, AreTakenOnOrdinaryData) {
  std::mt19937_64 random(706);
  const std::int64_t n = 200;
  for (const Kernels* kernels : kernels_of_this_host()) {
    for (const Data data : {Data::normal, Data::grows}) {
      std::vector<double> all = matrix<double>(data, n, n, false, random);
      std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
      const FastCounts before = fast_counts();
      EXPECT_EQ(factor<double>(kernels, n, n, view_of(all, n, n, false), pivots.data(), 1), 0);
      EXPECT_EQ(fast_counts().tried - before.tried, n * n) << name_of(kernels);
      EXPECT_LE(fast_counts().settled - before.settled, n * n / (data == Data::normal ? 1000 : 50))
          << name_of(kernels);
    }
  }
}

// The caller's rounding mode and flags stay, and do not matter, to its workers neither.
TEST(FastFactors, KeepTheCallersEnvironment) {
  std::mt19937_64 random(707);
  const std::int64_t n = 200;
  const std::vector<double> start = matrix<double>(Data::normal, n, n, false, random);
  const Factored<double> wanted = slowly(start, n, n, false);
  for (const Kernels* kernels : kernels_of_this_host()) {
    for (const int workers : {1, 3}) {
      std::vector<double> all = start;
      std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
      std::fesetround(FE_UPWARD);
      std::feclearexcept(FE_ALL_EXCEPT);
      factor<double>(kernels, n, n, view_of(all, n, n, false), pivots.data(), workers);
      const int mode = std::fegetround(), flags = std::fetestexcept(FE_ALL_EXCEPT);
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(mode, FE_UPWARD);
      EXPECT_EQ(flags, 0);
      EXPECT_EQ(all, wanted.lu);
    }
  }
}

}  // namespace
}  // namespace reprosum::exact::testing
