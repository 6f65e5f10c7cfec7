// capture() and verify() when the run is ended from outside.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "tests/reveal/capture/planted_captures.h"
#include "tests/reveal/target/refusing_targets.h"

namespace reprosum::reveal {
namespace {

using Routines = std::vector<std::pair<spec::Routine, spec::Type>>;

const Routines kProduct{{spec::Routine::gemv, spec::Type::f64}};
const Routines kAll{{spec::Routine::gemm, spec::Type::f32},
                    {spec::Routine::gemv, spec::Type::f64},
                    {spec::Routine::dot, spec::Type::f64},
                    {spec::Routine::sum, spec::Type::f32}};

CaptureOptions options_for(const Routines& routines) {
  CaptureOptions options = testing::options_with_replay();
  options.routines = routines;
  options.threads = {1, 2};
  options.increments = {{1, 1}, {2, 1}};
  options.n_max = 2000;
  options.random_vectors = 200;
  options.largest = {96, 96, 200};
  options.matrix_work = 1e6;
  return options;
}

std::unique_ptr<Target> planted(FunctionTarget::MatrixFunction function, const Routines& routines) {
  auto target = std::make_unique<FunctionTarget>(testing::sequential(), routines);
  target->set_matrix_function(std::move(function));
  return target;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(RunEnd, KeepsWhatWasCapturedAndListsTheRest) {
  CaptureOptions options = options_for(kProduct);
  std::atomic<bool> over = false;
  options.is_over = [&] { return over.load(); };
  // The first call with two threads ends the run, so that all contexts with one are captured.
  const auto open = [&](int threads) {
    return planted(
        [&over, threads, plain = testing::rows_by_four()](
            const Call& call, std::int64_t i, std::int64_t j, const double* a, const double* b,
            double alpha, double beta, double c) {
          if (threads == 2) over = true;
          return plain(call, i, j, a, b, alpha, beta, c);
        },
        kProduct);
  };
  const spec::Spec spec = capture(open, options);
  std::size_t contexts = 0;
  for (const spec::Entry& entry : spec.entries) {
    EXPECT_EQ(entry.guard.threads, std::vector<int>{1});
    for (const auto& [incx, incy] : {std::pair{1, 1}, {2, 1}})
      contexts += spec::admits(entry.guard.increments, incx, incy) ? 1 : 0;
  }
  EXPECT_EQ(contexts, 4u);  // N and T, two increments each
  ASSERT_EQ(spec.refusals.size(), 1u);
  EXPECT_EQ(spec.refusals[0].routine, "dgemv");
  EXPECT_EQ(spec.refusals[0].reason, "not_reached");
  // N and T, two increments each, and k = 0
  EXPECT_EQ(count(spec.refusals[0].detail, "threads=2"), 6u) << spec.refusals[0].detail;
  EXPECT_EQ(count(spec.refusals[0].detail, "threads=1"), 0u);
}

// A run that is over after the first routine has captured the cheapest one, if asked to.
TEST(RunEnd, CheapRoutinesMayComeFirst) {
  CaptureOptions options =
      options_for({{spec::Routine::gemv, spec::Type::f64}, {spec::Routine::sum, spec::Type::f32}});
  options.workers = 1;
  options.threads = {1};
  for (const bool cheap_first : {false, true}) {
    options.cheap_first = cheap_first;
    bool has_summed = false, has_multiplied = false, sums_came_first = false;
    const auto open = [&](int) {
      auto target = std::make_unique<FunctionTarget>(
          [&](const Call& call, const double* x, const double* y) {
            has_summed = true;
            return testing::sequential()(call, x, y);
          },
          options.routines);
      target->set_matrix_function([&](const Call&, std::int64_t, std::int64_t, const double*,
                                      const double*, double, double, double) {
        has_multiplied = true;
        sums_came_first = has_summed;
        return 1.0;  // no product: refused at once
      });
      return target;
    };
    capture(open, options);
    EXPECT_TRUE(has_multiplied);
    EXPECT_EQ(sums_came_first, cheap_first);
  }
}

TEST(RunEnd, ListsEveryContextOfEveryRoutineWhereItIsOverAtOnce) {
  CaptureOptions options = options_for(kAll);
  options.is_over = [] { return true; };
  const spec::Spec spec =
      capture([](int) { return planted(testing::rows_by_four(), kAll); }, options);
  EXPECT_TRUE(spec.entries.empty());
  ASSERT_EQ(spec.refusals.size(), kAll.size());
  for (const spec::Refusal& refusal : spec.refusals) {
    EXPECT_EQ(refusal.reason, "not_reached");
    // Two thread counts, and for each: four transposes with k = 0 apart; two with two increments
    // and k = 0; two increments and n <= 0.
    const std::size_t wanted = refusal.routine == "sgemm"   ? 16
                               : refusal.routine == "dgemv" ? 12
                                                            : 6;
    EXPECT_EQ(count(refusal.detail, "threads="), wanted) << refusal.detail;
  }
}

// Wherever the end falls, no handler takes it for a refusal or a fault of the target.
TEST(RunEnd, IsTakenForNothingElse) {
  for (const std::int64_t asked : {1, 30, 300, 1500, 4000}) {
    CaptureOptions options = options_for(kAll);
    std::atomic<std::int64_t> left = asked;
    options.is_over = [&] { return --left < 0; };
    const spec::Spec spec =
        capture([](int) { return planted(testing::rows_by_four(), kAll); }, options);
    for (const spec::Refusal& refusal : spec.refusals)
      EXPECT_EQ(refusal.reason, "not_reached")
          << asked << ": " << refusal.context << ": " << refusal.detail;
    EXPECT_EQ(spec.refusals.empty(), left >= 0) << asked;
  }
}

TEST(RunEnd, OfAVerifyIsATimeout) {
  CaptureOptions options = options_for(kProduct);
  options.threads = {1};
  const auto open = [](int) { return planted(testing::rows_by_four(), kProduct); };
  const spec::Spec spec = capture(open, options);
  ASSERT_TRUE(verify(spec, open, options).holds);
  options.is_over = [] { return true; };
  try {
    verify(spec, open, options);
    FAIL() << "verified in no time";
  } catch (const TargetError& error) {
    EXPECT_EQ(error.reason, "timed_out");
  }
}

}  // namespace
}  // namespace reprosum::reveal
