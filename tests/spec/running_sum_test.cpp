// Splits whose right piece goes on from the sum so far.
#include "spec/running_sum.h"

#include <gtest/gtest.h>

#include <string>

#include "spec/describe_update.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/spec/shown_tree.h"

namespace reprosum::spec {
namespace {

// Two lanes, the first of which begins with the output; blocks of four.
const std::string kBlock =
    "1..4: loop 2 { 0..1: [[out f@0 +2 x q]@0 [f@1 +2 x q]@0 f@2q +1 x r]; }\n";
const std::string kUpdate =
    "sub 0 {\n" + kBlock + "}\n" + kBlock + "5..99: split last(4) through { self, sub 0 }";
const std::string kPlain =
    "sub 0 {\n" + kBlock +
    "}\n1..4: loop 2 { 0..1: [[f@0 +2 x q]@0 [f@1 +2 x q]@0 f@2q +1 x r]; }\n"
    "5..99: split last(4) through { self, sub 0 }";

TEST(RunningSum, TheSumSoFarTakesTheOutputsPlace) {
  EXPECT_EQ(shown(kUpdate, 4), "(((out + f0) + f2) + (1 + f3))");
  EXPECT_EQ(shown(kUpdate, 5), "((((out + f0) + f2) + (1 + f3)) + f4)");
  EXPECT_EQ(shown(kUpdate, 7), "((((((out + f0) + f2) + (1 + f3)) + f4) + 5) + f6)");
  EXPECT_EQ(shown(kUpdate, 8), "((((((out + f0) + f2) + (1 + f3)) + f4) + f6) + (5 + f7))");
}

TEST(RunningSum, APlainSumGoesOnToo) {
  EXPECT_EQ(shown(kPlain, 5), "(((0 + f2) + (1 + f3)) + f4)");
  EXPECT_EQ(shown(kPlain, 8), "(((((0 + f2) + (1 + f3)) + f4) + f6) + (5 + f7))");
  EXPECT_FALSE(is_update(parse_order(kPlain)));
  EXPECT_TRUE(is_update(parse_order(kUpdate)));
  EXPECT_TRUE(has_running_sum(parse_order(kPlain)));
}

TEST(RunningSum, PanelsOfBlocksGoOn) {
  const std::string order =
      "sub 0 { sub 0 { 1..2: loop 2 { 0..1: [out .@0 +1 x (2q+r)]; } } "
      "sub 1 { 1..4: loop 1 { 0: [.@0 +1 x q]; } } "
      "1..2: loop 2 { 0..1: [out .@0 +1 x (2q+r)]; } "
      "3: split last(2) through { self, sub 0 } "
      "4: parts fixed(m = 99) onto fold sub 1 } "
      "1..4: loop 1 { 0: [out .@0 +1 x q]; } "
      "5..99: split last(4) through { self, sub 0 }";
  EXPECT_EQ(shown(order, 7), "(((((((out + 0) + 1) + 2) + 3) + 4) + 5) + 6)");
  EXPECT_EQ(shown(order, 8), "(((((out + 0) + 1) + 2) + 3) + (((4 + 5) + 6) + 7))");
}

TEST(RunningSum, WithoutTheUpdateTheSumStillGoesOn) {
  const std::string scaled =
      "sub 0 { 1..4: loop 1 { 0: [out <f@0 +1 x q]; } } "
      "1..4: loop 1 { 0: [out <f@0 +1 x q]; } "
      "5..99: split last(4) through { self, sub 0 }";
  for (const std::string& text : {kUpdate, kPlain, scaled}) {
    const Order order = parse_order(text);
    const Order plain = without_update(order);
    EXPECT_FALSE(is_update(plain));
    EXPECT_NO_THROW(validate(plain));
    for (std::int64_t n = 1; n <= 99; ++n)
      ASSERT_EQ(expand(plain, n), without_update(expand(order, n))) << text << "\nn = " << n;
  }
}

TEST(RunningSum, IsWrittenAndReadBack) {
  const Order order = parse_order(kUpdate);
  EXPECT_EQ(parse_order(print(order)), order);
  EXPECT_EQ(order_from_json(order_to_json(order)), order);
  EXPECT_NE(meaning_hash(order),
            meaning_hash(parse_order("1..4: loop 1 { 0: [out .@0 +1 x q]; } 5..99: split last(4) "
                                     "{ self, self }")));
  EXPECT_NE(describe(order).find("chunks of 4, each going on from the sum so far as sub-order 0"),
            std::string::npos)
      << describe(order);
  EXPECT_EQ(describe_update(order), "C rounded");
  EXPECT_EQ(describe_update(parse_order(kPlain)), "");
}

TEST(RunningSum, OrdersThatDifferInTheAdditionOfABlockAreToldApart) {
  const std::string added =
      "sub 0 { 1..4: loop 1 { 0: [.@0 +1 x q]; } } "
      "1..4: loop 1 { 0: [.@0 +1 x q]; } 5..99: split last(4) { self, sub 0 }";
  const std::string goes_on =
      "sub 0 { 1..4: loop 1 { 0: [out .@0 +1 x q]; } } "
      "1..4: loop 1 { 0: [.@0 +1 x q]; } "
      "5..99: split last(4) through { self, sub 0 }";
  const auto found = diff(parse_order(added), parse_order(goes_on));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->n, 6);
  // A chain goes on as if it had not been cut.
  EXPECT_FALSE(
      diff(parse_order(goes_on), parse_order("1..99: loop 1 { 0: [.@0 +1 x q]; }")).has_value());
}

// Sums of three in wide, and single summands behind them in narrow.
TEST(RunningSum, AWideSumIsRoundedBeforeItGoesOn) {
  const std::string block =
      "1..2: loop 1 { 0: [out .@0 +1 x q]; } 3: trees { 3: wide [out .@0 +1 x 3]; }";
  const std::string text =
      "sub 0 { " + block + " } " + block + " 4..99: split last(3) through { self, sub 0 }";
  EXPECT_EQ(shown(text, 4), "((((out + 0)w + 1)w + 2)w + 3)");
  EXPECT_EQ(shown(text, 6), "((((((out + 0)w + 1)w + 2)wr + 3)w + 4)w + 5)w");
  EXPECT_EQ(shown(text, 7), "(((((((out + 0)w + 1)w + 2)wr + 3)w + 4)w + 5)w + 6)");
  const Order order = parse_order(text);
  EXPECT_NE(expand(order, 6), expand(parse_order("1..6: loop 1 { 0: wide [out .@0 +1 x q]; }"), 6));
  const Order plain = without_update(order);
  for (std::int64_t n = 1; n <= 99; ++n)
    ASSERT_EQ(expand(plain, n), without_update(expand(order, n))) << n;
  // An exact product that stands for a sum is rounded as well.
  EXPECT_EQ(shown("sub 0 { 1: loop 1 { 0: wide [out x@0 +1 x q]; } } 1: loop 1 { 0: wide [x@0]; } "
                  "2..9: split last(1) through { self, sub 0 }",
                  3),
            "((0 + x1)wr + x2)w");
}

}  // namespace
}  // namespace reprosum::spec
