// Calls without summands: what a rule gives, which call it speaks of, and its JSON.
#include "spec/empty.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "spec/error.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

using AlphaZero = MatrixClass::AlphaZero;
using BetaZero = MatrixClass::BetaZero;
using Result = EmptyUpdate::Result;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTiny = 0x1p-800;

EmptyUpdate rule_of(Result result, BetaZero beta_zero = BetaZero::store,
                    AlphaZero alpha_zero = AlphaZero::compute, bool keeps_at_one = false) {
  EmptyUpdate rule;
  rule.routine = Routine::gemm;
  rule.type = Type::f64;
  rule.threads = {1};
  rule.row_major = true;
  rule.result = result;
  rule.beta_zero = beta_zero;
  rule.alpha_zero = alpha_zero;
  rule.keeps_at_one = keeps_at_one;
  rule.m_max = rule.n_max = 100;
  return rule;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST(EmptyUpdates, GiveWhatTheRuleSays) {
  const EmptyUpdate keep = rule_of(Result::keep), scale = rule_of(Result::scale),
                    scale_beta = rule_of(Result::scale, BetaZero::store_beta),
                    add = rule_of(Result::add), drop = rule_of(Result::add, BetaZero::drop),
                    skip = rule_of(Result::add, BetaZero::store, AlphaZero::skip),
                    fuse = rule_of(Result::fuse),
                    multiply = rule_of(Result::add, BetaZero::multiply),
                    scale_c = rule_of(Result::scale, BetaZero::multiply),
                    quick = rule_of(Result::add, BetaZero::store, AlphaZero::skip, true);
  for (const auto& [rule, alpha, beta, c, wanted] :
       {std::tuple{keep, kNaN, 0.0, kNaN, kNaN},
        {keep, 1.0, 3.0, -0.0, -0.0},
        {scale, kNaN, 0.0, kNaN, 0.0},
        {scale, kNaN, -0.0, 5.0, 0.0},
        {scale, 1.0, -2.0, 0.0, -0.0},
        {scale, 1.0, 1.0, -0.0, -0.0},
        {scale_beta, 1.0, -0.0, kNaN, -0.0},
        {scale_beta, 1.0, 0.0, 5.0, 0.0},
        {add, 1.0, 1.0, -0.0, 0.0},
        {add, -1.0, 1.0, -0.0, -0.0},
        {add, kInfinity, 2.0, 5.0, kNaN},
        {add, kNaN, 0.0, 5.0, kNaN},
        {add, -1.0, 0.0, 5.0, 0.0},
        {add, 0.0, 1.0, -0.0, 0.0},
        {skip, 0.0, 1.0, -0.0, -0.0},
        {skip, -0.0, 0.0, kNaN, 0.0},
        {skip, 1.0, 1.0, -0.0, 0.0},
        {drop, -1.0, 0.0, kNaN, -0.0},
        {drop, 2.5, -0.0, 5.0, 0.0},
        {multiply, 1.0, 0.0, kNaN, kNaN},
        {multiply, -1.0, 0.0, -5.0, -0.0},
        {multiply, 1.0, 0.0, -5.0, 0.0},
        {scale_c, 1.0, 0.0, -5.0, -0.0},
        {scale_c, 1.0, 0.0, kInfinity, kNaN},
        // Rounded, beta*c is -0 before +0 is added to it.
        {add, 1.0, kTiny, -kTiny, 0.0},
        {fuse, 1.0, kTiny, -kTiny, -0.0},
        {quick, kNaN, 1.0, -0.0, -0.0},
        {quick, kNaN, 2.0, 1.0, kNaN}})
    EXPECT_TRUE(same(value_of(rule, alpha, beta, c), wanted))
        << describe(rule) << ": alpha " << alpha << ", beta " << beta << ", c " << c << " gave "
        << value_of(rule, alpha, beta, c);
  EXPECT_FALSE(writes(keep, 0.0));
  EXPECT_FALSE(writes(quick, 1.0F));
  EXPECT_TRUE(writes(quick, 0.5));
}

Spec sample() {
  Spec spec;
  spec.empty_sums = {{Routine::dot, Type::f64, {2}, Zero::plus, Zero::minus},
                     {Routine::dot, Type::f64, {1}, Zero::plus, Zero::minus},
                     {Routine::sum, Type::f32, {1}, Zero::minus, {}}};
  spec.empty_updates = {rule_of(Result::fuse, BetaZero::drop, AlphaZero::skip, true),
                        rule_of(Result::scale, BetaZero::store_beta)};
  spec.empty_updates[1].trans_b = Trans::yes;
  spec.empty_updates[1].row_major = false;
  spec.empty_updates[0].outputs_max = 5000;
  spec.empty_updates[1].outputs_max = 10'000;  // says nothing
  canonicalize(spec);
  return spec;
}

TEST(EmptyCalls, AreFoundByRoutineAndThreads) {
  const Spec spec = sample();
  EXPECT_EQ(spec.empty_sums.size(), 2u);  // threads are merged
  Context dot;
  dot.threads = 2;
  dot.incx = 777;  // matters to no rule
  ASSERT_NE(find_empty(spec, dot), nullptr);
  EXPECT_EQ(describe(*find_empty(spec, dot)), "+0; -0 for n < 0");
  std::string why;
  dot.threads = 3;
  EXPECT_EQ(find_empty(spec, dot, &why), nullptr);
  EXPECT_EQ(why, "ddot with n = 0 and threads = 3 was not captured");
  Context sum;
  sum.routine = Routine::sum;
  sum.type = Type::f32;
  EXPECT_NE(find_empty(spec, sum), nullptr);
  sum.shape.k = -1;
  EXPECT_EQ(find_empty(spec, sum, &why), nullptr);
  EXPECT_EQ(why, "ssum with n = -1 was not captured");

  Context gemm;
  gemm.routine = Routine::gemm;
  gemm.type = Type::f64;
  gemm.shape = {70, 70, 0};
  gemm.from_row_major = true;
  ASSERT_NE(find_empty_update(spec, gemm), nullptr);
  EXPECT_EQ(describe(*find_empty_update(spec, gemm)),
            "C := fma(beta, C, alpha*0); alpha = 0 scales; beta = 0 drops C; beta = 1 keeps C");
  gemm.trans_b = Trans::yes;
  EXPECT_EQ(find_empty_update(spec, gemm, &why), nullptr);
  EXPECT_EQ(why, "row-major calls of dgemm were not captured without summands");
  gemm.from_row_major = false;
  EXPECT_NE(find_empty_update(spec, gemm), nullptr);
  gemm.shape.m = 101;
  EXPECT_EQ(find_empty_update(spec, gemm, &why), nullptr);
  EXPECT_EQ(why, "without summands nothing was captured beyond m = 100, n = 100");
  gemm.trans_b = Trans::no;
  gemm.shape = {50, 100, 0};
  EXPECT_NE(find_empty_update(spec, gemm), nullptr);
  gemm.shape = {51, 100, 0};
  EXPECT_EQ(find_empty_update(spec, gemm, &why), nullptr);
  EXPECT_EQ(why, "without summands nothing was captured beyond m = 100, n = 100, m*n = 5000");
  gemm.shape = {0, 100, 0};
  EXPECT_NE(find_empty_update(spec, gemm), nullptr);
}

TEST(EmptyCalls, AreMeaningInJson) {
  const Spec spec = sample();
  const Spec read = from_json(to_json(spec));
  EXPECT_EQ(read.empty_sums, spec.empty_sums);
  EXPECT_EQ(read.empty_updates, spec.empty_updates);
  EXPECT_EQ(to_json(read), to_json(spec));
  for (int change = 0; change < 4; ++change) {
    Spec other = spec;
    if (change == 0) other.empty_sums[0].below_zero = Zero::plus;
    if (change == 1) other.empty_updates[0].keeps_at_one = false;
    if (change == 2) other.empty_updates.pop_back();
    if (change == 3) other.empty_updates[0].outputs_max = EmptyUpdate::kAnyOutputs;
    EXPECT_NE(meaning_hash(other), meaning_hash(spec)) << change;
  }
}

// Each at its place; the hash comes last.
TEST(EmptyCalls, AreRefusedWhereTheySayTwoThingsOrNone) {
  const std::string text = to_json(sample(), 0);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    const std::size_t at = other.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return other.replace(at, from.size(), to);
  };
  for (
      const auto& [from, to, where] :
      {std::tuple{R"("threads":[1,2],"type":"f64"})", R"("threads":[2,1],"type":"f64"})",
                  "/empty_sums/1/threads/1"},
       {R"("n_zero":"-0")", R"("n_zero":"0")", "/empty_sums/0/n_zero"},
       {R"("routine":"sum","threads":[1],"type":"f32"})",
        R"("routine":"dot","threads":[2],"type":"f64"})", "/empty_sums"},
       {R"("alpha_zero":"skip","beta_one":"keep",)", R"("beta_one":"keep",)", "/empty_updates/0"},
       {R"("beta_zero":"drop")", R"("beta_zero":"drop_zeros")", "/empty_updates/0/beta_zero"},
       {R"("beta_zero":"store_beta")", R"("beta_zero":"drop")", "/empty_updates/1/beta_zero"},
       {R"("result":"fuse")", R"("result":"keep")", "/empty_updates/0/alpha_zero"},
       {R"("result":"fuse")", R"("result":"swap")", "/empty_updates/0/result"},
       {R"("routine":"sum","threads":[1],"type":"f32"})",
        R"("routine":"sum","threads":[1],"type":"f32"},{"n_negative":"+0","n_zero":"-0","routine":"sum","threads":[1],"type":"f32"})",
        "/empty_sums/1"},
       {R"("outputs_max":5000)", R"("outputs_max":10000)", "/empty_updates/0/outputs_max"},
       {R"("outputs_max":5000)", R"("outputs_max":0)", "/empty_updates/0/outputs_max"},
       {R"("trans":"NT")", R"("trans":"NN")", "/empty_updates"}}) {
    try {
      from_json(changed(from, to));
      ADD_FAILURE() << to << " was accepted";
    } catch (const ParseError& error) {
      EXPECT_EQ(error.where, where) << error.what();
    }
  }
}

}  // namespace
}  // namespace reprosum::spec
