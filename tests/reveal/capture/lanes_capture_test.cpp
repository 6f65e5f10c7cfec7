// Captures of sums whose lanes have an order of their own, and of rules that end.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "reveal/capture.h"
#include "reveal/target/function_target.h"
#include "spec/evaluate/replay.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

// Four levels of 2^power rows each, in `width` lanes; the last level is never emptied.
template <class T>
std::vector<T> cascade(const double* x, std::size_t rows, std::size_t width, int power) {
  constexpr int kLevels = 4;
  std::vector<std::vector<T>> sums(kLevels, std::vector<T>(width, T(0)));
  const std::size_t step = std::size_t{1} << power;
  const auto add = [&](std::size_t row) {
    for (std::size_t l = 0; l < width; ++l) sums[0][l] += static_cast<T>(x[row * width + l]);
  };
  std::size_t row = 0;
  while (row + step <= rows) {
    for (std::size_t k = 0; k < step; ++k, ++row) add(row);
    for (int level = 1; level < kLevels; ++level) {
      for (std::size_t l = 0; l < width; ++l) {
        sums[std::size_t(level)][l] += sums[std::size_t(level - 1)][l];
        sums[std::size_t(level - 1)][l] = T(0);
      }
      if ((row & ((step - 1) << (power * level))) != 0) break;
    }
  }
  for (; row < rows; ++row) add(row);
  for (int level = 1; level < kLevels; ++level)
    for (std::size_t l = 0; l < width; ++l) sums[0][l] += sums[std::size_t(level)][l];
  return sums[0];
}

// Two accumulators of four lanes, whose levels are eight rows wide; then the summands left over and
// the lanes one by one, from +0.
template <class T>
double lanes_of_levels(const Call& call, const double* x, const double*) {
  const auto n = static_cast<std::size_t>(call.k), rows = n / 8, vectors = n / 4;
  std::vector<T> sums = cascade<T>(x, rows, 8, 3);
  for (std::size_t v = 2 * rows; v < vectors; ++v)
    for (std::size_t l = 0; l < 4; ++l) sums[l] += static_cast<T>(x[4 * v + l]);
  for (std::size_t l = 0; l < 4; ++l) sums[l] += sums[4 + l];
  T sum = 0;
  for (std::size_t k = 4 * vectors; k < n; ++k) sum += static_cast<T>(x[k]);
  for (std::size_t l = 0; l < 4; ++l) sum += sums[l];
  return static_cast<double>(sum);
}

CaptureOptions small_options(spec::Type type) {
  CaptureOptions options;
  options.routines = {{spec::Routine::sum, type}};
  options.increments = {{1, 0}};
  options.n_max = 3000;
  options.random_vectors = 500;
  options.every_size_to = 300;
  return options;
}

spec::Spec captured(const FunctionTarget::Function& function, const CaptureOptions& options) {
  return capture([function](int) { return std::make_unique<FunctionTarget>(function); }, options);
}

TEST(LanesCapture, LevelsInLanesAreCaptured) {
  for (const bool is_f32 : {true, false}) {
    const spec::Spec spec = captured(is_f32 ? lanes_of_levels<float> : lanes_of_levels<double>,
                                     small_options(is_f32 ? spec::Type::f32 : spec::Type::f64));
    ASSERT_EQ(spec.entries.size(), 1U)
        << (spec.refusals.empty() ? "" : spec.refusals[0].reason + ": " + spec.refusals[0].detail);
    EXPECT_EQ(spec::most_summands(spec.entries[0]), 3000);
    EXPECT_TRUE(spec::has_sub_runs(spec.orders[spec::order_of(spec.entries[0])]));
    EXPECT_TRUE(spec.orders[spec::order_of(spec.entries[0])].zero_start);
  }
}

// Two threads from 1000 summands on: the halves follow what one thread does with any number.
TEST(LanesCapture, ThreadsCutWhatOneThreadDoes) {
  CaptureOptions options = small_options(spec::Type::f32);
  options.threads = {1, 2};
  const auto open = [](int threads) {
    return std::make_unique<FunctionTarget>(
        [threads](const Call& call, const double* x, const double* y) {
          if (threads == 1 || call.k <= 1000) return lanes_of_levels<float>(call, x, y);
          Call first = call, second = call;
          first.k = (call.k + 1) / 2;
          second.k = call.k - first.k;
          return double(float(lanes_of_levels<float>(first, x, y)) +
                        float(lanes_of_levels<float>(second, x + first.k, y)));
        });
  };
  const spec::Spec spec = capture(open, options);
  int covered = 0;
  for (const spec::Entry& entry : spec.entries)
    if (spec::most_summands(entry) == 3000) covered += static_cast<int>(entry.guard.threads.size());
  EXPECT_EQ(covered, 2) << (spec.refusals.empty() ? "" : spec.refusals[0].detail);
}

// Beyond 900 summands every size has a tree of its own: what is below is certified and kept.
TEST(LanesCapture, ARuleThatEndsIsKeptBelow) {
  const auto ends = [](const Call& call, const double* x, const double*) {
    const auto n = static_cast<std::size_t>(call.k);
    std::vector<float> values(x, x + n);
    if (n > 900)  // pairs are added in an order that the size shuffles
      for (std::size_t k = n, state = n; k > 1; --k) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        std::swap(values[k - 1], values[(state >> 33) % k]);
      }
    float sum = values[0];
    for (std::size_t k = 1; k < n; ++k) sum += values[k];
    return double(sum);
  };
  const spec::Spec spec = captured(ends, small_options(spec::Type::f32));
  ASSERT_EQ(spec.entries.size(), 1U);
  EXPECT_EQ(spec::most_summands(spec.entries[0]), 900);
  ASSERT_FALSE(spec.refusals.empty());
  EXPECT_EQ(spec.refusals[0].reason, "unknown_rule");
}

}  // namespace
}  // namespace reprosum::reveal
