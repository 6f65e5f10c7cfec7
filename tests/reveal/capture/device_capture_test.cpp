// Captures of libraries that compute on a device.
#include <gtest/gtest.h>

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
  EXPECT_EQ(spec.entries[0].n_max, 60);
  // A call on a CPU has no device: no guard is on one, nor on addresses that cannot be chosen.
  EXPECT_EQ(spec.entries[0].guard.modulus, 1);
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
    EXPECT_EQ(spec.entries[0].n_max, 4096) << testing::refusals(spec);
  }
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
