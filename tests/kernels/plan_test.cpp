// Plans: which runs a schema becomes, how domains are split, and what is refused.
#include "kernels/plan.h"

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
  EXPECT_EQ(refused("1..9: trees { 3: [.@0 +1 x 4]; }"), "a summand may lie outside the piece");
}

}  // namespace
}  // namespace reprosum::kernels
