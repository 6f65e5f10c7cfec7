// Plans: which runs a schema becomes, how domains are split, and what is refused.
#include "kernels/plan/plan.h"

#include <gtest/gtest.h>

#include "spec/surface.h"

namespace reprosum::kernels {
namespace {

using spec::Linear;

RulePlan planned(const char* text) {
  RulePlan plan;
  std::string why;
  const spec::Order order = spec::parse_order(text);
  EXPECT_TRUE(plan_rule(order.regimes.back(), plan, why)) << why;
  return plan;
}

std::string refused(const char* text) {
  RulePlan plan;
  std::string why;
  const spec::Order order = spec::parse_order(text);
  EXPECT_FALSE(plan_rule(order.regimes.back(), plan, why));
  return why;
}

TEST(Plan, LanesAreRunsAndTheTailIsOne) {
  const RulePlan plan =
      planned("1..1000: loop 2 { 0..1: L = [f@0 +2 x q]; [L@0 L@1 .@2q +1 x r]; }");
  EXPECT_EQ(plan.first_symbolic, 1);  // without a block there are no lanes
  ASSERT_EQ(plan.hot.size(), 1u);
  const Plan& hot = plan.hot[0];
  ASSERT_EQ(hot.runs.size(), 3u);
  EXPECT_EQ(hot.runs[0].count, (Linear{1, 0, 0}));
  EXPECT_EQ(hot.runs[1].at, (Linear{0, 0, 1}));
  EXPECT_EQ(hot.runs[2].count, (Linear{0, 1, 0}));
  EXPECT_TRUE(hot.has_init(static_cast<int>(hot.nodes.size()) - 1));
  ASSERT_EQ(plan.cold.size(), 1u);  // n = 1; n = 0 belongs to no regime
  EXPECT_EQ(plan.cold[0].domain.r_lo, 1);
}

TEST(Plan, ABlockIsPlannedFromTheStartOfItsRegime) {
  // The place 1 exists from n = 2 on.
  const RulePlan plan =
      planned("1..1: trees { 1: [.@0]; } 2..1000: loop 4 { 0..3: [f@1 .@0 .@2 +1 x (4q+r-2)]; }");
  EXPECT_EQ(plan.first_symbolic, 1);
  ASSERT_FALSE(plan.cold.empty());
  for (const Plan& cold : plan.cold) {
    EXPECT_EQ(cold.domain.q_hi, 0);
    EXPECT_GE(cold.domain.r_lo, 2);
  }
  EXPECT_EQ(plan.cold.back().domain.r_hi, 3);
  EXPECT_EQ(plan.hot.front().domain.r_lo, 0);
  // What n = 2 lacks is refused all the same.
  EXPECT_EQ(refused("1..1: trees { 1: [.@0]; } 2..1000: loop 4 { 0..3: [.@2 .@0 .@1]; }"),
            "a summand may lie outside the piece");
}

TEST(Plan, LanesOfUnequalLengthGetOneCount) {
  const RulePlan plan = planned(
      "1..1: trees { 1: [.@0]; } 2..999: loop 2 { 0: L = [f@0 +2 x q]; [L@0 L@1]; 1: L = [f@0 +2 x "
      "q]; [[f@0 +2 x (q+1)]@0 L@1]; }");
  ASSERT_EQ(plan.hot.size(), 2u);
  ASSERT_EQ(plan.hot[1].runs.size(), 2u);
  EXPECT_EQ(plan.hot[1].runs[0].count, plan.hot[1].runs[1].count);
  EXPECT_EQ(plan.hot[1].nodes[1].kind, PlanNode::Kind::fuse);
  EXPECT_EQ(plan.hot[1].nodes[1].at, (Linear{2, 0, 0}));
}

TEST(Plan, AWideValueThatMayPassUnroundedSplitsTheResidues) {
  const RulePlan plan =
      planned("1..1000: loop 4 { 0..3: L = wide [x@0 +1 x 4q]; [L@0 .@4q +1 x r]; }");
  ASSERT_EQ(plan.hot.size(), 2u);
  EXPECT_EQ(plan.hot[0].domain.r_hi, 0);
  EXPECT_TRUE(plan.hot[0].is_wide(static_cast<int>(plan.hot[0].nodes.size()) - 1));
  EXPECT_FALSE(plan.hot[1].is_wide(static_cast<int>(plan.hot[1].nodes.size()) - 1));
  EXPECT_TRUE(plan.is_wide);
}

TEST(Plan, ABodyMayBeASmallTree) {
  const RulePlan plan =
      planned("1..1000: loop 4 { 0..3: P = [[.@0 f@3]@0 [.@1 .@2]@0]; [P@0 +4 x q .@4q +1 x r]; }");
  const kernels::Run& run = plan.hot[0].runs[0];
  ASSERT_EQ(run.body.size(), 1u);
  EXPECT_EQ(run.body[0].size(), 7u);
  EXPECT_EQ(run.step, 4);
}

TEST(Plan, RefusesWithAReason) {
  EXPECT_EQ(refused("1..99: loop 4 pad { 0: [.@0 +1 x 4q]; }"), "a padded loop");
  EXPECT_EQ(refused("1..99: loop 2 { 0..1: [.@1 +1 x 2q .@2q +1 x r]; }"),
            "a run may leave the piece");
  EXPECT_EQ(refused("1..99: loop 2 { 0..1: [.@0 +q x 2 .@(2q-2) +1 x r]; }"),
            "a summand may lie outside the piece");
  EXPECT_EQ(refused("1..99: loop 8 { 0..7: [.@0 +8 x q .@0 +8 x q .@8q +1 x r]; }"),
            "a summand is named twice");
  EXPECT_EQ(refused("1..9: trees { 3: [.@0 +1 x 4]; }"), "a summand may lie outside the piece");
}

// The proof that places are inside is itself beyond 64 bits: q up to 2^40 times a step of 2^24.
TEST(Plan, ProductsOfDocumentsDoNotWrapAround) {
  for (int power = 20; power <= 40; ++power) {
    const std::string step = std::to_string(std::int64_t{1} << power);
    EXPECT_EQ(refused(("1..99: loop 1 { 0: [.@0 +" + step + " x q]; }").c_str()),
              "a run may leave the piece");
  }
  std::string deep = "1..99: loop 1 { 0: A0 = [.@0 +1 x q];";
  for (int k = 1; k <= 8; ++k)
    deep += "A" + std::to_string(k) + " = [A" + std::to_string(k - 1) + "@1099511627776 +" +
            "1099511627776 x 3];";
  EXPECT_FALSE(refused((deep + "[A8@0]; }").c_str()).empty());
}

// Chains of absent chains have no nodes, and copies of them without end.
TEST(Plan, AbsentChainsAreNotEntered) {
  std::string text = "1..99: loop 1 { 0: A0 = [.@0 +1 x 0];";
  for (int k = 1; k <= 60; ++k)
    text += "A" + std::to_string(k) + " = [A" + std::to_string(k - 1) + "@0 +1 x 1000000000];";
  EXPECT_EQ(planned((text + "[A60@0 .@0 +1 x q]; }").c_str()).hot.size(), 1u);
}

// 2048 residues of 2048 lanes each: 100 s and 2 GB were spent on plans before they were counted.
TEST(Plan, ManyLargeResiduesAreLeftToTheInterpreter) {
  std::string text = "1..999999: loop 2048 {";
  for (int r = 0; r < 2048; ++r)
    text += std::to_string(r) + ": L = [.@0 +2048 x q]; [L@0 +1 x 2048 .@2048q +1 x " +
            std::to_string(r) + "];";
  EXPECT_EQ(refused((text + "}").c_str()), "too many nodes for straight code");
}

TEST(Plan, WhatTheEmittersDoNotExpectIsRefused) {
  Plan plan = planned("1..99: loop 2 { 0..1: L = [f@0 +2 x q]; [L@0 L@1 .@2q +1 x r]; }").hot[0];
  std::string why;
  EXPECT_TRUE(is_expected(plan, why));
  Plan other = plan;
  other.nodes.back().left = other.nodes.back().left > 0 ? 0 : 1;  // used twice
  EXPECT_FALSE(is_expected(other, why));
  other = plan;
  std::swap(other.nodes.front(), other.nodes.back());  // operands behind their node
  EXPECT_FALSE(is_expected(other, why));
  other = plan;
  other.runs[0].body.clear();
  EXPECT_FALSE(is_expected(other, why));
}

}  // namespace
}  // namespace reprosum::kernels
