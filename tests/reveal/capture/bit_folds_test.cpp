// Sums as work-groups of a GPU make them: lanes that are folded by halves, group by group, lanes
// without a summand being +0.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reveal/target/function_target.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/reveal/capture/planted_captures.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;

struct Groups {
  std::int64_t items = 0, groups = 0;  // work-items of a group, groups: powers of two
  bool fused = false;
};

// lm[k] += lm[k + s], s = half of them, a quarter, ...
template <class T>
T halved(std::vector<T> values) {
  for (std::size_t s = values.size() / 2; s > 0; s /= 2)
    for (std::size_t k = 0; k < s; ++k) values[k] += values[k + s];
  return values[0];
}

template <class T>
TargetFactory dot_of(const Groups& of) {
  return [of](int) {
    return std::make_unique<FunctionTarget>(
        [of](const Call& call, const double* x, const double* y) {
          std::vector<T> sums;
          for (std::int64_t group = 0; group < of.groups; ++group) {
            std::vector<T> items(static_cast<std::size_t>(of.items));
            for (std::int64_t item = 0; item < of.items; ++item) {
              T& sum = items[static_cast<std::size_t>(item)];
              for (std::int64_t k = group * of.items + item; k < call.k; k += of.items * of.groups)
                sum = of.fused ? std::fma(T(x[k]), T(y[k]), sum) : sum + T(x[k]) * T(y[k]);
            }
            sums.push_back(halved(std::move(items)));
          }
          return static_cast<double>(halved(std::move(sums)));
        });
  };
}

// The order that is captured.
spec::Order captured(const TargetFactory& target, Type type, std::int64_t n_max) {
  CaptureOptions options = testing::options_with_replay();
  options.routines = {{Routine::dot, type}};
  options.increments = {{1, 1}};
  options.n_max = n_max;
  options.every_size_to = 200;
  options.random_vectors = 300;
  const spec::Spec spec = capture(target, options);
  EXPECT_EQ(spec.entries.size(), 1U) << testing::refusals(spec);
  EXPECT_TRUE(spec.refusals.empty()) << testing::refusals(spec);
  if (spec.entries.size() != 1) return {};
  EXPECT_EQ(spec::most_summands(spec.entries[0]), n_max);
  EXPECT_LT(spec.entries[0].certificate.calls, 60'000);
  return spec.orders.at(spec::order_of(spec.entries[0]));
}

TEST(BitFolds, GroupsThatAreNeverFullAreCaptured) {
  const spec::Order order = captured(dot_of<double>({256, 16, false}), Type::f64, 3000);
  const auto* const loop = std::get_if<spec::Loop>(&order.regimes.back().rule);
  ASSERT_NE(loop, nullptr) << spec::print(order);
  EXPECT_TRUE(loop->pad);
  EXPECT_EQ(loop->block, 4096);
}

TEST(BitFolds, LanesGoOn) {
  for (const bool fused : {false, true}) {
    const spec::Order order = captured(dot_of<float>({16, 8, fused}), Type::f32, 20'000);
    const auto* const loop = std::get_if<spec::Loop>(&order.regimes.back().rule);
    ASSERT_NE(loop, nullptr) << spec::print(order);
    EXPECT_TRUE(loop->pad);
    EXPECT_EQ(loop->block, 128);
  }
}

}  // namespace
}  // namespace reprosum::reveal
