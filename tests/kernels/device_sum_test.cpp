// Sums and dot products as device text: on OpenCL, and as CUDA C++ by fibres, they have the
// interpreter's bits.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <sstream>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/kernels/device_calls.h"
#include "tests/kernels/flush_data.h"
#include "tests/kernels/orders.h"

namespace reprosum::kernels::launch {
namespace {

constexpr std::int64_t kLargest = 5000;

// The launches' values of the rows.
template <class T>
std::vector<T> run(test::LaunchRunner& runner, const Launches& launches, test::Rows<T>& rows,
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
                         std::uint64_t seed, int trials, spec::Flush flush = spec::Flush::none) {
  spec::Order order = spec::parse_order(named.text);
  order.flush = flush;
  const bool has_y = named.routine == spec::Routine::dot;
  const SumLaunches launches(order, named.routine, named.type);
  std::mt19937_64 random(seed);
  const std::int64_t most = std::min(kLargest, spec::covered_to(order));
  std::int64_t outputs = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const std::int64_t n = trial < trials / 2 ? 1 + trial / 2 * (trial % 3 == 2 ? 7 : 1)
                                              : std::int64_t(1 + random() % std::uint64_t(most));
    if (n > most) continue;
    test::Rows<T> rows(random, n, trial % 4 == 0 ? 1 : trial % 13 + 1, trial % 3 == 0 ? 3 : 1,
                       trial % 3 == 0 ? -1 : 1, trial % 5 == 0);
    if (flush != spec::Flush::none && trial % 4 != 0) {
      rows.x.resize(std::max(rows.x.size(), rows.y.size()));
      rows.y.resize(rows.x.size());
      test::fill_near_underflow(random, rows.x, rows.y, has_y);
    }
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
  for (test::NamedOrder& order : test::many_lanes_orders()) orders.push_back(std::move(order));
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
      outputs += spec::is_f32(named.type)
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

// Orders that take subnormal numbers as zero, in data of which many are.
void expect_flushed(test::LaunchRunner& runner) {
  constexpr spec::Flush kFlushing[] = {spec::Flush::inputs, spec::Flush::results,
                                       spec::Flush::both};
  std::size_t seen = 0, printed = 0;
  std::int64_t outputs = 0;
  for (const test::NamedOrder& named : every_order()) {
    if (spec::has_wide(spec::parse_order(named.text)) || seen++ % 3 != 0) continue;
    SCOPED_TRACE(named.name);
    const spec::Flush flush = kFlushing[seen / 3 % 3];
    try {
      outputs += spec::is_f32(named.type)
                     ? expect_bits<float>(runner, named, 50 + seen, 16, flush)
                     : expect_bits<double>(runner, named, 50 + seen, 16, flush);
      ++printed;
    } catch (const UserError& refused) {
      std::printf("%s: %s\n", named.name.c_str(), refused.what());
    }
    if (testing::Test::HasFailure()) return;
  }
  std::printf("%zu orders, %lld outputs\n", printed, static_cast<long long>(outputs));
  EXPECT_GT(printed, 10u);
}

TEST(DeviceSum, FlushesAsTheInterpreterDoesOnOpenCl) {
  std::string why;
  const auto runner = test::opencl_runner(&why);
  if (runner == nullptr) GTEST_SKIP() << why;
  expect_flushed(*runner);
}

TEST(DeviceSum, FlushesAsTheInterpreterDoesByFibres) { expect_flushed(*test::fibre_runner()); }

TEST(DeviceSum, FibresFindAMissingBarrier) {
  std::mt19937_64 random(3);
  test::Rows<float> rows(random, 299, 5, 1, 1, false);
  const Launches right = test::lanes_that_meet()->call(rows.call);
  const auto runner = test::fibre_runner();
  EXPECT_NO_THROW(run(*runner, right, rows, true));
  EXPECT_THROW(run(*runner, test::without_barrier(right), rows, true), InternalError);
}

// The comment in front of each kernel is the order that the kernel has.
TEST(DeviceSum, HasTheOrderThatItsTextNames) {
  const auto runner = test::fibre_runner();
  std::mt19937_64 random(5);
  int read = 0;
  const auto orders = test::library_orders();
  for (std::size_t k = 0; k < orders.size(); ++k) {
    const bool has_y = orders[k].routine == spec::Routine::dot;
    if (orders[k].type != spec::Type::f64) continue;
    const SumLaunches launches(spec::parse_order(orders[k].text), orders[k].routine,
                               orders[k].type);
    test::Rows<double> rows(random, std::min<std::int64_t>(99, orders[k].n_max), 3, 1, 1, false);
    const Launches made = launches.call(rows.call);
    if (made.launches.size() != 1) continue;  // the kernels of pieces have their own orders
    std::string named;
    std::istringstream lines(made.texts.at(0)->text.substr(text::device_macros().size()));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("//")) named += line.substr(2) + "\n";
    // An order begins at 1, a regime need not.
    const std::int64_t first = std::atoll(named.c_str());
    if (first > 1)
      named = "1.." + std::to_string(first - 1) + ": loop 1 { 0: [.@0 +1 x q]; }\n" + named;
    const std::vector<double> got = run(*runner, made, rows, has_y);
    const spec::Order order = spec::parse_order(named);
    for (std::int64_t r = 0; r < rows.call.rows; ++r)
      EXPECT_TRUE(test::same(rows.value(order, r, has_y), got[static_cast<std::size_t>(r)]))
          << orders[k].name << "\n"
          << named;
    ++read;
  }
  EXPECT_GT(read, 3);
}

TEST(DeviceSum, SaysWhatItHasNoKernelsFor) {
  const auto why = [](const std::string& text) -> std::string {
    try {
      RowsCall call;
      call.n = 99;
      SumLaunches(spec::parse_order(text), spec::Routine::dot, spec::Type::f64).call(call);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  for (const test::NamedOrder& named : test::lane_orders())
    EXPECT_NE(why(named.text).find("lanes that a sub-order adds"), std::string::npos)
        << why(named.text);
  EXPECT_NE(why("1..98: loop 1 { 0: [f@0 +1 x q]; }").find("not defined at n = 99"),
            std::string::npos);
}

}  // namespace
}  // namespace reprosum::kernels::launch
