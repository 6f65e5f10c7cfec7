// Where probed processes run: moved when asked, unless that changes or slows what they do.
#include <gtest/gtest.h>

#include <vector>

#include "reveal/target.h"
#include "reveal/target/core_set.h"
#include "tests/reveal/target/faults.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;
using testing::fake;

TEST(Cores, PartsAreEvenAndDisjoint) {
  const CoreSet all = CoreSet::of_this_thread();
  ASSERT_GT(all.count(), 0u);
  for (std::size_t parts = 1; parts <= all.count(); ++parts) {
    std::size_t together = 0;
    for (std::size_t k = 0; k < parts; ++k) {
      const std::size_t mine = all.part(k, parts).count();
      EXPECT_GE(mine, all.count() / parts);
      EXPECT_LE(mine, all.count() / parts + 1);
      together += mine;
      for (std::size_t other = 0; other < k; ++other)
        EXPECT_FALSE(all.part(other, parts) == all.part(k, parts));
    }
    EXPECT_EQ(together, all.count()) << parts;
  }
  EXPECT_EQ(all.part(0, 1), all);
  // More parts than cores: one each, by turns.
  const std::size_t many = 2 * all.count();
  for (std::size_t k = 0; k < many; ++k) {
    EXPECT_EQ(all.part(k, many).count(), 1u);
    EXPECT_EQ(all.part(k, many), all.part(k % all.count(), many));
  }
  EXPECT_EQ(CoreSet().part(0, 3).count(), 0u);
}

TEST(Cores, AThreadIsWhereItWasAfterwards) {
  const CoreSet all = CoreSet::of_this_thread();
  {
    const KeptToCores kept(all.part(0, all.count()));
    EXPECT_EQ(CoreSet::of_this_thread().count(), 1u);
  }
  EXPECT_EQ(CoreSet::of_this_thread(), all);
}

class ProbedLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    if (all_.count() < 2) GTEST_SKIP() << "needs two cores";
  }
  // Cores that the library may run on, and could when it was loaded.
  static int cores(Target& target) { return static_cast<int>(answer(target, 1)) % 1000; }
  static int cores_at_load(Target& target) { return static_cast<int>(answer(target, 1)) / 1000; }
  static double answer(Target& target, std::int64_t n) {
    const std::vector<double> x(static_cast<std::size_t>(n), 1.0);
    return target.run(
        {.call = call_of_vectors(Routine::dot, Type::f64, n), .x = x, .y = {}, .probes = {}})[0];
  }

  const CoreSet all_ = CoreSet::of_this_thread(), one_ = all_.part(0, all_.count());
  const int count_ = static_cast<int>(all_.count());
};

TEST_F(ProbedLibrary, MovesAndMovesBack) {
  const auto target = open_target(fake("cores"));
  EXPECT_EQ(cores(*target), count_);
  target->keep_to(one_);
  EXPECT_EQ(cores(*target), 1);
  target->keep_to(all_);
  EXPECT_EQ(cores(*target), count_);
  EXPECT_EQ(CoreSet::of_this_thread(), all_);
}

// It counts the cores when it is loaded, whatever the thread that starts it keeps to by then.
TEST_F(ProbedLibrary, IsLoadedOnAllCoresAgain) {
  const auto target = open_target(fake("cores"));
  const KeptToCores kept(one_);
  target->keep_to(one_);
  EXPECT_THROW(answer(*target, 99), TargetError);
  EXPECT_EQ(cores(*target), 1);
  EXPECT_EQ(cores_at_load(*target), count_);
}

TEST_F(ProbedLibrary, StaysWhereItGivesOtherBits) {
  const auto target = open_target(fake("changes"));
  target->keep_to(one_);
  EXPECT_EQ(cores(*target), count_);
}

TEST_F(ProbedLibrary, StaysWhereItWaitsInALoop) {
  const auto target = open_target(fake("spins"));
  target->keep_to(one_);
  EXPECT_EQ(cores(*target), count_);
}

TEST_F(ProbedLibrary, StaysAfterItDied) {
  const auto target = open_target(fake("dies"));
  target->keep_to(one_);
  EXPECT_EQ(cores(*target), count_);
  EXPECT_EQ(cores_at_load(*target), count_);
}

TEST_F(ProbedLibrary, StaysWithoutAProductToTry) {
  const auto target = open_target(fake("no_gemm"));
  target->keep_to(one_);
  EXPECT_EQ(cores(*target), count_);
}

}  // namespace
}  // namespace reprosum::reveal
