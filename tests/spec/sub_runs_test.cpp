// Lanes that a sub-order adds: meaning, text, JSON, proof, refusals.
#include <gtest/gtest.h>

#include "spec/coverage.h"
#include "spec/diff_orders.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

// Four lanes, each a chain of blocks of 3 that are added one after the other; two more summands go
// to lane 0, the rest to the end.
const char* const kLanes = R"(
  sub 0 {
    1..3: loop 1 { 0: [.@0 +1 x q]; }
    4..1000: split last(3) { self, self }
  }
  1..3: loop 1 { 0: [.@0 +1 x q]; }
  4..1000: loop 4 {
    0..3: a = [sub 0@0 +4 x q]; [a@0 +1 x 4 .@4q +1 x r];
  })";

Order lanes() { return parse_order(kLanes); }

TEST(SubRuns, ASubOrderAddsTheLeavesOfALane) {
  const Order same = parse_order(R"(1..3: loop 1 { 0: [.@0 +1 x q]; }
    4..1000: trees { 22: b = [.@0 +4 x 3]; c = [b@0 .@12 +4 x 2]; [c@0 +1 x 4 .@20 +1 x 2]; })");
  EXPECT_NE(expand(lanes(), 22), expand(same, 22));  // (0 + 4 + 8) + (12 + 16) is not a chain
  const Order right = parse_order(R"(1..3: loop 1 { 0: [.@0 +1 x q]; }
    4..1000: trees { 22: b = [.@0 +4 x 3]; t = [.@0 +4 x 2]; c = [b@0 t@12];
                     [c@0 +1 x 4 .@20 +1 x 2]; })");
  EXPECT_EQ(expand(lanes(), 22), expand(right, 22));
}

TEST(SubRuns, TextAndJsonAreCanonical) {
  const Order order = lanes();
  EXPECT_EQ(parse_order(print(order)), order);
  EXPECT_EQ(print(parse_order(print(order))), print(order));
  EXPECT_EQ(order_from_json(order_to_json(order)), order);
  EXPECT_NE(order_to_json(order).find("\"sub 0\""), std::string::npos);
}

TEST(SubRuns, TheHashAndTheDifferenceSeeTheSubOrder) {
  Order other = lanes();
  std::get<Split>(other.subs[0].regimes[1].rule).m = 2;
  EXPECT_NE(meaning_hash(lanes()), meaning_hash(other));
  const auto found = diff(lanes(), other);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->n, 16);  // three of a lane are one block, or two and one: the same; four are not
}

TEST(SubRuns, EverySummandIsProvenToBeNamedOnce) {
  ProofAllowance allowance;
  EXPECT_NO_THROW(prove_trees(lanes(), allowance));
  Order wrong = lanes();  // the lanes stand four apart, their leaves three
  auto& chains = std::get<Loop>(wrong.regimes[1].rule).cases[0].schema.chains;
  chains[0].items[0].step.c = 3;
  EXPECT_THROW(prove_trees(wrong, allowance), UserError);
}

TEST(SubRuns, DescribesThem) {
  EXPECT_NE(describe(lanes()).find("lanes at stride 4, each lane sub-order 0"), std::string::npos)
      << describe(lanes());
}

TEST(SubRuns, RefusesWhatHasNoMeaning) {
  const auto refused = [](const std::string& text) {
    EXPECT_THROW(parse_order(text), UserError) << text;
  };
  refused("1..9: loop 1 { 0: [sub 0@0 +1 x q]; }");  // no such sub
  refused("sub 0 { 1..9: loop 1 { 0: [.@0 +1 x q]; } } 1..9: loop 2 pad { 0: [sub 0@0 +1 x q]; }");
  refused("sub 0 { 1..9: loop 1 { 0: [.@0 +1 x q]; } } 1..9: loop 1 { 0: [out sub 0@0 +1 x q]; }");
  refused("sub 0 { 1..9: loop 1 { 0: [.@0 +1 x q]; } } 1..9: loop 1 { 0: [*sub 0@0 +1 x q]; }");
  Order far = lanes();  // a sub-order that is not defined where it is asked
  far.subs[0].regimes[1].hi = 10;
  EXPECT_THROW(expand(far, 100), UserError);
}

}  // namespace
}  // namespace reprosum::spec
