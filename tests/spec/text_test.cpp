// The text language: print() and parse_order() are inverse, and print() is canonical.
#include <gtest/gtest.h>

#include <string>

#include "random_order.h"
#include "sample_orders.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

TEST(Text, EveryConstructComesBack) {
  for (const char* text : samples::kAll) {
    SCOPED_TRACE(text);
    const Order order = parse_order(text);
    const std::string printed = print(order);
    EXPECT_EQ(parse_order(printed), order) << printed;
    EXPECT_EQ(print(parse_order(printed)), printed);
  }
}

TEST(Text, RandomOrdersComeBack) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Order order = RandomOrders(seed).order();
    ASSERT_NO_THROW(validate(order));
    const std::string printed = print(order);
    ASSERT_EQ(parse_order(printed), order) << printed;
    ASSERT_EQ(print(parse_order(printed)), printed);
  }
}

TEST(Text, RandomUpdatesComeBack) {
  int updates = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Order order = RandomOrders(seed).update();
    ASSERT_NO_THROW(validate(order));
    updates += is_update(order);
    const std::string printed = print(order);
    ASSERT_EQ(parse_order(printed), order) << printed;
    ASSERT_EQ(print(parse_order(printed)), printed);
  }
  EXPECT_GT(updates, 200);
}

TEST(Text, LayoutAndCommentsDoNotMatter) {
  const Order order = parse_order("1..9:loop 2{0..1:a=[f@0+2x q];[a@0 a@1 .@2q+1x r];}");
  EXPECT_EQ(order, parse_order(R"(# two lanes
    1 .. 9 : loop 2 {   # a block of two
      0 .. 1 : a = [ f @ 0 + 2 x q ] ;
               [ a @ 0 a @ 1 . @ 2 q + 1 x r ] ;
    })"));
  EXPECT_EQ(print(order),
            "1..9: loop 2 {\n"
            "  0..1: a = [f@0 +2 x q]; [a@0 a@1 .@2q +1 x r];\n"
            "}\n");
}

TEST(Text, InlineChainsAreShared) {
  const Order nested =
      parse_order("1..8: loop 4 pad { 0: [[.@0 +4 x q]@0 [.@0 +4 x q]@1 +1 x 3]; }");
  EXPECT_EQ(nested, parse_order("1..8: loop 4 pad { 0: a = [.@0 +4 x q]; [a@0 a@1 +1 x 3]; }"));
}

TEST(Text, NamedChainsKeepTheirNumber) {
  const Order order = parse_order(
      "1: trees { 1: [.@0]; }\n"
      "2: trees { 2: a = [.@0]; b = [.@0]; [b@0 .@1]; }\n");
  const auto& tree = std::get<Explicit>(order.regimes[1].rule).entries[0].tree;
  ASSERT_EQ(tree.chains.size(), 3u);
  EXPECT_EQ(tree.chains[2].items[0].shape.chain, 1);
}

TEST(Text, MeaningIsThatOfTheFacts) {
  // ((0+8)+(1+9)) + ... : lanes folded 1, 2, 4, then the tail; by hand at n = 17.
  const Tree tree = expand(parse_order(samples::kNumpySum), 17);
  std::string leaves;
  for (const TreeOp& op : tree.ops)
    leaves += op.kind == TreeOp::Kind::leaf ? std::to_string(op.index) + " " : "+ ";
  EXPECT_EQ(leaves, "0 8 + 1 9 + + 2 10 + 3 11 + + + 4 12 + 5 13 + + 6 14 + 7 15 + + + + 16 + ");
}

TEST(Text, ALongChainIsNoProblem) {
  Order order;
  Explicit rule;
  Chain chain;
  constexpr std::int64_t kLeaves = kMaxExplicitLeaves;
  for (std::int64_t k = 0; k < kLeaves; ++k) {  // an order that no run shortens
    Item item;
    item.at.c = k % 2 == 0 ? k / 2 : kLeaves - 1 - k / 2;
    chain.items.push_back(item);
  }
  rule.entries.push_back({kLeaves, {{chain}}});
  order.regimes.push_back({1, kLeaves, rule});
  EXPECT_EQ(parse_order(print(order)), order);
  EXPECT_EQ(order_from_json(order_to_json(order)), order);
  EXPECT_EQ(expand(order, kLeaves).ops.size(), std::size_t(2 * kLeaves - 1));
  EXPECT_EQ(describe(order), "1 listed tree");
  EXPECT_FALSE(diff(order, order).has_value());
}

TEST(Text, IntegersBeyondTheBoundAreRefusedWhereTheyStand) {
  for (const char* number : {"1099511627777", "9223372036854775808", "99999999999999999999999"}) {
    SCOPED_TRACE(number);
    try {
      parse_order("1..9: loop 1 {\n  0: [.@0 +" + std::string(number) + " x q];\n}");
      ADD_FAILURE() << "accepted";
    } catch (const ParseError& error) {
      EXPECT_EQ(error.where, "line 2, column 12");
    }
  }
}

TEST(Text, DeepNestingIsRefusedNotFollowed) {
  const std::string deep(1'000'000, '[');
  EXPECT_THROW(parse_order("1..9: loop 1 { 0: " + deep), ParseError);
  std::string subs;
  for (int k = 0; k < 100'000; ++k) subs += "sub 0 {";
  EXPECT_THROW(parse_order(subs), ParseError);
}

// 62 chains, each twice the one before: 2^62 summands in half a page.
TEST(Text, ExponentialSizesAreRefusedWhenExpanded) {
  std::string text = "1..9: loop 1 { 0: c0 = [.@0 .@1];";
  for (int k = 1; k < 62; ++k)
    text += "c" + std::to_string(k) + " = [c" + std::to_string(k - 1) + "@0 +2 x 2];";
  const Order order = parse_order(text + "[c61@0]; }");
  EXPECT_THROW(expand(order, 9), UserError);
  const Order many = parse_order("1..9: loop 1 { 0: [.@0 +1 x 1000000000000]; }");
  EXPECT_THROW(expand(many, 9), UserError);
}

// Every prefix and every one-byte change gives an order or a located error, nothing else.
TEST(Text, DamagedTextIsRefusedOrValid) {
  const std::string text = samples::kEverything;
  const auto check = [](const std::string& damaged) {
    try {
      validate(parse_order(damaged));
    } catch (const ParseError& error) {
      EXPECT_EQ(error.where.rfind("line ", 0), 0u) << error.where;
    }
  };
  for (std::size_t length = 0; length < text.size(); length += 3) check(text.substr(0, length));
  for (std::size_t at = 0; at < text.size(); at += 7)
    for (const char c : {'0', 'x', '[', '}', ' ', '\0', '\xff'}) {
      std::string damaged = text;
      damaged[at] = c;
      check(damaged);
    }
}

}  // namespace
}  // namespace reprosum::spec
