// Plain orders: what is captured of them reaches as far as was asked, in few calls, and the
// interpreter gives their bits. (tests/kernels/orders.cpp has the same orders for the kernels.)
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "reveal/target/function_target.h"
#include "spec/evaluate/replay.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/reveal/capture/planted_captures.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;
using Sum = std::function<double(std::int64_t n, const double* x, const double* y)>;

constexpr std::int64_t kLargest = 20'000;

// Numbers of many sizes that cancel, at sizes that nobody chose.
void expect_same_bits(const spec::Order& order, const Sum& sum, bool is_dot) {
  std::mt19937_64 random(11);
  const auto number = [&] {
    const int exponent = static_cast<int>(random() % 40) - 20;
    const double value = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, exponent);
    return (random() & 1U) != 0 ? value : -value;
  };
  for (int k = 0; k < 250; ++k) {
    const auto n =
        1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(kLargest >> (k % 12)));
    std::vector<double> x(static_cast<std::size_t>(n)), y(x.size());
    for (double& value : x) value = number();
    for (double& value : y) value = number();
    const double want = sum(n, x.data(), y.data());
    const double got = spec::replay(order, Type::f64, n, x.data(), is_dot ? y.data() : nullptr);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(want))
        << "n = " << n << "\n"
        << spec::print(order);
  }
}

void expect_captured(Routine routine, const Sum& sum, std::int64_t calls = 150'000) {
  CaptureOptions options = testing::options_with_replay();
  options.routines = {{routine, Type::f64}};
  options.increments = {{1, routine == Routine::dot ? 1 : 0}};
  options.n_max = kLargest;
  options.random_vectors = 500;
  options.every_size_to = 300;
  const auto open = [&](int) {
    return std::make_unique<FunctionTarget>(
        [sum](const Call& call, const double* x, const double* y) { return sum(call.k, x, y); });
  };
  const spec::Spec spec = capture(open, options);
  ASSERT_EQ(spec.entries.size(), 1U) << testing::refusals(spec);
  EXPECT_TRUE(spec.refusals.empty()) << testing::refusals(spec);
  EXPECT_EQ(spec::most_summands(spec.entries[0]), kLargest);
  EXPECT_LT(spec.entries[0].certificate.calls, calls);
  const spec::Order& order = spec.orders.at(spec::order_of(spec.entries[0]));
  expect_same_bits(order, sum, routine == Routine::dot);
}

// NumPy's sum: eight lanes, halves, chunks.
double pairwise(std::int64_t n, const double* x) {
  if (n < 8) {
    double sum = x[0];
    for (std::int64_t k = 1; k < n; ++k) sum += x[k];
    return sum;
  }
  if (n <= 128) {
    double lane[8];
    for (int l = 0; l < 8; ++l) lane[l] = x[l];
    for (std::int64_t k = 8; k < n / 8 * 8; ++k) lane[k % 8] += x[k];
    double sum =
        ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    for (std::int64_t k = n / 8 * 8; k < n; ++k) sum += x[k];
    return sum;
  }
  const std::int64_t half = n / 2 / 8 * 8;
  return pairwise(half, x) + pairwise(n - half, x + half);
}

TEST(PlainOrders, OneSummandAndAKnownOrderOfTheOthers) {
  // np.add.reduceat, and so SciPy's sums of sparse rows.
  expect_captured(Routine::sum, [](std::int64_t n, const double* x, const double*) {
    return n == 1 ? x[0] : x[0] + pairwise(n - 1, x + 1);
  });
  expect_captured(Routine::sum, [](std::int64_t n, const double* x, const double*) {
    return n == 1 ? x[0] : pairwise(n - 1, x) + x[n - 1];
  });
}

TEST(PlainOrders, ProductsAreFusedFromSomeSizeOn) {
  for (const std::int64_t border : {500, 3000, 15'000})
    expect_captured(Routine::dot, [border](std::int64_t n, const double* x, const double* y) {
      double sum = x[0] * y[0];
      for (std::int64_t k = 1; k < n; ++k)
        sum = n > border ? std::fma(x[k], y[k], sum) : sum + x[k] * y[k];
      return sum;
    });
}

TEST(PlainOrders, ArithmeticAlternatesFromSummandToSummand) {
  for (const bool from_zero : {false, true})
    expect_captured(Routine::dot, [from_zero](std::int64_t n, const double* x, const double* y) {
      double sum = from_zero ? 0 + x[0] * y[0] : x[0] * y[0];
      for (std::int64_t k = 1; k < n; ++k)
        sum = k % 2 != 0 ? std::fma(x[k], y[k], sum) : sum + x[k] * y[k];
      return sum;
    });
}

TEST(PlainOrders, ArithmeticAlternatesInLanes) {
  expect_captured(Routine::dot, [](std::int64_t n, const double* x, const double* y) {
    const std::int64_t main = n / 4 * 4;
    double lane[4] = {0, 0, 0, 0}, sum = 0;
    for (std::int64_t k = 0; k < main; ++k)
      lane[k % 4] = k / 4 % 3 == 1 ? lane[k % 4] + x[k] * y[k] : std::fma(x[k], y[k], lane[k % 4]);
    sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    for (std::int64_t k = main; k < n; ++k) sum += x[k] * y[k];
    return sum;
  });
}

TEST(PlainOrders, TheLaterOfFewComeFirst) {
  expect_captured(Routine::sum, [](std::int64_t n, const double* x, const double*) {
    double sum = 0;
    for (std::int64_t at = 0; at < n; at += 5)
      for (std::int64_t k = std::min(at + 5, n); k-- > at;) sum += x[k];
    return sum;
  });
}

}  // namespace
}  // namespace reprosum::reveal
