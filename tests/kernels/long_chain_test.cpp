// Which orders are one long chain, and that kernels serve them so from some n on.
#include "kernels/chain/long_chain.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/kernel.h"
#include "kernels/plan/pieces.h"
#include "spec/error.h"
#include "spec/evaluate/evaluate.h"
#include "spec/surface.h"
#include "tests/kernels/chain_data.h"

namespace reprosum::kernels {
namespace {

using chain::counts;
using chain::kLeast;

std::optional<Sequential> form(const std::string& text, spec::Routine routine) {
  const spec::Order order = spec::parse_order(text);
  RulePlan plan;
  std::string why;
  EXPECT_TRUE(plan_piece(pieces_of(order).at(0), spec::Type::f32, plan, why)) << why;
  return sequential(plan, routine);
}

TEST(Sequential, OrdersOfOneAccumulator) {
  const auto dot = [](const std::string& text) { return form(text, spec::Routine::dot); };
  EXPECT_EQ(dot("1..99999: loop 1 { 0: [.@0 +1 x q]; }"), (Sequential{false, false, 1}));
  EXPECT_EQ(dot("1..99999: loop 1 { 0: [f@0 +1 x q]; }"), (Sequential{false, true, 1}));
  EXPECT_EQ(dot("1..99999: loop 1 { 0: [0 f@0 +1 x q]; }"), (Sequential{true, true, 1}));
  EXPECT_EQ(dot("1..99999: loop 4 { 0..3: [.@0 +1 x 4q .@4q +1 x r]; }").value().fused, false);
  EXPECT_EQ(form("1..99999: loop 1 { 0: [.@0 +1 x q]; }", spec::Routine::sum),
            (Sequential{false, false, 1}));
}

TEST(Sequential, OrdersThatAreNot) {
  for (const char* text : {
           "1..99999: loop 2 { 0..1: L = [.@0 +2 x q]; [L@0 L@1 .@2q +1 x r]; }",  // two of them
           "1..99999: loop 2 { 0..1: [.@q +1 x q .@2q +1 x r .@0 +1 x q]; }",  // not in sequence
           "1..99999: loop 1 { 0: [.@(q-1) -1 x q]; }",                        // from the end
           "1..99999: loop 2 { 0..1: [.@0 +1 x q f@q +1 x q .@2q +1 x r]; }",  // in two ways
           "1..99999: loop 1 { 0: wide [.@0 +1 x q]; }",                       // in f64
       }) {
    SCOPED_TRACE(text);
    EXPECT_EQ(form(text, spec::Routine::dot), std::nullopt);
  }
}

template <class T>
void check_kernel(const std::string& text, spec::Routine routine) {
  const spec::Order order = spec::parse_order(text);
  for (const Isa isa : host_isas()) {
    if (chain::code<T>(isa, chain::Op::sum) == nullptr) continue;
    const auto kernel = compile<T>(order, routine, {isa, ""});
    SCOPED_TRACE(text + " " + kernel->name());
    EXPECT_EQ(kernel->first_out_of_order(), kLeast);
    EXPECT_EQ(kernel->name(kLeast - 1), kernel->name());
    EXPECT_EQ(kernel->name(kLeast), kernel->name() + "_chain");
    std::mt19937_64 random(9);
    for (const std::int64_t n : {kLeast - 1, kLeast, kLeast + 1, kLeast + 613}) {
      for (int kind = 0; kind < test::kChainKinds; ++kind) {
        test::ChainData<T> data = test::chain_data<T>(kind, 3 * n, random);
        if (random() % 8 == 0) data.x[0] = T(-0.0);
        const T* const x = data.x.data();
        const T* const y = routine == spec::Routine::dot ? data.y.data() : nullptr;
        const auto chains = counts().chains;
        const auto same = [&](T wanted, T got) {
          EXPECT_TRUE(std::memcmp(&wanted, &got, sizeof(T)) == 0 ||
                      (wanted != wanted && got != got))
              << "n = " << n << ", kind " << kind << ": " << wanted << ", got " << got;
        };
        same(spec::evaluate<T>(order, n, x, 1, y, 1), kernel->call(n, x, y));
        T strided = 0;
        ASSERT_TRUE(kernel->call_strided(n, x, 3, y, 2, &strided));
        same(spec::evaluate<T>(order, n, x, 3, y, 2), strided);
        ASSERT_TRUE(kernel->call_strided(n, x + n - 1, -1, y, 1, &strided));
        same(spec::evaluate<T>(order, n, x + n - 1, -1, y, 1), strided);
        EXPECT_EQ(counts().chains - chains, n < kLeast ? 0 : 3);
      }
    }
  }
}

TEST(LongChain, KernelsServeLongSumsOutOfOrder) {
  for (const char* text :
       {"zero_start 1..99999: loop 1 { 0: [.@0 +1 x q]; }", "1..99999: loop 1 { 0: [.@0 +1 x q]; }",
        "1..99999: loop 1 { 0: [0 f@0 +1 x q]; }", "1..99999: loop 1 { 0: [f@0 +1 x q]; }"}) {
    check_kernel<double>(text, spec::Routine::dot);
    check_kernel<float>(text, spec::Routine::dot);
  }
  const std::string sum = "zero_start 1..99999: loop 1 { 0: [.@0 +1 x q]; }";
  check_kernel<double>(sum, spec::Routine::sum);
  check_kernel<float>(sum, spec::Routine::sum);
}

TEST(LongChain, FlushingOrdersAndOthersHaveNone) {
  const Isa isa = host_isas().back();
  spec::Order order = spec::parse_order("1..99999: loop 1 { 0: [.@0 +1 x q]; }");
  order.flush = spec::Flush::both;
  EXPECT_EQ(compile<double>(order, spec::Routine::sum, {isa, ""})->first_out_of_order(), 0);
  const spec::Order lanes =
      spec::parse_order("1..99999: loop 2 { 0..1: L = [.@0 +2 x q]; [L@0 L@1 .@2q +1 x r]; }");
  EXPECT_EQ(compile<double>(lanes, spec::Routine::sum, {isa, ""})->first_out_of_order(), 0);
}

TEST(LongChain, CanBeForbidden) {
  const spec::Order order = spec::parse_order("1..99998: loop 1 { 0: [.@0 +1 x q]; }");
  const Isa isa = host_isas().back();
  ASSERT_EQ(setenv("REPROSUM_LONG_SUMS", "in_order", 1), 0);
  EXPECT_EQ(compile<double>(order, spec::Routine::sum, {isa, ""})->first_out_of_order(), 0);
  ASSERT_EQ(setenv("REPROSUM_LONG_SUMS", "no", 1), 0);
  EXPECT_THROW(static_cast<void>(chain::is_wanted()), EnvironmentError);
  ASSERT_EQ(unsetenv("REPROSUM_LONG_SUMS"), 0);
}

}  // namespace
}  // namespace reprosum::kernels
