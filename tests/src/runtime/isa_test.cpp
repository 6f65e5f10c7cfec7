// A forced instruction set is the one that runs, by name, by environment and by handle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "kernels/kernel.h"
#include "sample_specs.h"
#include "src/runtime/cache_directory.h"
#include "src/runtime/replayer.h"

namespace reprosum {
namespace {

constexpr reprosum_reduction kDot = {REPROSUM_DOT, REPROSUM_F64, 1000, 1, 1, 0, 0, 0};

std::string isa_that_runs(reprosum_handle* handle) {
  char name[200] = "";
  const char* isa = "";
  EXPECT_EQ(reprosum_kernel_name(handle, &kDot, name, sizeof name, &isa), REPROSUM_OK)
      << reprosum_last_error(handle);
  const std::string text = name;
  EXPECT_TRUE(text.starts_with("ddot_")) << text;
  EXPECT_TRUE(text.ends_with(std::string("_") + isa)) << text;
  return isa;
}

TEST(Isa, ForcedOneRunsAndBitsAreTheSame) {
  reprosum_handle* handle = samples::open(samples::plain_spec());
  ASSERT_NE(handle, nullptr);
  const std::vector<double> x = samples::random_data<double>(1000, 41);
  double wanted = 0;
  ASSERT_EQ(reprosum_set_isa(handle, "interpreter"), REPROSUM_OK);
  EXPECT_EQ(isa_that_runs(handle), "interpreter");
  ASSERT_EQ(reprosum_ddot(handle, 1000, x.data(), 1, x.data(), 1, &wanted), REPROSUM_OK);
  for (const kernels::Isa isa : kernels::host_isas()) {
    ASSERT_EQ(reprosum_set_isa(handle, kernels::name(isa)), REPROSUM_OK);
    EXPECT_EQ(isa_that_runs(handle), kernels::name(isa));
    double got = 0;
    ASSERT_EQ(reprosum_ddot(handle, 1000, x.data(), 1, x.data(), 1, &got), REPROSUM_OK);
    EXPECT_EQ(got, wanted) << kernels::name(isa);
  }
  ASSERT_EQ(reprosum_set_isa(handle, nullptr), REPROSUM_OK);
  const auto isas = kernels::host_isas();
  EXPECT_EQ(isa_that_runs(handle), kernels::name(*std::max_element(isas.begin(), isas.end())));
  reprosum_close(handle);
}

TEST(Isa, EnvironmentForcesIt) {
  ASSERT_EQ(setenv("REPROSUM_ISA", "interpreter", 1), 0);
  reprosum_handle* handle = samples::open(samples::plain_spec());
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(isa_that_runs(handle), "interpreter");
  reprosum_close(handle);
  ASSERT_EQ(setenv("REPROSUM_ISA", "sse9", 1), 0);
  EXPECT_EQ(samples::open(samples::plain_spec()), nullptr);
  EXPECT_NE(std::string(reprosum_last_error(nullptr)).find("REPROSUM_ISA"), std::string::npos);
  ASSERT_EQ(unsetenv("REPROSUM_ISA"), 0);
}

// The name of what serves dot products with increments 2, which are sequential, of n summands.
std::string kernel_of(reprosum_handle* handle, std::int64_t n) {
  const reprosum_reduction dot = {REPROSUM_DOT, REPROSUM_F64, n, 2, 2, 0, 0, 0};
  char name[200] = "";
  EXPECT_EQ(reprosum_kernel_name(handle, &dot, name, sizeof name, nullptr), REPROSUM_OK);
  return name;
}

TEST(Isa, LongSumsOfOneAccumulatorAreOutOfOrderUnlessForbidden) {
  const std::vector<double> x = samples::random_data<double>(6'000, 42);
  const auto opened = [] { return samples::open(samples::strided_spec()); };
  const auto dot = [&](reprosum_handle* handle) {
    double value = 0;
    EXPECT_EQ(reprosum_ddot(handle, 3'000, x.data(), 2, x.data(), 2, &value), REPROSUM_OK);
    return value;
  };
  reprosum_handle* handle = opened();
  ASSERT_NE(handle, nullptr);
  const std::string short_one = kernel_of(handle, 1000);
  const bool has_chains = short_one.find("_avx") != std::string::npos;
  EXPECT_EQ(kernel_of(handle, 3'000), short_one + (has_chains ? "_chain" : ""));
  const double value = dot(handle);
  ASSERT_EQ(reprosum_set_isa(handle, "interpreter"), REPROSUM_OK);
  EXPECT_EQ(dot(handle), value);
  reprosum_close(handle);
  ASSERT_EQ(setenv("REPROSUM_LONG_SUMS", "backwards", 1), 0);
  EXPECT_EQ(opened(), nullptr);
  EXPECT_NE(std::string(reprosum_last_error(nullptr)).find("REPROSUM_LONG_SUMS"),
            std::string::npos);
  ASSERT_EQ(unsetenv("REPROSUM_LONG_SUMS"), 0);
}

TEST(Isa, ALongNameIsCut) {
  reprosum_handle* handle = samples::open(samples::plain_spec());
  ASSERT_NE(handle, nullptr);
  char name[6] = "?????";
  EXPECT_EQ(reprosum_kernel_name(handle, &kDot, name, 5, nullptr), REPROSUM_OK);
  EXPECT_STREQ(name, "ddot");
  EXPECT_EQ(name[5], '\0');
  reprosum_close(handle);
}

TEST(CacheDirectory, FollowsTheEnvironment) {
  const auto with = [](const char* own, const char* shared, const char* home) {
    const auto set = [](const char* name, const char* value) {
      value == nullptr ? unsetenv(name) : setenv(name, value, 1);
    };
    set("REPROSUM_CACHE_DIR", own);
    set("XDG_CACHE_HOME", shared);
    set("HOME", home);
    return runtime::cache_directory();
  };
  const std::string before_own = std::getenv("REPROSUM_CACHE_DIR") ?: "";
  const std::string before_home = std::getenv("HOME") ?: "";
  EXPECT_EQ(with("/a", "/b", "/c"), "/a");
  EXPECT_EQ(with("a", "/b", "/c"), (std::filesystem::current_path() / "a").string());
  EXPECT_EQ(with("", "/b", "/c"), "");
  EXPECT_EQ(with(nullptr, "/b", "/c"), "/b/reprosum");
  EXPECT_EQ(with(nullptr, "relative", "/c"), "/c/.cache/reprosum");
  EXPECT_EQ(with(nullptr, nullptr, "/c"), "/c/.cache/reprosum");
  EXPECT_EQ(with(nullptr, nullptr, nullptr), "");
  with(before_own.c_str(), nullptr, before_home.c_str());
}

}  // namespace
}  // namespace reprosum
