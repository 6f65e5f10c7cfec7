// The machine's tile unit, where there is one that may be used: what a product leaves of it to the
// caller, to other threads and to a child. Products themselves: remainder_loops_test.cpp.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "src/exact/entries/exact_entry.h"
#include "src/exact/machine/path_counts.h"
#include "src/exact/products/product.h"
#include "src/exact/remainders/remainder_kernels.h"
#include "src/exact/remainders/tile_unit.h"
#include "tests/src/exact/referee.h"
#include "tests/src/exact/remainders/remainder_cases.h"
#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {
namespace {

#if defined(__x86_64__) && defined(__linux__)

TileConfig current_configuration() {
  TileConfig config;
  std::memset(&config, 0xff, sizeof config);
  asm volatile("sttilecfg %0" : "=m"(config));
  return config;
}

// Is a product of 256 x 256 x 256 by this thread, on tiles, that of `wanted`?
class Problem {
 public:
  explicit Problem(std::uint64_t seed) : a_(kN * kN), b_(kN * kN) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (auto* v : {&a_, &b_})
      for (double& x : *v) x = normal(random);
    wanted_.resize(kN * kN);
    for (std::int64_t j = 0; j < kN; ++j)
      for (std::int64_t i = 0; i < kN; ++i)
        wanted_[static_cast<std::size_t>(i + j * kN)] =
            exact_entry(nullptr, product(wanted_), i, j);
  }
  bool comes_out_on_tiles() const {
    std::vector<double> c(kN * kN);
    const std::int64_t before = path_counts().amx_products;
    multiply(kernels_of_this_host().front(), product(c), 1);
    return path_counts().amx_products == before + 1 &&
           std::memcmp(c.data(), wanted_.data(), c.size() * sizeof c[0]) == 0;
  }

 private:
  static constexpr std::int64_t kN = 256;
  Product<double> product(std::vector<double>& c) const {
    return {kN, kN, kN, 1, {a_.data(), 1, kN}, {b_.data(), 1, kN}, 0, {c.data(), 1, kN}};
  }
  std::vector<double> a_, b_, wanted_;
};

// body() in a child; its exit status.
template <class Body>
int in_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

class MachineTilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (amx_remainders() == nullptr) GTEST_SKIP() << "no tile unit that may be used";
  }
};

// Where the processor has them and the system grants them: a unit that were found to do otherwise
// than its emulation would go unnoticed, as would instructions that we encode wrongly.
TEST(MachineTiles, AreUsedWhereTheyAreGranted) {
  std::ifstream processors("/proc/cpuinfo");
  const std::string said((std::istreambuf_iterator<char>(processors)),
                         std::istreambuf_iterator<char>());
  if (said.find(" amx_int8") == std::string::npos) GTEST_SKIP() << "no tile unit";
  if (::syscall(SYS_arch_prctl, 0x1023, 18) != 0) GTEST_SKIP() << "the system refuses tiles";
  EXPECT_NE(amx_remainders(), nullptr);
}

TEST_F(MachineTilesTest, AreReleasedAndTheCallersConfigurationGivenBack) {
  const Problem problem(721);
  const TileConfig none{};
  EXPECT_TRUE(problem.comes_out_on_tiles());
  const TileConfig after = current_configuration();
  EXPECT_EQ(std::memcmp(&after, &none, sizeof none), 0);

  TileConfig callers{};
  callers.palette = 1;
  for (int t = 0; t < 8; ++t) {
    callers.rows[t] = static_cast<std::uint8_t>(1 + t);
    callers.row_bytes[t] = static_cast<std::uint16_t>(64 - 4 * t);
  }
  asm volatile("ldtilecfg %0" : : "m"(callers));
  const bool right = problem.comes_out_on_tiles();
  const TileConfig kept = current_configuration();
  asm volatile("tilerelease");
  EXPECT_TRUE(right);
  EXPECT_EQ(std::memcmp(&kept, &callers, sizeof callers), 0);
}

