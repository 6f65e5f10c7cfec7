// Long sequential sums on devices, out of order: they have the interpreter's bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/launch/sum_launches.h"
#include "spec/evaluate/evaluate.h"
#include "spec/surface.h"
#include "tests/kernels/chain_data.h"
#include "tests/kernels/launch_runner.h"

namespace reprosum::kernels::launch {
namespace {

constexpr const char* kOrders[] = {
    "zero_start 1..999999: loop 1 { 0: [.@0 +1 x q]; }",
    "1..999999: loop 1 { 0: [0 f@0 +1 x q]; }",
    "1..999999: loop 1 { 0: [f@0 +1 x q]; }",
};

template <class T>
void check(test::LaunchRunner& runner, const std::string& text, spec::Routine routine, int kind,
           std::int64_t n, int step) {
  const spec::Order order = spec::parse_order(text);
  const bool has_y = routine == spec::Routine::dot;
  const SumLaunches sums(order, routine, spec::type_of<T>());
  constexpr std::int64_t kRows = 2;
  RowsCall call;
  call.n = n, call.rows = kRows;
  call.incx = step, call.ldx = step * n + 3, call.ldy = n;
  std::mt19937_64 random(static_cast<std::uint64_t>(kind + n));
  test::ChainData<T> data = test::chain_data<T>(kind, kRows * call.ldx, random);
  std::vector<T> out(kRows);
  std::vector<test::Memory> operands{{data.x.data(), data.x.size() * sizeof(T)}};
  if (has_y) operands.push_back({data.y.data(), data.y.size() * sizeof(T)});
  operands.push_back({out.data(), out.size() * sizeof(T)});
  const Launches launches = sums.call(call);
  EXPECT_EQ(launches.launches.size(), n < kLeastChain ? 1U : 4U);
  runner.run(launches, operands);
  for (std::int64_t row = 0; row < kRows; ++row) {
    const T wanted = spec::evaluate<T>(order, n, data.x.data() + row * call.ldx, step,
                                       has_y ? data.y.data() + row * call.ldy : nullptr, 1);
    const T got = out[static_cast<std::size_t>(row)];
    EXPECT_TRUE((std::isnan(wanted) && std::isnan(got)) ||
                (wanted == got && std::signbit(wanted) == std::signbit(got)))
        << text << " on " << runner.name() << ", kind " << kind << ", n = " << n << ", row " << row
        << ": " << wanted << ", got " << got;
  }
}

void check_all(test::LaunchRunner& runner, std::int64_t n, int kinds) {
  for (int kind = 0; kind < kinds; ++kind) {
    for (const char* order : kOrders) {
      check<double>(runner, order, spec::Routine::dot, kind, n + kind, 1 + kind % 2);
      check<float>(runner, order, spec::Routine::dot, kind, n + kind, 1);
    }
    check<double>(runner, kOrders[0], spec::Routine::sum, kind, n + kind, 1);
    check<float>(runner, kOrders[0], spec::Routine::sum, kind, n + kind, 1 + kind % 2);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(DeviceChain, HasTheInterpretersBitsOnOpenCl) {
  std::string why;
  const auto runner = test::opencl_runner(&why);
  if (runner == nullptr) GTEST_SKIP() << why;
  check_all(*runner, kLeastChain, test::kChainKinds);
}

TEST(DeviceChain, HasTheInterpretersBitsByFibres) {
  const auto runner = test::fibre_runner();
  for (const int kind : {1, 5}) {
    check<double>(*runner, kOrders[1], spec::Routine::dot, kind, kLeastChain + 7, 1);
    check<float>(*runner, kOrders[0], spec::Routine::sum, kind, kLeastChain, 2);
  }
}

// Values of sums of doubles by that text, one for each kind.
std::vector<double> values_by(test::LaunchRunner& runner, const std::string& there,
                              const std::string& planted) {
  const SumLaunches sums(spec::parse_order(kOrders[0]), spec::Routine::sum, spec::Type::f64);
  RowsCall call;
  call.n = kLeastChain;
  Launches launches = sums.call(call);
  auto text = std::make_shared<text::DeviceText>(*launches.texts[0]);
  const std::size_t at = text->text.find(there);
  EXPECT_NE(at, std::string::npos) << there;
  text->text.replace(at, there.size(), planted);
  launches.texts[0] = text;
  std::vector<double> values;
  for (int kind = 0; kind < test::kChainKinds; ++kind) {
    for (int seed = 0; seed < 4; ++seed) {
      std::mt19937_64 random(static_cast<std::uint64_t>(seed));
      test::ChainData<double> data = test::chain_data<double>(kind, call.n, random);
      double value = 0;
      runner.run(launches,
                 {{data.x.data(), data.x.size() * sizeof(double)}, {&value, sizeof value}});
      values.push_back(value);
    }
  }
  return values;
}

// Blocks are what is added, and each check is what some data need.
TEST(DeviceChain, BlocksAreUsedAndChecksAreNeeded) {
  std::string why;
  const auto runner = test::opencl_runner(&why);
  if (runner == nullptr) GTEST_SKIP() << why;
  const auto wanted = values_by(*runner, "", "");
  const auto bits_differ = [&](const std::vector<double>& got) {
    return std::memcmp(got.data(), wanted.data(), got.size() * sizeof(double)) != 0;
  };
  for (const auto& [there, planted] :
       std::vector<std::pair<std::string, std::string>>{{"ADDD(a, net);", "ADDD(a, 0.0);"},
                                                        {"size < limit && ", ""},
                                                        {"ADDD(a, -down) > low && ", ""},
                                                        {" && ADDD(a, up) < high", ""},
                                                        {"tied ? MULD(1e300, 1e300) : ", ""}}) {
    EXPECT_TRUE(bits_differ(values_by(*runner, there, planted))) << there;
  }
}

TEST(DeviceChain, ShortSumsAndManyRowsAreNotOutOfOrder) {
  const spec::Order order = spec::parse_order(kOrders[0]);
  const SumLaunches sums(order, spec::Routine::sum, spec::Type::f64);
  RowsCall call;
  call.n = kLeastChain - 1;
  EXPECT_EQ(sums.call(call).launches.size(), 1U);
  call.n = kLeastChain;
  EXPECT_EQ(sums.call(call).launches.size(), 4U);
  call.rows = kMostChains + 1;
  EXPECT_EQ(sums.call(call).launches.size(), 1U);
  const SumLaunches without(order, spec::Routine::sum, spec::Type::f32, false);
  call.rows = 1;
  EXPECT_EQ(without.call(call).launches.size(), 1U);
}

}  // namespace
}  // namespace reprosum::kernels::launch
