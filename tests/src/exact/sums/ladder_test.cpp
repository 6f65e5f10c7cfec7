// The ladder on data that makes its premises fail: spikes beyond a block's exponent, gaps of all
// widths, underflowing products in the middle. And that every way is taken where it should be.
#include "src/exact/sums/ladder.h"

#include <bit>

#include "src/exact/values/buckets.h"
#include "tests/src/exact/routine_cases.h"
#include "tests/src/exact/sums/reduce_cases.h"

namespace reprosum::exact::testing {
namespace {

// Numbers around 2^base with 53 bits, a few spikes and gaps, and pairs that cancel.
std::vector<double> adversarial(std::size_t n, int range, std::mt19937_64& random) {
  const int base = static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range;
  const int gap = 1 << (random() % 11);
  std::vector<double> x;
  while (x.size() < n) {
    int e = base;
    if (random() % 64 == 0) e += static_cast<int>(random() % static_cast<unsigned>(gap));
    if (random() % 64 == 0) e -= static_cast<int>(random() % static_cast<unsigned>(2 * gap));
    if (random() % 2048 == 0) e = 1023;
    const double m = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
    const double v = std::ldexp(random() % 2 != 0 ? m : -m, std::min(e, 1023));
    x.push_back(v);
    if (random() % 3 == 0)
      x.insert(x.begin() + static_cast<std::ptrdiff_t>(random() % x.size()), -v);
  }
  x.resize(n);
  return x;
}

TEST(Ladder, FailedPremisesChangeNoBit) {
  std::mt19937_64 random(77);
  const PathCounts before = path_counts();
  for (const Kernels* kernels : kernels_of_this_host()) {
    for (int round = 0; round < 1500; ++round) {
      const std::size_t n = 24 + random() % (round % 10 == 0 ? 20000 : 3000);
      const auto count = static_cast<std::int64_t>(n);
      const std::vector<double> x = adversarial(n, 1020, random);
      ASSERT_EQ(bits(sum_with(kernels, count, x.data(), 1)),
                bits(sum_with<double>(nullptr, count, x.data(), 1)))
          << kernels->name << ", round " << round;
      const std::vector<double> a = adversarial(n, 560, random), b = adversarial(n, 560, random);
      ASSERT_EQ(bits(dot_with(kernels, count, a.data(), 1, b.data(), 1)),
                bits(dot_with<double>(nullptr, count, a.data(), 1, b.data(), 1)))
          << kernels->name << ", round " << round;
    }
  }
  if (kernels_of_this_host().empty()) GTEST_SKIP() << "no vector kernels here";
  const PathCounts& after = path_counts();
  EXPECT_GT(after.narrow_blocks, before.narrow_blocks);
  EXPECT_GT(after.wide_blocks, before.wide_blocks);
  EXPECT_GT(after.digit_blocks, before.digit_blocks);
  EXPECT_GT(after.repeated, before.repeated);
}

// Products whose errors lie below the smallest number, among products that do not.
TEST(Ladder, ProductsAtTheEdgeOfUnderflow) {
  std::mt19937_64 random(78);
  for (const Kernels* kernels : kernels_of_this_host()) {
    for (int round = 0; round < 3000; ++round) {
      std::vector<double> x(64), y(64);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const int e = -static_cast<int>(random() % 64) - 440;
        x[i] = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, e);
        y[i] = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, -960 - 2 * e - 20 + e);
        if (random() % 2 != 0) y[i] = -y[i];
      }
      if (round % 3 == 0) x[7] = std::ldexp(x[7], -600);
      ASSERT_EQ(bits(dot_with(kernels, 64, x.data(), 1, y.data(), 1)),
                bits(dot_with<double>(nullptr, 64, x.data(), 1, y.data(), 1)))
          << kernels->name << ", round " << round;
    }
  }
}

// Ordinary data that cancels, so that no bound on rounded arithmetic decides: the first step does.
TEST(Ladder, OrdinaryDataIsNarrow) {
  std::mt19937_64 random(79);
  std::normal_distribution<double> normal;
  std::vector<double> x(100000), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = i < x.size() / 2 ? normal(random) : -x[i - x.size() / 2];
    y[i] = i < x.size() / 2 ? normal(random) : y[i - x.size() / 2];
  }
  x[0] = std::nextafter(x[0], 2.0);
  for (const Kernels* kernels : kernels_of_this_host()) {
    const PathCounts before = path_counts();
    EXPECT_EQ(std::abs(sum_with(kernels, 100000, x.data(), 1)), std::abs(x[0] + x[x.size() / 2]));
    dot_with(kernels, 100000, x.data(), 1, y.data(), 1);
    const PathCounts& after = path_counts();
    EXPECT_EQ(after.undecided_calls - before.undecided_calls, 2);
    EXPECT_GE(after.narrow_blocks - before.narrow_blocks, 80);
    EXPECT_EQ(after.digit_blocks, before.digit_blocks);
    EXPECT_EQ(after.portable_calls, before.portable_calls);
  }
}

// n terms of any exponents and signs; every `share`-th or so, and the last, has no hidden bit:
// zeros and subnormal numbers, of both signs or of one.
std::vector<double> terms_without_hidden_bits(std::int64_t n, int signs, std::uint64_t share,
                                              std::mt19937_64& random) {
  std::vector<double> x(static_cast<std::size_t>(n));
  for (double& v : x) {
    const bool tiny = random() % share == 0 || &v == &x.back();
    const bool negative = signs == 2 || (signs == 3 && random() % 2 != 0);
    v = std::bit_cast<double>(tiny ? random() % 3 * (random() >> 13) : random() >> 2);
    v = (tiny ? negative : random() % 2 != 0) ? -v : v;
  }
  return x;
}

// At the ends of what is counted at once, and of cache lines.
TEST(Ladder, BucketsOfTermsWithoutHiddenBits) {
  std::mt19937_64 random(80);
  for (const int signs : {1, 2, 3}) {
    for (const int n : {1, 9, 63, 64, 65, 2047, 2048, 2049, 6000}) {
      for (const std::uint64_t share : {1, 50, 3000}) {
        Buckets buckets;
        Accumulator<double> wanted, sum;
        for (int round = 0; round < 3; ++round) {
          const auto x = terms_without_hidden_bits(n, signs, share, random);
          for (const double v : x) wanted.add(v);
          buckets.add(n, x.data());
        }
        buckets.flush(sum);
        EXPECT_EQ(sum.words(), wanted.words()) << signs << ' ' << n << ' ' << share;
      }
    }
  }
}

}  // namespace
}  // namespace reprosum::exact::testing
