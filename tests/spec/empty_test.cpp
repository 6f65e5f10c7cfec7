// Calls without summands: what a rule gives, which call it speaks of, and its JSON.
#include "spec/empty.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "sample_regions.h"
#include "spec/error.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

using AlphaZero = MatrixClass::AlphaZero;
using BetaZero = MatrixClass::BetaZero;
using Result = EmptyRule::Result;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTiny = 0x1p-800;

EmptyRule rule_of(Result result, BetaZero beta_zero = BetaZero::store,
                  AlphaZero alpha_zero = AlphaZero::compute, bool keeps_at_one = false) {
  EmptyRule rule;
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

TEST(EmptyRules, GiveWhatTheRuleSays) {
  const EmptyRule keep = rule_of(Result::keep), scale = rule_of(Result::scale),
                  scale_beta = rule_of(Result::scale, BetaZero::store_beta),
                  add = rule_of(Result::add), drop = rule_of(Result::add, BetaZero::drop),
                  skip = rule_of(Result::add, BetaZero::store, AlphaZero::skip),
                  fuse = rule_of(Result::fuse), multiply = rule_of(Result::add, BetaZero::multiply),
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

TEST(EmptyRules, GiveTheZeroOfTheResult) {
  EXPECT_TRUE(same(zero_of<double>(Result::plus_zero), 0.0));
  EXPECT_TRUE(same(zero_of<double>(Result::minus_zero), -0.0));
  EXPECT_TRUE(same(zero_of<float>(Result::minus_zero), -0.0));
}

TEST(EmptyRules, WhatSaysNothingIsUnset) {
  for (const Result result : {Result::keep, Result::scale, Result::add, Result::fuse,
                              Result::plus_zero, Result::minus_zero}) {
    std::vector<EmptyRule> rules{rule_of(result, BetaZero::store_beta, AlphaZero::compute, true)};
    canonicalize(rules);
    const bool computes = result == Result::add || result == Result::fuse;
    ASSERT_EQ(rules.size(), 1u);
    EXPECT_EQ(rules[0].keeps_at_one, computes);
    EXPECT_EQ(rules[0].alpha_zero, computes ? AlphaZero::compute : AlphaZero::skip);
    EXPECT_EQ(rules[0].beta_zero,
              computes || result == Result::scale ? BetaZero::store_beta : BetaZero::store);
  }
}

Spec sample() {
  Spec spec;
  spec.empty_rules = {rule_of(Result::fuse, BetaZero::drop, AlphaZero::skip, true),
                      rule_of(Result::scale, BetaZero::store_beta),
                      samples::empty_rule(Routine::dot, Type::f64, {2}, Result::plus_zero),
                      samples::empty_rule(Routine::dot, Type::f64, {1}, Result::plus_zero),
                      samples::empty_rule(Routine::sum, Type::f32, {1}, Result::minus_zero)};
  spec.empty_rules[0].outputs_max = 5000;
  spec.empty_rules[1].outputs_max = 10'000;  // says nothing
  spec.empty_rules[1].trans_b = Trans::yes;
  spec.empty_rules[1].row_major = false;
  for (const std::size_t k : {std::size_t{2}, std::size_t{3}})
    spec.empty_rules[k].below_zero = Result::minus_zero;
  canonicalize(spec);
  return spec;
}

TEST(EmptyRules, AreFoundByRoutineAndThreads) {
  const Spec spec = sample();
  ASSERT_EQ(spec.empty_rules.size(), 4u);  // threads are merged
  EXPECT_EQ(spec.empty_rules[1].threads, (std::vector{1, 2}));
  EXPECT_EQ(spec.empty_rules[3].outputs_max, EmptyRule::kAnyOutputs);
  Context dot;
  dot.threads = 2;
  dot.incx = 777;  // matters to no rule
  ASSERT_NE(find_empty(spec, dot), nullptr);
  EXPECT_EQ(describe(*find_empty(spec, dot)), "+0; -0 for n < 0");
  std::string why;
  dot.threads = 3;
  EXPECT_EQ(find_empty(spec, dot, &why), nullptr);
  EXPECT_EQ(why, "ddot with n = 0 was not captured with threads = 3");
  Context sum;
  sum.routine = Routine::sum;
  sum.type = Type::f32;
  ASSERT_NE(find_empty(spec, sum), nullptr);
  EXPECT_EQ(describe(*find_empty(spec, sum)), "-0; n < 0 is not covered");
  sum.shape.k = -1;
  EXPECT_EQ(find_empty(spec, sum, &why), nullptr);
  EXPECT_EQ(why, "ssum with n = -1 was not captured");
  dot.threads = 2;
  dot.shape.k = -1;
  EXPECT_EQ(find_empty(spec, dot), &spec.empty_rules[1]);
  dot.type = Type::f32;
  EXPECT_EQ(find_empty(spec, dot, &why), nullptr);
  EXPECT_EQ(why, "sdot with n = -1 was not captured");

  Context gemm;
  gemm.routine = Routine::gemm;
  gemm.type = Type::f64;
  gemm.shape = {70, 70, 0};
  gemm.from_row_major = true;
  ASSERT_NE(find_empty(spec, gemm), nullptr);
  EXPECT_EQ(describe(*find_empty(spec, gemm)),
            "C := fma(beta, C, alpha*0); alpha = 0 scales; beta = 0 drops C; beta = 1 keeps C");
  gemm.trans_b = Trans::yes;
  EXPECT_EQ(find_empty(spec, gemm, &why), nullptr);
  EXPECT_EQ(why, "dgemm without summands was not captured in row-major calls");
  gemm.from_row_major = false;
  EXPECT_NE(find_empty(spec, gemm), nullptr);
  gemm.shape.m = 101;
  EXPECT_EQ(find_empty(spec, gemm, &why), nullptr);
  EXPECT_EQ(why, "dgemm without summands was not captured beyond m = 100, n = 100");
  gemm.trans_b = Trans::no;
  gemm.shape = {50, 100, 0};
  EXPECT_NE(find_empty(spec, gemm), nullptr);
  gemm.shape = {51, 100, 0};
  EXPECT_EQ(find_empty(spec, gemm, &why), nullptr);
  EXPECT_EQ(why, "dgemm without summands was not captured beyond m = 100, n = 100, m*n = 5000");
  gemm.shape = {0, 100, 0};
  EXPECT_NE(find_empty(spec, gemm), nullptr);
  gemm.threads = 2;
  EXPECT_EQ(find_empty(spec, gemm, &why), nullptr);
  EXPECT_EQ(why, "dgemm without summands was not captured with threads = 2");
  gemm.trans_a = Trans::yes;
  EXPECT_EQ(find_empty(spec, gemm, &why), nullptr);
  EXPECT_EQ(why, "dgemm without summands was not captured with these transposes");
}

TEST(EmptyRules, AreMeaningInJson) {
  const Spec spec = sample();
  const Spec read = from_json(to_json(spec));
  EXPECT_EQ(read.empty_rules, spec.empty_rules);
  EXPECT_EQ(to_json(read), to_json(spec));
  for (int change = 0; change < 5; ++change) {
    Spec other = spec;
    if (change == 0) other.empty_rules[0].below_zero = Result::plus_zero;
    if (change == 1) other.empty_rules[2].keeps_at_one = false;
    if (change == 2) other.empty_rules.pop_back();
    if (change == 3) other.empty_rules[2].outputs_max = EmptyRule::kAnyOutputs;
    if (change == 4) other.empty_rules[1].result = Result::minus_zero;
    EXPECT_NE(meaning_hash(other), meaning_hash(spec)) << change;
  }
}

// Each at its place; the hash comes last.
TEST(EmptyRules, AreRefusedWhereTheySayTwoThingsOrNone) {
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
                  "/empty_rules/1/threads/1"},
       {R"("result":"-0")", R"("result":"0")", "/empty_rules/0/result"},
       {R"("routine":"sum","threads":[1],"type":"f32"})",
        R"("routine":"dot","threads":[2],"type":"f64"})", "/empty_rules"},
       {R"("alpha_zero":"skip","beta_one":"keep",)", R"("beta_one":"keep",)", "/empty_rules/2"},
       {R"("beta_zero":"drop")", R"("beta_zero":"drop_zeros")", "/empty_rules/2/beta_zero"},
       {R"("beta_zero":"store_beta")", R"("beta_zero":"drop")", "/empty_rules/3/beta_zero"},
       {R"("result":"fuse")", R"("result":"keep")", "/empty_rules/2/alpha_zero"},
       {R"("result":"fuse")", R"("result":"swap")", "/empty_rules/2/result"},
       {R"("result":"fuse")", R"("result":"+0")", "/empty_rules/2/result"},
       {R"("result":"+0")", R"("result":"keep")", "/empty_rules/1/result"},
       {R"("below_zero":"-0")", R"("below_zero":"scale")", "/empty_rules/1/below_zero"},
       {R"("m_max":100)", R"("below_zero":"+0","m_max":100)", "/empty_rules/2/below_zero"},
       {R"("result":"-0")", R"("m_max":1,"result":"-0")", "/empty_rules/0/m_max"},
       {R"("routine":"sum")", R"("routine":"asum")", "/empty_rules/0/routine"},
       {R"("routine":"sum","threads":[1],"type":"f32"})",
        R"("routine":"sum","threads":[1],"type":"f32"},{"below_zero":"+0","result":"-0","routine":"sum","threads":[1],"type":"f32"})",
        "/empty_rules/1"},
       {R"("outputs_max":5000)", R"("outputs_max":10000)", "/empty_rules/2/outputs_max"},
       {R"("outputs_max":5000)", R"("outputs_max":0)", "/empty_rules/2/outputs_max"},
       {R"("trans":"NT")", R"("trans":"NN")", "/empty_rules"}}) {
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
