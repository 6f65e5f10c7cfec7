// Captures of libraries that compute on a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "kernels/backends.h"
#include "kernels/matrix.h"
#include "tests/paths.h"
#include "tests/reveal/capture/planted_captures.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;

TargetFactory clblast(const std::string& library) {
  return [library](int) { return open_target("clblast:" + library, {.timeout_s = 240}); };
}

std::string fake(const std::string& vice) {
  return std::string(REPROSUM_BINARY_DIR) + "/libfake_clblast_" + vice + ".so";
}

// False where the host has no OpenCL device.
bool has_device() {
  try {
    clblast(fake("sequential"))(1);
    return true;
  } catch (const TargetError& error) {
    EXPECT_EQ(error.reason, "cannot_load") << error.what();
    return false;
  }
}

spec::Spec dots(const std::string& library, Type type, std::int64_t n_max = 60) {
  CaptureOptions options = testing::options_with_replay();
  options.routines = {{Routine::dot, type}};
  options.increments = {{1, 1}};
  options.n_max = n_max;
  options.every_size_to = 60;
  options.random_vectors = 100;
  options.workers = 1;
  return capture(clblast(library), options);
}

TEST(DeviceCapture, ASequentialLibraryIsCaptured) {
  if (!has_device()) GTEST_SKIP() << "no OpenCL device here";
  const spec::Spec spec = dots(fake("sequential"), Type::f32);
  ASSERT_EQ(spec.entries.size(), 1U) << testing::refusals(spec);
  EXPECT_EQ(spec::most_summands(spec.entries[0]), 60);
  // A call on a CPU has no device: no guard is on one, nor on addresses that cannot be chosen.
  EXPECT_TRUE(spec.entries[0].guard.addresses.is_any());
  EXPECT_TRUE(std::any_of(spec.provenance.begin(), spec.provenance.end(),
                          [](const auto& fact) { return fact.first == "device.name"; }));
}

// Work-items have one product each, and are folded by halves. A call takes PoCL a millisecond.
TEST(DeviceCapture, DotProductsOfClblastAreCaptured) {
  try {
    clblast("")(1);
  } catch (const TargetError& error) {
    GTEST_SKIP() << error.what();
  }
  for (const Type type : {Type::f32, Type::f64}) {
    const spec::Spec spec = dots("", type, 4096);
    ASSERT_EQ(spec.entries.size(), 1U) << testing::refusals(spec);
    EXPECT_EQ(spec::most_summands(spec.entries[0]), 4096) << testing::refusals(spec);
  }
}

// One context up to 64, with the kernels of this host against the library's own outputs. Its first
// call compiles for 20 s where PoCL has not kept that.
TEST(DeviceCapture, AProductOfClblastIsCapturedAndReplayed) {
  std::unique_ptr<Target> target;
  try {
    target = clblast("")(1);
  } catch (const TargetError& error) {
    GTEST_SKIP() << error.what();
  }
  CaptureOptions options = testing::small_options(Routine::gemm, Type::f32);
  options.transposes = {{spec::Trans::no, spec::Trans::no}};
  options.largest = {64, 64, 64};
  options.matrix_work = 1e6;
  options.workers = 1;
  const spec::Spec spec = capture(clblast(""), options);
  ASSERT_EQ(spec.entries.size(), 1U) << testing::refusals(spec);
  const spec::Entry& entry = spec.entries[0];
  const auto kernels =
      kernels::compile_matrix<float>(spec, entry, {kernels::host_isas().back(), ""});
  std::mt19937_64 random(20240607);
  std::uniform_real_distribution<float> values(-1, 1);
  std::int64_t covered = 0;
  for (int round = 0; round < 60; ++round) {
    const auto size = [&] { return 1 + static_cast<std::int64_t>(random() % 64); };
    const spec::Shape3 shape{size(), size(), size()};
    const auto map = spec::regions(entry.regimes, shape);
    if (!map) continue;
    ++covered;
    const auto drawn = [&](std::int64_t count) {
      std::vector<double> all(static_cast<std::size_t>(count));
      for (double& value : all) value = values(random);
      return all;
    };
    const std::vector<double> a = drawn(shape.m * shape.k), b = drawn(shape.n * shape.k),
                              c = drawn(shape.m * shape.n);
    const float alpha = values(random), beta = round % 4 == 0 ? 0.0F : values(random);
    const Call call{
        .routine = Routine::gemm, .type = Type::f32, .m = shape.m, .n = shape.n, .k = shape.k};
    const std::vector<double> wanted =
        target->run_matrix({.call = call, .alpha = alpha, .beta = beta, .a = a, .b = b, .c = c});
    const std::vector<float> on_a(a.begin(), a.end()), on_b(b.begin(), b.end());
    std::vector<float> got(c.begin(), c.end());
    spec::MatrixArguments<float> arguments;
    arguments.trans_a = spec::Trans::yes;  // op(A) lies row by row
    std::tie(arguments.m, arguments.n, arguments.k) = std::tie(shape.m, shape.n, shape.k);
    arguments.lda = arguments.ldb = shape.k;
    arguments.ldc = shape.m;
    arguments.alpha = alpha;
    arguments.beta = beta;
    arguments.a = on_a.data();
    arguments.b = on_b.data();
    arguments.c = got.data();
    kernels->run(*map, arguments, 1);
    EXPECT_EQ(std::vector<double>(got.begin(), got.end()), wanted) << "round " << round;
  }
  EXPECT_GT(covered, 50);
}

// They multiply y by beta = 0 as by any other.
TEST(DeviceCapture, ProductsByVectorsOfClblastAreCaptured) {
  try {
    clblast("")(1);
  } catch (const TargetError& error) {
    GTEST_SKIP() << error.what();
  }
  CaptureOptions options = testing::small_options(Routine::gemv, Type::f64);
  options.largest = {64, 1, 64};
  options.matrix_work = 1e5;
  options.workers = 1;
  const spec::Spec spec = capture(clblast(""), options);
  ASSERT_EQ(spec.entries.size(), 2U) << testing::refusals(spec);
  for (const spec::Entry& entry : spec.entries)
    for (const spec::MatrixRegime& regime : entry.regimes)
      for (const spec::MatrixClass& output : regime.classes)
        EXPECT_EQ(output.beta_zero, spec::MatrixClass::BetaZero::multiply);
  EXPECT_TRUE(verify(spec, clblast(""), options).holds);
}

TEST(DeviceCapture, SumsThatBeginSomewhereElseEachTimeAreNotDeterministic) {
  if (!has_device()) GTEST_SKIP() << "no OpenCL device here";
  for (const Type type : {Type::f32, Type::f64}) {
    const spec::Spec spec = dots(fake("fickle"), type);
    EXPECT_TRUE(spec.entries.empty());
    ASSERT_EQ(spec.refusals.size(), 1U) << testing::refusals(spec);
    EXPECT_EQ(spec.refusals[0].reason, "not_deterministic");
  }
}

}  // namespace
}  // namespace reprosum::reveal
