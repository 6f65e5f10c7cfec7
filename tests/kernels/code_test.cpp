// What the emitted code looks like: fused where the order says so, and nowhere else.
#include <gtest/gtest.h>

#include <string>

#include "kernels/kernel.h"
#include "kernels/llvm/generate_order.h"
#include "spec/surface.h"
#include "tests/kernels/code_patterns.h"
#include "tests/kernels/orders.h"

namespace reprosum::kernels {
namespace {

using test::count;
using test::kFused;
using test::kMultiply;

Listing code(const char* text, spec::Type type, Isa isa) {
  return listing(spec::parse_order(text), spec::Routine::dot, type, isa);
}

class Code : public testing::TestWithParam<std::tuple<Isa, spec::Type>> {};

TEST_P(Code, RoundedProductsAreNeverFused) {
  const auto [isa, type] = GetParam();
  const Listing l =
      code("1..999: loop 4 { 0..3: L = [.@0 +4 x q]; [[L@0 L@1]@0 [L@2 L@3]@0 .@4q +1 x r]; }",
           type, isa);
  EXPECT_EQ(count(l.assembly, kFused), 0u) << l.assembly;
  EXPECT_GT(count(l.assembly, kMultiply), 0u);
}

TEST_P(Code, FusedLeavesAreFusedAndOnlyStartsAreProducts) {
  const auto [isa, type] = GetParam();
  const Listing l = code(
      "1..3: loop 1 { 0: [f@0 +1 x q]; } 4..999: loop 4 { 0..3: L = [f@0 +4 x q]; [[L@0 L@1]@0 "
      "[L@2 L@3]@0 f@4q +1 x r]; }",
      type, isa);
  EXPECT_GT(count(l.assembly, kFused), 0u);
  EXPECT_EQ(count(l.assembly, kMultiply), 2u) << l.assembly;  // the start of each of two loops
}

TEST_P(Code, NoCallsAndNoUndefinedSymbols) {
  const auto [isa, type] = GetParam();
  for (const auto& named : test::library_orders()) {
    if (named.type != type) continue;
    for (const CodePart part : {CodePart::single, CodePart::batch, CodePart::strided}) {
      const GeneratedCode made = generate_order(spec::parse_order(named.text), named.routine, type,
                                                code_target(isa), part, CodeForm::object, false);
      if (part == CodePart::batch && made.bytes.empty()) continue;
      ASSERT_FALSE(made.bytes.empty()) << named.name << " " << made.why;
      EXPECT_EQ(undefined_symbols(made.bytes), "") << named.name;
    }
    const Listing l = listing(spec::parse_order(named.text), named.routine, type, isa);
    EXPECT_EQ(count(l.assembly, "\tcall"), 0u) << named.name;
    EXPECT_EQ(
        count(l.ir, "(fadd|fmul|@llvm.fma[^ ]*) (fast|reassoc|contract|nnan|ninf|nsz|arcp|afn) "),
        0u);
  }
}

TEST_P(Code, UsesTheWidthOfItsInstructionSet) {
  const auto [isa, type] = GetParam();
  const auto named = test::library_orders()[spec::is_f32(type) ? 4 : 7];
  const Listing l = listing(spec::parse_order(named.text), named.routine, type, isa);
  EXPECT_EQ(count(l.assembly, "%zmm") > 0, isa == Isa::avx512);
  EXPECT_GT(count(l.assembly, "%ymm"), 0u);
}

// Two wide accumulators wait for their additions: halves of cache lines serve them better.
TEST_P(Code, FewLanesDoWithoutTheWidestVectors) {
  const auto [isa, type] = GetParam();
  const auto named = test::library_orders()[spec::is_f32(type) ? 2 : 5];
  const Listing l = listing(spec::parse_order(named.text), named.routine, type, isa);
  EXPECT_EQ(count(l.assembly, "%zmm"), 0u) << named.name;
  EXPECT_GT(count(l.assembly, "%ymm"), 0u);
}

TEST_P(Code, IsReproducible) {
  const auto [isa, type] = GetParam();
  for (const std::size_t k : {std::size_t{4}, std::size_t{7}}) {
    const auto named = test::library_orders()[k];
    if (named.type != type) continue;
    const auto make = [&, isa = isa, type = type] {
      return generate_order(spec::parse_order(named.text), named.routine, type, code_target(isa),
                            CodePart::single, CodeForm::object, false)
          .bytes;
    };
    EXPECT_EQ(make(), make());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Code,
                         testing::Combine(testing::Values(Isa::avx2, Isa::avx512),
                                          testing::Values(spec::Type::f32, spec::Type::f64)));

// The detector above sees a fused operation when there is one: the wrong code for the first order.
TEST(CodeDetector, SeesWhatItLooksFor) {
  EXPECT_EQ(count("\tvfmadd231ps %zmm1", kFused), 1u);
  EXPECT_EQ(count("\tvmulps %zmm1", kFused), 0u);
}

}  // namespace
}  // namespace reprosum::kernels
