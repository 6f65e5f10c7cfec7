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

using spec::EmptyUpdate;
using spec::Type;
using spec::Zero;
using AlphaZero = spec::MatrixClass::AlphaZero;
using BetaZero = spec::MatrixClass::BetaZero;
using Increments = std::vector<std::pair<std::int64_t, std::int64_t>>;

const Increments kIncrements{{1, 1}, {2, -1}};

std::optional<spec::EmptySum> found_sum(FunctionTarget::Function function) {
  FunctionTarget target(std::move(function));
  target.take_empty_calls();
  return empty_sum(target, spec::Routine::dot, Type::f64, 3, kIncrements);
}

TEST(EmptySums, HaveTheZeroOfTheirSign) {
  const auto rule = found_sum(
      [](const Call& call, const double*, const double*) { return call.n < 0 ? 0.0 : -0.0; });
  ASSERT_TRUE(rule);
  EXPECT_EQ(*rule, (spec::EmptySum{spec::Routine::dot, Type::f64, {3}, Zero::minus, Zero::plus}));
  FunctionTarget declines([](const Call&, const double* x, const double*) { return x[0]; });
  EXPECT_FALSE(empty_sum(declines, spec::Routine::dot, Type::f64, 1, kIncrements));
}

TEST(EmptySums, AreRefusedWhereTheyHangOnTheVectors) {
  EXPECT_THROW(found_sum([](const Call& call, const double*, const double*) {
                 return call.incx == 0 ? -0.0 : 0.0;
               }),
               Refused);
  EXPECT_THROW(found_sum([](const Call&, const double*, const double*) { return 1.0; }), Refused);
  EXPECT_THROW(found_sum([](const Call& call, const double*, const double*) {
                 return call.n < -5 ? -0.0 : 0.0;
               }),
               Refused);
}

MatrixCall gemm(Type type) {
  MatrixCall call;
  call.routine = spec::Routine::gemm;
  call.type = type;
  call.trans_b = spec::Trans::yes;
  return call;
}

// Every rule, planted, is the one that is found.
TEST(EmptyUpdates, EveryRuleIsFound) {
  for (const Type type : {Type::f32, Type::f64})
    for (const auto result : {EmptyUpdate::Result::keep, EmptyUpdate::Result::scale,
                              EmptyUpdate::Result::add, EmptyUpdate::Result::fuse})
      for (const BetaZero beta_zero :
           {BetaZero::store, BetaZero::store_beta, BetaZero::drop, BetaZero::multiply})
        for (const AlphaZero alpha_zero : {AlphaZero::skip, AlphaZero::compute})
          for (const bool keeps : {false, true}) {
            const bool computes =
                result == EmptyUpdate::Result::add || result == EmptyUpdate::Result::fuse;
            if (!computes && (beta_zero == BetaZero::drop || keeps)) continue;
            EmptyUpdate planted;
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
            FunctionTarget target([&](const MatrixCall&, std::int64_t, std::int64_t, const double*,
                                      const double*, double alpha, double beta, double c) {
              if (is_f64(type)) return spec::value_of(planted, alpha, beta, c);
              return static_cast<double>(spec::value_of(planted, static_cast<float>(alpha),
                                                        static_cast<float>(beta),
                                                        static_cast<float>(c)));
            });
            target.take_empty_calls();
            const auto found = empty_update(target, gemm(type), 2, {90, 70, 100}, kIncrements, 5);
            ASSERT_TRUE(found);
            std::vector<EmptyUpdate> expected{planted}, got{*found};
            spec::canonicalize(expected);
            spec::canonicalize(got);
            EXPECT_EQ(got, expected) << spec::describe(planted) << " " << spec::describe(*found);
          }
}

TEST(EmptyUpdates, WhatHangsOnTheShapeIsRefused) {
  FunctionTarget target([](const MatrixCall& call, std::int64_t, std::int64_t, const double*,
                           const double*, double, double beta, double c) {
    return call.m > 64 ? c : beta == 0 ? 0 : beta * c;
  });
  target.take_empty_calls();
  EXPECT_THROW(empty_update(target, gemm(Type::f64), 1, {90, 70, 100}, kIncrements, 5), Refused);
  EXPECT_TRUE(empty_update(target, gemm(Type::f64), 1, {60, 70, 100}, kIncrements, 5));
}

// The rule of a library that does otherwise where `differs` says so, as it is claimed then beyond
// the sizes that it was found at: of three seeds, by the first that claims more.
template <class Differs>
EmptyUpdate reached(MatrixCall context, const Differs& differs) {
  FunctionTarget target([&](const MatrixCall& call, std::int64_t, std::int64_t, const double*,
                            const double*, double, double beta, double c) {
    return differs(call) ? c : beta == 0 ? 0 : beta * c;
  });
  target.take_empty_calls();
  const bool is_gemv = context.routine == spec::Routine::gemv;
  auto rule = empty_update(target, context, 1, {90, is_gemv ? 1 : 70, 100}, kIncrements, 5).value();
  const EmptyUpdate learned = rule;
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    rule = learned;
    reach_beyond(target, rule, {3000, 1 << 14, 0}, kIncrements, seed);
    if (rule != learned) break;
  }
  return rule;
}

TEST(EmptyUpdates, GoBeyondTheLearnedSizesWhereTheRuleStays) {
  MatrixCall gemv = gemm(Type::f64);
  gemv.routine = spec::Routine::gemv;
  gemv.trans_b = spec::Trans::no;
  const auto never = [](const MatrixCall&) { return false; };
  const EmptyUpdate matrix = reached(gemm(Type::f64), never), vector = reached(gemv, never);
  EXPECT_EQ(std::tuple(matrix.m_max, matrix.n_max, matrix.outputs_max),
            std::tuple(3000, 3000, 1 << 14));
  EXPECT_EQ(std::tuple(vector.m_max, vector.n_max, vector.outputs_max),
            std::tuple(3000, 1, EmptyUpdate::kAnyOutputs));
  // Calls by rows are another matter.
  EXPECT_TRUE(matrix.row_major);
}

TEST(EmptyUpdates, EndAtTheLearnedSizesWhereTheRuleChangesBeyond) {
  using Differs = std::function<bool(const MatrixCall&)>;
  for (const Differs& differs :
       {Differs([](const MatrixCall& call) { return call.m > 2500; }),
        Differs([](const MatrixCall& call) { return call.n > 100; }),
        Differs([](const MatrixCall& call) { return call.m * call.n > 15'000; }),
        Differs([](const MatrixCall& call) { return call.m > 120 && call.n > 100; }),
        Differs([](const MatrixCall& call) { return call.m > 91 && call.n == 1; }),
        Differs([](const MatrixCall& call) { return call.row_major && call.m > 1000; })}) {
    const EmptyUpdate rule = reached(gemm(Type::f64), differs);
    EXPECT_EQ(std::tuple(rule.m_max, rule.n_max), std::tuple(90, 70));
  }
}

TEST(EmptyUpdates, OtherRowMajorCallsAreLeftOut) {
  FunctionTarget target([](const MatrixCall& call, std::int64_t, std::int64_t, const double*,
                           const double*, double, double beta, double c) {
    return call.row_major ? c : beta == 0 ? 0 : beta * c;
  });
  target.take_empty_calls();
  const auto found = empty_update(target, gemm(Type::f64), 1, {90, 70, 100}, kIncrements, 5);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->result, EmptyUpdate::Result::scale);
  EXPECT_FALSE(found->row_major);
}

}  // namespace
}  // namespace reprosum::reveal
