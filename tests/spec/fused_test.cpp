// Nodes that fuse several terms: meaning, text, JSON, hash, proof, refusals.
#include <gtest/gtest.h>

#include "random_order.h"
#include "spec/coverage.h"
#include "spec/error.h"
#include "spec/evaluate/evaluate_type.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

constexpr const char* kGroups = "1..1000: loop 1 { 0: fused(terms=4) [f@0 +1 x q]; }\n";

Order listed(const std::string& tree, std::int64_t n) {
  return parse_order("1: trees { 1: [.@0]; } " + std::to_string(n) + ": trees { " +
                     std::to_string(n) + ": " + tree + " }");
}

TEST(Fused, ANodeTakesSoManyTermsAndTheSumSoFar) {
  // 2^23, then 2^23 - 2^23 - 1/2 - 1/4 - 1/8: a unit that adds exactly gives -7/8.
  const double x[] = {0x1p23, 0, 0, 0, -0.5, -0.25, -0.125, -0x1p23};
  const double y[] = {1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(evaluate_in(Type::f32, parse_order(kGroups), 8, x, y), -0.875);
  const Order chain = parse_order("1..1000: loop 1 { 0: [f@0 +1 x q]; }");
  EXPECT_NE(evaluate_in(Type::f32, chain, 8, x, y), -0.875);
}

TEST(Fused, TheSequenceInsideANodeMeansNothing) {
  EXPECT_EQ(expand(listed("fused(terms=4) [f@2 f@0 .@3 f@1];", 4), 4),
            expand(listed("fused(terms=4) [.@3 f@0 f@1 f@2];", 4), 4));
  EXPECT_NE(expand(listed("fused(terms=2) [f@2 f@0 .@3 f@1];", 4), 4),
            expand(listed("fused(terms=2) [f@0 f@1 .@3 f@2];", 4), 4));
}

TEST(Fused, OfTwoOperandsItIsAnAdditionOrAnFma) {
  EXPECT_EQ(expand(listed("fused(terms=2) [.@0 .@1];", 2), 2), expand(listed("[.@0 .@1];", 2), 2));
  EXPECT_EQ(expand(listed("fused(terms=2) [f@0 .@1];", 2), 2), expand(listed("[.@1 f@0];", 2), 2));
  EXPECT_EQ(expand(listed("fused(terms=2) [0 .@1 .@0];", 2), 2).ops.size(), 5);
  EXPECT_TRUE(has_fused_nodes(expand(listed("fused(terms=2) [f@0 f@1];", 2), 2)));
}

TEST(Fused, ALonelyTermIsRounded) {
  const Tree tree = expand(parse_order(kGroups), 1);
  ASSERT_EQ(tree.ops.size(), 1);
  EXPECT_EQ(tree.ops[0].leaf, Leaf::rounded);
  // Five: a node of four, then the fifth alone beside the sum, which is an fma.
  const Tree five = expand(parse_order(kGroups), 5);
  EXPECT_EQ(five.ops.back().format, NodeFormat::narrow);
  EXPECT_EQ(five.ops[five.ops.size() - 2].leaf, Leaf::fused);
}

TEST(Fused, TermsThatPaddingLeavesOutAreNone) {
  const Order padded = parse_order("1..100: loop 4 pad { 0: fused(terms=4) [f@0 +1 x 4q]; }");
  for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 9, 30})
    EXPECT_EQ(expand(padded, n), expand(parse_order(kGroups), n)) << n;
}

TEST(Fused, TermsThatPaddingLeavesOutKeepTheirPlaces) {
  // With five summands: 0 beside the one that is left out, then 1 and 2, then 3 and 4.
  const Order padded =
      parse_order("1..6: loop 6 pad { 0: fused(terms=2) [f@5 f@0 f@1 f@2 f@3 f@4]; }");
  EXPECT_EQ(expand(padded, 5),
            expand(listed("fused(terms=3) [fused(terms=3) [.@0 f@1 f@2]@0 f@3 f@4];", 5), 5));
  EXPECT_NE(expand(padded, 5), expand(listed("fused(terms=2) [f@0 f@1 f@2 f@3 f@4];", 5), 5));
}

TEST(Fused, EqualNodesOfPaddedLoopsAreEqualPrograms) {
  // Without its last leaf the second operand is +0, which stands before the others.
  const Order padded =
      parse_order("1..4: loop 4 pad { 0: fused(terms=4) [.@0 [0 .@3]@0 .@1 .@2]; }");
  EXPECT_EQ(expand(padded, 3), expand(listed("fused(terms=4) [0 .@0 .@1 .@2];", 3), 3));
}

