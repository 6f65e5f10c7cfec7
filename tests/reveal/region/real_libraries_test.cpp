// Region rules of installed libraries, checked on shapes that the learner has not seen.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "dlopen_target.h"
#include "fresh_check.h"

namespace reprosum::reveal::region_testing {
namespace {

struct Case {
  const char* name;
  spec::Type type;
  bool is_gemv;
  spec::Trans a, b;
};

// The library is in this process, so that another one tries whether this processor has what the
// library was told to use (OPENBLAS_CORETYPE).
bool is_illegal_here(DlopenTarget& target, Call call) {
  constexpr std::int64_t kSize = 96;
  call.m = call.k = kSize;
  if (call.routine == spec::Routine::gemm) call.n = kSize;
  const pid_t child = fork();
  if (child == 0) {
    UniformProbe probe;
    probe.a.assign(kSize, 1.0);
    probe.b.assign(kSize, 1.0);
    target.signatures(call, {&probe, 1});
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
         WTERMSIG(status) == SIGILL;
}

class RealLibrary : public testing::TestWithParam<Case> {};

TEST_P(RealLibrary, FreshShapesAreRight) {
  const char* path = std::getenv("REPROSUM_REGION_LIBRARY");
  std::unique_ptr<DlopenTarget> target;
  try {
    target = std::make_unique<DlopenTarget>(path ? path : "libopenblas.so.0");
  } catch (const TargetError& e) {
    GTEST_SKIP() << e.what();
  }
  const Call call =
      call_without_sizes(GetParam().is_gemv ? spec::Routine::gemv : spec::Routine::gemm,
                         GetParam().type, GetParam().a, GetParam().b);
  if (is_illegal_here(*target, call))
    GTEST_SKIP() << "this processor cannot run the kernels of " << target->core();
  RegionOptions options;
  options.is_gemv = GetParam().is_gemv;
  const char* seconds = std::getenv("REPROSUM_REGION_SECONDS");
  if (seconds != nullptr) options.time_limit_s = std::atof(seconds);
  const char* seed = std::getenv("REPROSUM_REGION_SEED");
  if (seed != nullptr) options.seed = std::strtoull(seed, nullptr, 10);
  const char* largest = std::getenv("REPROSUM_REGION_LARGEST");
  if (largest != nullptr) {
    const std::int64_t size = std::atoi(largest);
    options.largest = {size, size, size};
  }
  const bool is_alpha_one = std::getenv("REPROSUM_REGION_ALPHA_ONE") != nullptr;
  const auto source =
      make_signature_source(*target, call, options.seed, is_alpha_one ? Alphas::one : Alphas::any);
  if (std::getenv("REPROSUM_REGION_LOG") != nullptr) {
    options.log = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  }
  // As in a capture: what was learned with one thread is there when more are looked at.
  LearnedRegions one_thread;
  if (const char* threads = std::getenv("REPROSUM_REGION_THREADS")) {
    target->set_threads(1);
    one_thread = learn_regions(*source, options);
    options.similar = &one_thread;
    target->set_threads(std::atoi(threads));
    if (options.log) options.log("---- " + std::string(threads) + " threads");
  }
  const auto start = std::chrono::steady_clock::now();
  const LearnedRegions learned = learn_regions(*source, options);
  const double spent =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  FreshCheck check(*source, learned);
  const char* count = std::getenv("REPROSUM_REGION_FRESH");
  check.look_at_random(count ? std::atoi(count) : 300, options, 2e7, 20240607);
  const char* large = std::getenv("REPROSUM_REGION_LARGE");
  if (large != nullptr && !options.is_gemv)
    check.look_at_large(150, 420, std::atoi(large), 6e7, 20240608);
  std::string classes;
  for (const LearnedRegime& regime : learned.regimes) {
    classes += (classes.empty() ? "" : "/") + std::to_string(regime.rule.classes.size());
  }
  std::printf("| %s %s | %s | %zu | %s | %lld | %lld | %lld | %lld | %lld | %lld | %.1f |\n",
              path ? path : "openblas", target->core(), GetParam().name, learned.regimes.size(),
              classes.c_str(), static_cast<long long>(learned.checked),
              static_cast<long long>(check.tally.right), static_cast<long long>(check.tally.wrong),
              static_cast<long long>(check.tally.uncovered), static_cast<long long>(learned.shapes),
              static_cast<long long>(learned.calls), spent);
  if (check.tally.uncovered > 0) std::printf("  not covered:%s\n", check.tally.holes.c_str());
  if (!learned.stopped.empty()) std::printf("  stopped: %s\n", learned.stopped.c_str());
  for (const auto& note : learned.not_checked) std::printf("  %s\n", note.c_str());
  EXPECT_EQ(check.tally.wrong, 0) << check.tally.first_wrong;
  EXPECT_GT(check.tally.right, 0) << "no rule was learned";
}

constexpr auto f32 = spec::Type::f32, f64 = spec::Type::f64;
constexpr auto N = spec::Trans::no, T = spec::Trans::yes;
INSTANTIATE_TEST_SUITE_P(
    All, RealLibrary,
    testing::Values(Case{"sgemv_N", f32, true, N, N}, Case{"sgemv_T", f32, true, T, N},
                    Case{"dgemv_N", f64, true, N, N}, Case{"dgemv_T", f64, true, T, N},
                    Case{"sgemm_NN", f32, false, N, N}, Case{"sgemm_NT", f32, false, N, T},
                    Case{"sgemm_TN", f32, false, T, N}, Case{"sgemm_TT", f32, false, T, T},
                    Case{"dgemm_NN", f64, false, N, N}, Case{"dgemm_NT", f64, false, N, T},
                    Case{"dgemm_TN", f64, false, T, N}, Case{"dgemm_TT", f64, false, T, T}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace reprosum::reveal::region_testing