// Each thread has tiles of its own, and so has a child: of this thread and of one that has not used
// tiles.
TEST_F(MachineTilesTest, AreUsedByThreadsAndChildren) {
  const Problem problem(722);
  EXPECT_TRUE(problem.comes_out_on_tiles());
  constexpr int kThreads = 4;
  bool right[kThreads] = {};
  std::vector<std::thread> threads;
  for (bool& mine : right) {
    threads.emplace_back([&problem, &mine] {
      mine = true;
      for (int turn = 0; turn < 10; ++turn) mine &= problem.comes_out_on_tiles();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const bool mine : right) EXPECT_TRUE(mine);
  const auto child = [&] { return problem.comes_out_on_tiles() ? 0 : 1; };
  EXPECT_EQ(in_child(child), 0);
  int of_thread = -1;
  std::thread([&] { of_thread = in_child(child); }).join();
  EXPECT_EQ(of_thread, 0);
}

// Every entry of products that the library gives to the tiles: sizes that are no multiples, data of
// one size, of far apart sizes and of few bits, with and without C.
TEST_F(MachineTilesTest, GiveTheBitsOfMpfr) {
  const std::uint64_t seed = 724;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Mismatches mismatches;
  Referee referee(1200);
  const std::int64_t entries = cases_or(150'000);
  for (int turn = 0; mismatches.done() < entries && !mismatches.too_many(); ++turn) {
    const auto size = [&] { return 250 + static_cast<std::int64_t>(random() % 50); };
    const std::int64_t m = size(), n = size(), k = size();
    const auto number = [&] {
      const double x = normal(random);
      return turn % 4 == 0   ? x
             : turn % 4 == 1 ? std::fabs(x)
             : turn % 4 == 2 ? x * std::exp(3 * normal(random))
                             : std::nearbyint(std::ldexp(x, 26));
    };
    std::vector<double> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)),
        c(static_cast<std::size_t>(m * n));
    for (auto* v : {&a, &b, &c})
      for (double& x : *v) x = number();
    const std::vector<double> before = c;
    const bool transposed_a = random() % 2 != 0, transposed_b = random() % 2 != 0;
    const double beta = random() % 2 != 0 ? 0.3 : 0;
    const Product<double> call{m,
                               n,
                               k,
                               -1,
                               {a.data(), transposed_a ? k : 1, transposed_a ? 1 : m},
                               {b.data(), transposed_b ? n : 1, transposed_b ? 1 : k},
                               beta,
                               {c.data(), 1, m}};
    path_counts() = {};
    multiply(kernels_of_this_host().front(), call, 1);
    ASSERT_EQ(path_counts().amx_products, 1);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) {
        const auto place = static_cast<std::size_t>(i + j * m);
        referee.clear();
        for (std::int64_t l = 0; l < k; ++l) referee.add_product(-call.a.at(i, l), call.b.at(l, j));
        if (beta != 0) referee.add_product(beta, before[place]);
        mismatches.compare(c[place], referee.rounded<double>(Rounding::nearest_even), [&] {
          return "seed " + std::to_string(seed) + ", product " + std::to_string(turn);
        });
      }
    }
  }
  EXPECT_TRUE(referee.trustworthy());
}

// Linux refuses tiles where a signal stack has no room for them; products then go without.
// A process of its own, since permission is for good.
constexpr char kRefused[] = "REPROSUM_TEST_OF_REFUSED_TILES";

TEST(MachineTilesRefused, WhereASignalStackIsTooSmall) {
  if (std::getenv(kRefused) == nullptr) {
    if (amx_remainders() == nullptr) GTEST_SKIP() << "no tile unit that may be used";
    const std::string command =
        std::string(kRefused) +
        "=1 exec \"$0\" --gtest_filter=MachineTilesRefused.WhereASignalStackIsTooSmall";
    const int status = in_child([&] {
      char self[4096] = {};
      if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 99;
      ::execl("/bin/sh", "sh", "-c", command.c_str(), self, static_cast<char*>(nullptr));
      return 98;
    });
    EXPECT_EQ(status, 0);
    return;
  }
  // More than a signal takes with AVX-512, less than with the 8 KiB of tiles.
  static char memory[8192];
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  ASSERT_EQ(::sigaltstack(&stack, nullptr), 0);
  ASSERT_EQ(amx_remainders(), nullptr);
  constexpr std::int64_t kN = 256;
  std::mt19937_64 random(723);
  std::normal_distribution<double> normal;
  std::vector<double> a(kN * kN), b(kN * kN), c(kN * kN);
  for (auto* v : {&a, &b})
    for (double& x : *v) x = normal(random);
  const Product<double> call{
      kN, kN, kN, 1, {a.data(), 1, kN}, {b.data(), 1, kN}, 0, {c.data(), 1, kN}};
  path_counts() = {};
  multiply(kernels_of_this_host().front(), call, 1);
  EXPECT_EQ(path_counts().amx_products, 0);
  EXPECT_EQ(path_counts().vnni_products, 1);
  for (std::int64_t j = 0; j < kN; j += 15)
    EXPECT_EQ(c[static_cast<std::size_t>(j * kN + j)], exact_entry(nullptr, call, j, j));
}

#endif

}  // namespace
}  // namespace reprosum::exact::testing