TEST(Fused, AChainThatIsAZeroIsATerm) {
  EXPECT_EQ(expand(listed("fused(terms=2) [[0]@0 f@0 f@1];", 2), 2),
            expand(listed("[fused(terms=2) [0 f@0]@0 f@1];", 2), 2));
}

// Every node of a million summands was once copied, and its least summand looked for, again and
// again: that took minutes.
TEST(Fused, LongChainsAreExpandedInLinearTime) {
  for (const char* const run : {"f@0 +1 x q", "f@(q-1) -1 x q"}) {
    const std::string text = "1..1048576: loop 1 { 0: fused(terms=2) [" + std::string(run) + "]; }";
    EXPECT_EQ(expand(parse_order(text), 1 << 20).ops.size(), (2U << 20) - 1);
  }
}

TEST(Fused, TextAndJsonAreCanonical) {
  EXPECT_EQ(print(parse_order(kGroups)),
            "1..1000: loop 1 {\n  0: fused(terms=4) [f@0 +1 x q];\n}\n");
  EXPECT_EQ(parse_order("1..9: loop 1 { 0: fused(terms=4, sum=exact) [f@0 +1 x q]; }"),
            parse_order("1..9: loop 1 { 0: fused(terms=4) [f@0 +1 x q]; }"));
  EXPECT_NE(order_to_json(parse_order(kGroups)).find("\"sum\":\"exact\""), std::string::npos)
      << order_to_json(parse_order(kGroups));
  int fused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Order order = RandomOrders(seed).fused();
    fused += has_fused_nodes(order) ? 1 : 0;
    ASSERT_NO_THROW(validate(order));
    ASSERT_EQ(parse_order(print(order)), order) << print(order);
    const std::string json = order_to_json(order);
    ASSERT_EQ(order_from_json(json), order) << json;
    ASSERT_EQ(order_to_json(order_from_json(json)), json);
  }
  EXPECT_GT(fused, 15);
}

TEST(Fused, TheHashAndTheDifferenceSeeTheTerms) {
  const Order four = parse_order(kGroups);
  const Order five = parse_order("1..1000: loop 1 { 0: fused(terms=5) [f@0 +1 x q]; }");
  const Order none = parse_order("1..1000: loop 1 { 0: [f@0 +1 x q]; }");
  EXPECT_NE(meaning_hash(four), meaning_hash(five));
  EXPECT_NE(meaning_hash(four), meaning_hash(none));
  ASSERT_TRUE(diff(four, five));
  EXPECT_EQ(diff(four, five)->n, 5);
  EXPECT_EQ(diff(four, none)->n, 2);
}

TEST(Fused, EverySummandIsProvenToBeNamedOnce) {
  ProofAllowance allowance;
  EXPECT_NO_THROW(prove_trees(parse_order(kGroups), allowance));
  EXPECT_THROW(
      prove_trees(parse_order("1..9: loop 1 { 0: fused(terms=2) [f@0 +1 x q f@0]; }"), allowance),
      UserError);
}

void expect_refused(const std::string& text, const char* words) {
  try {
    validate(parse_order(text));
    ADD_FAILURE() << text;
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Fused, WhatIsNotKnownIsRefusedByName) {
  const auto chain = [](const std::string& chain) { return "1..9: loop 1 { 0: " + chain + "; }"; };
  expect_refused(chain("fused(terms=4, sum=truncated) [f@0 +1 x q]"), "'truncated'");
  expect_refused(chain("fused(terms=4, sum=rounded) [f@0 +1 x q]"), "'exact' is known");
  expect_refused(chain("fused(terms=1) [f@0 +1 x q]"), "2..4096");
  expect_refused(chain("fused(terms=5000) [f@0 +1 x q]"), "2..4096");
  expect_refused(chain("fused(terms=4) [<f@0 +1 x q]"), "alpha");
  expect_refused(chain("fused(terms=4) [outf f@0 +1 x q]"), "output");
  expect_refused(chain("fused(terms=4) [x@0 +1 x q]"), "wide");
  expect_refused("flush both " + chain("fused(terms=4) [f@0 +1 x q]"), "fused");
  std::string json = order_to_json(parse_order(kGroups));
  json.replace(json.find("exact"), 5, "floored");
  EXPECT_THROW(order_from_json(json), ParseError);
}

}  // namespace
}  // namespace reprosum::spec
