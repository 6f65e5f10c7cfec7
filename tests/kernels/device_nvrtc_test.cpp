// Every device text compiles for NVIDIA's GPUs, and the machine code has the operations that the
// text asks for and no others: nothing was fused, nothing taken apart.
//
// REPROSUM_CAPABILITIES: "75 80 90 100 120", by default 90. REPROSUM_EVERY_TEXT: not a sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "kernels/device/nvrtc.h"
#include "kernels/launch/matrix_launches.h"
#include "kernels/launch/sum_launches.h"
#include "kernels/text/device_chain.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/kernels/cubin.h"
#include "tests/kernels/orders.h"
#include "tests/kernels/update_orders.h"

namespace reprosum::kernels::launch {
namespace {

std::vector<int> capabilities() {
  const char* const given = std::getenv("REPROSUM_CAPABILITIES");
  std::istringstream words(given == nullptr ? "90" : given);
  std::vector<int> all;
  const std::vector<int> known = device::nvrtc_architectures();
  for (int one = 0; words >> one;)
    if (std::find(known.begin(), known.end(), one) != known.end()) all.push_back(one);
  return all;
}
std::size_t sample() { return std::getenv("REPROSUM_EVERY_TEXT") == nullptr ? 7 : 1; }

void expect_kinds(const std::string& text, int capability) {
  const auto wanted = test::arithmetic_of_text(text);
  const auto made = test::arithmetic_of(device::compile_cuda(text, capability));
  for (const auto& [name, count] : made)
    EXPECT_TRUE(wanted.contains(name)) << count << " " << name << " at " << capability << " of\n"
                                       << text;
  for (const auto& [name, count] : wanted)
    EXPECT_TRUE(made.contains(name)) << "no " << name << " at " << capability << " of\n" << text;
}

class DeviceNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (device::nvrtc_version(&why).empty()) GTEST_SKIP() << why;
    ASSERT_FALSE(capabilities().empty());
  }
};

TEST_F(DeviceNvrtc, SumsHaveTheOperationsOfTheirText) {
  const auto orders = test::library_orders();
  int texts = 0;
  for (std::size_t k = 0; k < orders.size(); k += sample()) {
    SCOPED_TRACE(orders[k].name);
    const spec::Order order = spec::parse_order(orders[k].text);
    const SumLaunches launches(order, orders[k].routine, orders[k].type);
    for (const std::int64_t n : {7, 1003, 100'000}) {
      RowsCall call;
      call.n = std::min<std::int64_t>(n, spec::covered_to(order));
      for (const auto& text : launches.call(call).texts)
        for (const int capability : capabilities()) expect_kinds(text->text, capability), ++texts;
    }
  }
  std::printf("%d texts\n", texts);
}

TEST_F(DeviceNvrtc, TextsThatFlushCompile) {
  for (const spec::Type type : {spec::Type::f32, spec::Type::f64})
    for (const char* const text :
         {"flush inputs 1..999: loop 1 { 0: [f@0 +1 x q]; }",
          "flush both 1..8: loop 1 { 0: [f@0 +1 x q]; } 9..999: split half_up(1) { self, self }"}) {
      RowsCall call;
      call.n = 99;
      for (const auto& made :
           SumLaunches(spec::parse_order(text), spec::Routine::dot, type).call(call).texts)
        for (const int capability : capabilities())
          EXPECT_NO_THROW(device::compile_cuda(made->text, capability)) << made->text;
    }
}

TEST_F(DeviceNvrtc, LongSumsHaveTheOperationsOfTheirText) {
  for (const chain::Op op : {chain::Op::sum, chain::Op::rounded, chain::Op::fused})
    for (const spec::Type type : {spec::Type::f32, spec::Type::f64})
      for (const int capability : capabilities())
        expect_kinds(text::device_chain(op, type, op != chain::Op::rounded, true).text, capability);
}

TEST_F(DeviceNvrtc, ProductsHaveTheOperationsOfTheirText) {
  const auto updates = test::library_updates();
  int texts = 0;
  for (std::size_t k = 0; k < updates.size(); k += 3 * sample() - 2) {
    if (!updates[k].generated) continue;
    SCOPED_TRACE(updates[k].name);
    spec::Spec spec;
    spec.orders = {spec::parse_order(updates[k].text)};
    spec::Entry entry;
    entry.type = updates[k].type;
    entry.regimes = {test::uniform_regime({0, spec::MatrixClass::BetaZero::store, {}}, 2000)};
    const MatrixLaunches launches(spec, entry);
    for (const std::int64_t m : {3, 100, 600, 0}) {
      MatrixCall call;
      call.m = call.n = m, call.k = 333;
      if (m == 0) {  // a matrix whose lines are summands, by a vector
        call.routine = spec::Routine::gemv;
        call.trans_a = spec::Trans::yes;
        call.m = 50, call.n = 1, call.lda = 333;
      }
      call.alpha = 0.5, call.beta = 0.25;
      const spec::MatrixRegime& regime = entry.regimes[0];
      const spec::RegionMap map{&regime, *spec::stretches(regime.rows, call.m),
                                *spec::stretches(regime.columns, call.n)};
      for (const auto& text : launches.call(map, call).texts)
        for (const int capability : capabilities()) expect_kinds(text->text, capability), ++texts;
    }
  }
  std::printf("%d texts\n", texts);
}

// What the counter is for: it sees a contraction.
TEST_F(DeviceNvrtc, AContractionIsSeen) {
  const std::string text =
      text::device_macros() + "KERNEL(1) void f(GLOBAL float *a) { a[0] = a[1] * a[2] + a[3]; }\n";
  EXPECT_EQ(test::arithmetic_of(device::compile_cuda(text, 90)),
            (std::map<std::string, int>{{"FADD", 1}, {"FMUL", 1}}));
  EXPECT_EQ(test::arithmetic_of(device::compile_cuda(text, 90, "--fmad=true")),
            (std::map<std::string, int>{{"FFMA", 1}}));
}

}  // namespace
}  // namespace reprosum::kernels::launch
