// Families that need large sizes: late thresholds, long periods, many regimes.
#include <gtest/gtest.h>

#include <random>

#include "reveal/infer.h"
#include "reveal/infer/tree_tools.h"
#include "spec/expand.h"
#include "tests/reveal/infer/generators.h"

namespace reprosum::reveal {
namespace {

Inference infer_family(const test::Family& family, std::int64_t n_max) {
  test::SyntheticOracle oracle(family.generate, 1);
  InferOptions options;
  options.n_max = n_max;
  options.time_limit_s = 250;
  return infer(oracle, options);
}

void expect_right(const test::Family& family, const Inference& inference) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 60; ++k) {
    const auto n = 1 + static_cast<std::int64_t>(
                           random() % static_cast<std::uint64_t>(inference.reached >> (k % 10)));
    EXPECT_TRUE(generalize::same_function(spec::expand(inference.order, n), family.generate(n)))
        << family.name << ", n = " << n;
  }
}

TEST(LargeFamilies, ReachAMillion) {
  for (const char* name : {"numpy", "two_phases", "threaded_fused", "residue_table"}) {
    const test::Family family = test::family(name);
    const Inference inference = infer_family(family, 1'000'000);
    EXPECT_EQ(inference.reached, 1'000'000) << name;
    expect_right(family, inference);
  }
}

TEST(LargeFamilies, ALoopBehindALateThresholdIsFoundInPrefixes) {
  const test::Family family = test::family("late");
  const Inference inference = infer_family(family, 300'000);
  EXPECT_EQ(inference.reached, 300'000);
  ASSERT_EQ(inference.order.regimes.size(), 2U);
  EXPECT_EQ(inference.order.regimes[0].hi, 123'457);
  expect_right(family, inference);
}

TEST(LargeFamilies, APeriodOfAThousand) {
  const test::Family family = test::family("grid1024");
  const Inference inference = infer_family(family, 100'000);
  EXPECT_EQ(inference.reached, 100'000);
  expect_right(family, inference);
}

TEST(LargeFamilies, BlocksThatGrowWithTheRootAreNotExtrapolated) {
  const test::Family family = test::family("root_blocks");
  const Inference inference = infer_family(family, 100'000);
  EXPECT_NE(inference.stopped, "");
  EXPECT_LT(inference.reached, 20'000);
  for (std::int64_t n = 1; n <= std::min<std::int64_t>(inference.reached, 1200); ++n)
    EXPECT_TRUE(generalize::same_function(spec::expand(inference.order, n), family.generate(n)))
        << n;
}

}  // namespace
}  // namespace reprosum::reveal
