// Planted ways to settle calls without summands: each is found, and what has no form is refused.
#include "reveal/capture/empty_calls.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <tuple>

#include "reveal/refused.h"
#include "reveal/target/function_target.h"

namespace reprosum::reveal {
namespace {

using spec::EmptyRule;
using spec::Type;
using AlphaZero = spec::MatrixClass::AlphaZero;
using BetaZero = spec::MatrixClass::BetaZero;
using Result = EmptyRule::Result;
using Increments = std::vector<std::pair<std::int64_t, std::int64_t>>;

const Increments kIncrements{{1, 1}, {2, -1}};

const Call kDot = call_without_sizes(spec::Routine::dot, Type::f64);

std::optional<EmptyRule> found_sum(FunctionTarget::Function function) {
  FunctionTarget target(std::move(function));
  target.take_empty_calls();
  return empty_rule(target, kDot, 3, {1, 1, 100}, kIncrements, 5);
}

TEST(EmptySums, HaveTheZeroOfTheirSign) {
  const auto rule = found_sum(
      [](const Call& call, const double*, const double*) { return call.k < 0 ? 0.0 : -0.0; });
  ASSERT_TRUE(rule);
  EmptyRule expected;
  expected.routine = spec::Routine::dot;
  expected.type = Type::f64;
  expected.threads = {3};
  expected.result = Result::minus_zero;
  expected.below_zero = Result::plus_zero;
  EXPECT_EQ(*rule, expected);
  FunctionTarget declines([](const Call&, const double* x, const double*) { return x[0]; });
  EXPECT_FALSE(empty_rule(declines, kDot, 1, {1, 1, 100}, kIncrements, 5));
}

TEST(EmptySums, AreRefusedWhereTheyHangOnTheVectors) {
  EXPECT_THROW(found_sum([](const Call& call, const double*, const double*) {
                 return call.incx == 0 ? -0.0 : 0.0;
               }),
               Refused);
  EXPECT_THROW(found_sum([](const Call&, const double*, const double*) { return 1.0; }), Refused);
  EXPECT_THROW(found_sum([](const Call& call, const double*, const double*) {
                 return call.k < -5 ? -0.0 : 0.0;
               }),
               Refused);
}

Call gemm(Type type) {
  return call_without_sizes(spec::Routine::gemm, type, spec::Trans::no, spec::Trans::yes);
}

// Every rule, planted, is the one that is found.
TEST(EmptyUpdates, EveryRuleIsFound) {
  for (const Type type : {Type::f32, Type::f64})
    for (const auto result : {Result::keep, Result::scale, Result::add, Result::fuse})
      for (const BetaZero beta_zero :
           {BetaZero::store, BetaZero::store_beta, BetaZero::drop, BetaZero::multiply})
        for (const AlphaZero alpha_zero : {AlphaZero::skip, AlphaZero::compute})
          for (const bool keeps : {false, true}) {
            if (!spec::reads_alpha(result) && (beta_zero == BetaZero::drop || keeps)) continue;
            EmptyRule planted;
            planted.routine = spec::Routine::gemm;
            planted.type = type;
            planted.trans_b = spec::Trans::yes;
            planted.threads = {2};
            planted.row_major = true;
            planted.result = result;
            planted.beta_zero = beta_zero;
            planted.alpha_zero = alpha_zero;
            planted.keeps_at_one = keeps;
            planted.m_max = 90;
            planted.n_max = 70;
            FunctionTarget target([&](const Call&, std::int64_t, std::int64_t, const double*,
                                      const double*, double alpha, double beta, double c) {
              if (is_f64(type)) return spec::value_of(planted, alpha, beta, c);
              return static_cast<double>(spec::value_of(planted, static_cast<float>(alpha),
                                                        static_cast<float>(beta),
                                                        static_cast<float>(c)));
            });
            target.take_empty_calls();
            const auto found = empty_rule(target, gemm(type), 2, {90, 70, 100}, kIncrements, 5);
            ASSERT_TRUE(found);
            std::vector<EmptyRule> expected{planted}, got{*found};
            spec::canonicalize(expected);
            spec::canonicalize(got);
            EXPECT_EQ(got, expected) << spec::describe(planted) << " " << spec::describe(*found);
          }
}

TEST(EmptyUpdates, WhatHangsOnTheShapeIsRefused) {
  FunctionTarget target([](const Call& call, std::int64_t, std::int64_t, const double*,
                           const double*, double, double beta, double c) {
    return call.m > 64 ? c : beta == 0 ? 0 : beta * c;
  });
  target.take_empty_calls();
  EXPECT_THROW(empty_rule(target, gemm(Type::f64), 1, {90, 70, 100}, kIncrements, 5), Refused);
  EXPECT_TRUE(empty_rule(target, gemm(Type::f64), 1, {60, 70, 100}, kIncrements, 5));
}

// The rule of a library that does otherwise where `differs` says so, as it is claimed then beyond
// the sizes that it was found at: of three seeds, by the first that claims more.
template <class Differs>
EmptyRule reached(Call context, const Differs& differs) {
  FunctionTarget target([&](const Call& call, std::int64_t, std::int64_t, const double*,
                            const double*, double, double beta, double c) {
    return differs(call) ? c : beta == 0 ? 0 : beta * c;
  });
  target.take_empty_calls();
  const bool is_gemv = context.routine == spec::Routine::gemv;
  auto rule = empty_rule(target, context, 1, {90, is_gemv ? 1 : 70, 100}, kIncrements, 5).value();
  const EmptyRule learned = rule;
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    rule = learned;
    reach_beyond(target, rule, {3000, 1 << 14, 0}, kIncrements, seed);
    if (rule != learned) break;
  }
  return rule;
}

TEST(EmptyUpdates, GoBeyondTheLearnedSizesWhereTheRuleStays) {
  Call gemv = gemm(Type::f64);
  gemv.routine = spec::Routine::gemv;
  gemv.trans_b = spec::Trans::no;
  const auto never = [](const Call&) { return false; };
  const EmptyRule matrix = reached(gemm(Type::f64), never), vector = reached(gemv, never);
  EXPECT_EQ(std::tuple(matrix.m_max, matrix.n_max, matrix.outputs_max),
            std::tuple(3000, 3000, 1 << 14));
  EXPECT_EQ(std::tuple(vector.m_max, vector.n_max, vector.outputs_max),
            std::tuple(3000, 1, EmptyRule::kAnyOutputs));
  // Calls by rows are another matter.
  EXPECT_TRUE(matrix.row_major);
}

TEST(EmptyUpdates, EndAtTheLearnedSizesWhereTheRuleChangesBeyond) {
  using Differs = std::function<bool(const Call&)>;
  for (const Differs& differs :
       {Differs([](const Call& call) { return call.m > 2500; }),
        Differs([](const Call& call) { return call.n > 100; }),
        Differs([](const Call& call) { return call.m * call.n > 15'000; }),
        Differs([](const Call& call) { return call.m > 120 && call.n > 100; }),
        Differs([](const Call& call) { return call.m > 91 && call.n == 1; }),
        Differs([](const Call& call) { return call.row_major && call.m > 1000; })}) {
    const EmptyRule rule = reached(gemm(Type::f64), differs);
    EXPECT_EQ(std::tuple(rule.m_max, rule.n_max), std::tuple(90, 70));
  }
}

TEST(EmptyUpdates, OtherRowMajorCallsAreLeftOut) {
  FunctionTarget target([](const Call& call, std::int64_t, std::int64_t, const double*,
                           const double*, double, double beta, double c) {
    return call.row_major ? c : beta == 0 ? 0 : beta * c;
  });
  target.take_empty_calls();
  const auto found = empty_rule(target, gemm(Type::f64), 1, {90, 70, 100}, kIncrements, 5);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->result, Result::scale);
  EXPECT_FALSE(found->row_major);
}

}  // namespace
}  // namespace reprosum::reveal
