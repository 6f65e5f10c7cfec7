// Sums whose order differs at some large sizes: what is certified has the bits, or the sizes are
// those that not_checked names.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <set>
#include <utility>

#include "reveal/check/class_check.h"
#include "reveal/check/far_sizes.h"
#include "reveal/check/replay_check.h"
#include "tests/reveal/capture/planted_captures.h"
#include "tests/reveal/capture/planted_sums.h"

namespace reprosum::reveal::testing {
namespace {

using Sizes = std::function<bool(std::int64_t)>;

bool is_power(std::int64_t n, std::int64_t base) {
  while (n % base == 0) n /= base;
  return n == 1;
}
bool is_fibonacci(std::int64_t n) {
  std::int64_t one = 1, next = 2;
  while (one < n) one = std::exchange(next, one + next);
  return one == n;
}

struct Planted {
  std::string name;
  Sizes differs;  // among those above 4,200
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

constexpr std::int64_t kMost = 100'000, kEvery = 4200;

CaptureOptions options_for(spec::Type type) {
  CaptureOptions options = options_with_replay();
  options.routines = {{spec::Routine::sum, type}};
  options.increments = {{1, 1}};
  options.n_max = kMost;
  options.random_vectors = 500;
  return options;
}

template <typename Sum>
std::unique_ptr<FunctionTarget> target_of(const Sizes& differs, Sum sum) {
  return std::make_unique<FunctionTarget>(
      over_summands([=](const auto& t) { return differs(std::ssize(t)) ? sum(t) : forwards(t); }));
}

class FarHabit : public ::testing::TestWithParam<Planted> {};

TEST_P(FarHabit, IsNotCertified) {
  const Sizes differs = [ask = GetParam().differs](std::int64_t n) { return n > kEvery && ask(n); };
  const spec::Spec spec =
      capture([&](int) { return target_of(differs, kBackwards); }, options_for(spec::Type::f64));
  for (const spec::Entry& entry : spec.entries)
    for (std::int64_t n = kEvery + 1; n <= kMost; ++n)
      ASSERT_FALSE(differs(n) && n <= spec::most_summands(entry)) << "n = " << n;
  EXPECT_NE(refusals(spec).find("covered only up to"), std::string::npos) << refusals(spec);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, FarHabit,
    ::testing::Values(
        Planted{"multiples_of_64", [](std::int64_t n) { return n % 64 == 0; }},
        Planted{"multiples_of_96", [](std::int64_t n) { return n % 96 == 0; }},
        Planted{"multiples_of_512", [](std::int64_t n) { return n % 512 == 0; }},
        Planted{"multiples_of_1000", [](std::int64_t n) { return n % 1000 == 0; }},
        Planted{"multiples_of_1024", [](std::int64_t n) { return n % 1024 == 0; }},
        Planted{"37_modulo_128", [](std::int64_t n) { return n % 128 == 37; }},
        Planted{"1_modulo_4096", [](std::int64_t n) { return n % 4096 == 1; }},
        Planted{"1023_modulo_1024", [](std::int64_t n) { return n % 1024 == 1023; }},
        Planted{"multiples_of_10000", [](std::int64_t n) { return n % 10000 == 0; }},
        Planted{"powers_of_two", [](std::int64_t n) { return is_power(n, 2); }},
        Planted{"powers_of_three", [](std::int64_t n) { return is_power(n, 3); }},
        Planted{"powers_of_two_and_one", [](std::int64_t n) { return is_power(n - 1, 2); }},
        Planted{"three_times_powers_of_two",
                [](std::int64_t n) { return n % 3 == 0 && is_power(n / 3, 2); }},
        Planted{"fibonacci", is_fibonacci},
        Planted{"5000_to_5100", [](std::int64_t n) { return n >= 5000 && n <= 5100; }}),
    [](const auto& info) { return info.param.name; });

// Two leaves change places from some size on, which few vectors show.
TEST(LateBorder, IsExact) {
  for (const std::int64_t border : {701, 5001, 30011})
    for (const spec::Type type : {spec::Type::f64}) {
      const auto swapped = [](auto t) {
        std::swap(t[600], t[601]);
        return forwards(t);
      };
      const Sizes differs = [=](std::int64_t n) { return n >= border; };
      const spec::Spec spec =
          capture([&](int) { return target_of(differs, swapped); }, options_for(type));
      std::int64_t covered = 0;
      for (const spec::Entry& entry : spec.entries)
        covered = std::max(covered, spec::most_summands(entry));
      EXPECT_EQ(covered, border - 1) << border << "\n" << refusals(spec);
    }
}

// Where nothing below the mismatch is right for sure, what was tried one by one is kept.
TEST(LateBorder, IsWhereEachSizeWasTriedIfThereIsNone) {
  const Sizes differs = [](std::int64_t n) { return n > kEvery && n % 5 == 2; };
  const spec::Spec spec =
      capture([&](int) { return target_of(differs, kInHalves); }, options_for(spec::Type::f64));
  ASSERT_FALSE(spec.entries.empty()) << refusals(spec);
  for (const spec::Entry& entry : spec.entries) EXPECT_LE(spec::most_summands(entry), kEvery + 1);
}

TEST(FarSizes, HoldWhatLibrariesMayTellApart) {
  FastRandom random(5);
  const auto sizes = far_sizes(kEvery, 1'000'000, 30'000'000, random);
  std::set<std::int64_t> residues;
  for (const std::int64_t n : sizes)
    if (n < 10'000) residues.insert(n % 1024);
  EXPECT_EQ(residues.size(), 1024U);
  for (const std::int64_t n : {5000, 8191, 8192, 8193, 6561, 6765, 19683, 65536, 10000, 20000})
    EXPECT_TRUE(std::binary_search(sizes.begin(), sizes.end(), n)) << n;
  EXPECT_GT(sizes.front(), kEvery);
  EXPECT_LE(sizes.back(), 1'000'000);
}

// The certificate says how many there were.
TEST(FarSizes, AreInTheCertificate) {
  const spec::Spec spec =
      capture([&](int) { return std::make_unique<FunctionTarget>(sequential()); },
              options_for(spec::Type::f64));
  ASSERT_EQ(spec.entries.size(), 1U) << refusals(spec);
  const auto& lines = spec.entries[0].certificate.not_checked;
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("of the sizes above 4,200, 1,");
  }));
}

}  // namespace
}  // namespace reprosum::reveal::testing
