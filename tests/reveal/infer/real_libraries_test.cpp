// Whole rules of real libraries, checked at sizes the inference did not choose.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>

#include "reveal/infer.h"
#include "reveal/infer/tree_tools.h"
#include "reveal/target.h"
#include "reveal/target_oracle.h"
#include "spec/expand.h"
#include "tests/paths.h"

namespace reprosum::reveal {
namespace {

const std::string kLibraries = "/usr/lib/x86_64-linux-gnu/";

struct Found {
  Inference inference;
  std::vector<std::int64_t> wrong;
};

Found infer_target(Target& target, spec::Routine routine, spec::Type type, std::int64_t n_max) {
  Call call;
  call.routine = routine;
  call.type = type;
  const auto oracle = make_target_oracle(target, call, 1);
  InferOptions options;
  options.n_max = n_max;
  options.time_limit_s = 200;
  Found found{infer(*oracle, options), {}};
  std::set<std::int64_t> sizes;
  for (const spec::Regime& regime : found.inference.order.regimes)
    sizes.insert({regime.lo, regime.lo + 1, regime.hi - 1, regime.hi});
  std::mt19937_64 random(5);
  const double top = std::log(static_cast<double>(found.inference.reached));
  for (int k = 0; k < 60; ++k)
    sizes.insert(
        static_cast<std::int64_t>(std::exp(static_cast<double>(random() >> 11) * 0x1p-53 * top)));
  for (const std::int64_t n : sizes) {
    if (n < 1 || n > found.inference.reached) continue;
    const spec::Tree tree = spec::expand(found.inference.order, n);
    if (!oracle->verify(n, tree, 40) ||
        (n < 300 && !generalize::same_function(oracle->reveal(n), tree)))
      found.wrong.push_back(n);
  }
  return found;
}

class OpenBlas : public testing::TestWithParam<const char*> {};

TEST_P(OpenBlas, DotIsSolvedForEverySize) {
  const std::string library = kLibraries + "openblas-pthread/libopenblas.so.0";
  if (!std::filesystem::exists(library)) GTEST_SKIP() << "no " << library;
  TargetOptions options;
  options.environment = {std::string("OPENBLAS_CORETYPE=") + GetParam(), "OPENBLAS_NUM_THREADS=1"};
  std::unique_ptr<Target> target;
  for (const auto type : {spec::Type::f32, spec::Type::f64}) {
    try {
      target = open_target("blas:" + library, options);
      const Found found = infer_target(*target, spec::Routine::dot, type, 200'000);
      EXPECT_EQ(found.inference.reached, 200'000) << found.inference.stopped;
      EXPECT_EQ(found.wrong, std::vector<std::int64_t>{});
      EXPECT_LT(found.inference.calls, 120'000);
    } catch (const TargetError& error) {
      if (error.reason != "illegal_instruction") throw;
      GTEST_SKIP() << "this processor cannot run " << GetParam();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CoreTypes, OpenBlas,
                         testing::Values("Prescott", "Nehalem", "Haswell", "SkylakeX"),
                         [](const auto& info) { return std::string(info.param); });

class OtherBlas : public testing::TestWithParam<const char*> {};

TEST_P(OtherBlas, DotIsSolvedForEverySize) {
  const std::string library = kLibraries + GetParam();
  if (!std::filesystem::exists(library)) GTEST_SKIP() << "no " << library;
  const auto target = open_target("blas:" + library, {});
  for (const auto type : {spec::Type::f32, spec::Type::f64}) {
    const Found found = infer_target(*target, spec::Routine::dot, type, 200'000);
    EXPECT_EQ(found.inference.reached, 200'000) << found.inference.stopped;
    EXPECT_EQ(found.wrong, std::vector<std::int64_t>{});
  }
}

INSTANTIATE_TEST_SUITE_P(Libraries, OtherBlas,
                         testing::Values("blis-pthread/libblas.so.3", "atlas/libblas.so.3",
                                         "blas/libblas.so.3"));

TEST(Numpy, SumIsPairwiseInChunksWithinTheCallBudget) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0)
    GTEST_SKIP() << "no numpy";
  const auto target = open_target(
      "exec:/usr/bin/python3 " REPROSUM_SOURCE_DIR "/tools/targets/numpy_target.py", {});
  const Found found = infer_target(*target, spec::Routine::sum, spec::Type::f64, 1'000'000);
  EXPECT_EQ(found.inference.reached, 1'000'000) << found.inference.stopped;
  EXPECT_EQ(found.wrong, std::vector<std::int64_t>{});
  EXPECT_LE(found.inference.calls, 30'000);
  ASSERT_EQ(found.inference.order.regimes.size(), 3U);
  EXPECT_EQ(found.inference.order.regimes[1].hi, 8192);
}

}  // namespace
}  // namespace reprosum::reveal
