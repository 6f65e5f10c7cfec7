// Sums and dot products as device text: on OpenCL, and as CUDA C++ by fibres, they have the
// interpreter's bits.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "kernels/interpreter.h"
#include "kernels/launch/sum_launches.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/kernels/launch_runner.h"
#include "tests/kernels/orders.h"

namespace reprosum::kernels::launch {
namespace {

constexpr std::int64_t kLargest = 5000;

// Rows of n summands with gaps between them, read with increments of any sign.
template <class T>
struct Rows {
  RowsCall call;
  std::vector<T> x, y;

  Rows(std::mt19937_64& random, std::int64_t n, std::int64_t rows, std::int64_t incx,
       std::int64_t incy, bool special) {
    call.n = n;
    call.rows = rows;
    x = side(random, special, incx, call.x_at, call.incx, call.ldx);
    y = side(random, special, incy, call.y_at, call.incy, call.ldy);
  }
  std::vector<T> side(std::mt19937_64& random, bool special, std::int64_t inc, std::int64_t& at,
                      std::int64_t& step, std::int64_t& ld) const {
    const std::int64_t length = (call.n - 1) * std::abs(inc) + 1;
    step = inc;
    ld = length + 3;
    at = 2 + (inc < 0 ? length - 1 : 0);
    return test::hostile_data<T>(random, ld * call.rows + 2, special);
  }
  // By the interpreter.
  T value(const spec::Order& order, std::int64_t row, bool has_y) const {
    return evaluate<T>(order, call.n, x.data() + call.x_at + row * call.ldx, call.incx,
                       has_y ? y.data() + call.y_at + row * call.ldy : nullptr, call.incy);
  }
};

// The launches' values of the rows.
template <class T>
std::vector<T> run(test::LaunchRunner& runner, const Launches& launches, Rows<T>& rows,
                   bool has_y) {
  std::vector<T> out(static_cast<std::size_t>(rows.call.rows) + 1, T(12345));
  std::vector<test::Memory> operands{{rows.x.data(), rows.x.size() * sizeof(T)}};
  if (has_y) operands.push_back({rows.y.data(), rows.y.size() * sizeof(T)});
  operands.push_back({out.data(), out.size() * sizeof(T)});
  runner.run(launches, operands);
  EXPECT_EQ(out.back(), T(12345)) << "more rows than there are";
  out.pop_back();
  return out;
}

template <class T>
std::int64_t expect_bits(test::LaunchRunner& runner, const test::NamedOrder& named,
                         std::uint64_t seed, int trials) {
  const spec::Order order = spec::parse_order(named.text);
  const bool has_y = named.routine == spec::Routine::dot;
  const SumLaunches launches(order, named.routine, named.type);
  std::mt19937_64 random(seed);
  const std::int64_t most = std::min(kLargest, spec::covered_to(order));
  std::int64_t outputs = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const std::int64_t n = trial < trials / 2 ? 1 + trial / 2 * (trial % 3 == 2 ? 7 : 1)
                                              : std::int64_t(1 + random() % std::uint64_t(most));
    if (n > most) continue;
    Rows<T> rows(random, n, trial % 4 == 0 ? 1 : trial % 13 + 1, trial % 3 == 0 ? 3 : 1,
                 trial % 3 == 0 ? -1 : 1, trial % 5 == 0);
    std::vector<T> wanted;
    try {
      for (std::int64_t r = 0; r < rows.call.rows; ++r)
        wanted.push_back(rows.value(order, r, has_y));
    } catch (const UserError&) {
      continue;  // explicit trees have gaps
    }
    const std::vector<T> got = run(runner, launches.call(rows.call), rows, has_y);
    for (std::int64_t r = 0; r < rows.call.rows; ++r, ++outputs) {
      const T want = wanted[static_cast<std::size_t>(r)], value = got[static_cast<std::size_t>(r)];
      EXPECT_TRUE(test::same(want, value))
          << named.name << " on " << runner.name() << " n = " << n << " row " << r << " of "
          << rows.call.rows << " seed " << seed << ": " << want << " " << value;
      if (testing::Test::HasFailure()) return outputs;
    }
  }
  return outputs;
}

std::vector<test::NamedOrder> every_order() {
  auto orders = test::library_orders();
  for (test::NamedOrder& order : test::synthetic_orders()) orders.push_back(std::move(order));
  std::mt19937_64 random(7);
  for (int k = 0; k < 10; ++k) {
    orders.push_back(test::random_order(random));
    orders.back().name = "random " + std::to_string(k);
  }
  return orders;
}

void expect_all(test::LaunchRunner& runner, int trials) {
  std::size_t printed = 0;
  std::int64_t outputs = 0;
  for (const test::NamedOrder& named : every_order()) {
    SCOPED_TRACE(named.name);
    try {
      outputs += named.type == spec::Type::f32
                     ? expect_bits<float>(runner, named, 20 + printed, trials)
                     : expect_bits<double>(runner, named, 20 + printed, trials);
      ++printed;
    } catch (const UserError& refused) {
      std::printf("%s: %s\n", named.name.c_str(), refused.what());
    }
    if (testing::Test::HasFailure()) return;
  }
  std::printf("%zu orders, %lld outputs\n", printed, static_cast<long long>(outputs));
  EXPECT_GT(printed, 40u);
}

TEST(DeviceSum, HasTheInterpretersBitsOnOpenCl) {
  std::string why;
  const auto runner = test::opencl_runner(&why);
  if (runner == nullptr) GTEST_SKIP() << why;
  expect_all(*runner, 24);
}

TEST(DeviceSum, HasTheInterpretersBitsByFibres) { expect_all(*test::fibre_runner(), 24); }

}  // namespace
}  // namespace reprosum::kernels::launch
