// Orders of matrix updates: where the output and alpha enter, and the order of the sums without.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "random_order.h"
#include "sample_orders.h"
#include "shown_tree.h"
#include "spec/describe_update.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

std::string error_of(const char* text, std::int64_t n) {
  const Order order = parse_order(text);
  try {
    return shown(expand(order, n));
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(Update, OutputAndAlphaStandWhereTheyAreWritten) {
  EXPECT_EQ(shown("1..9: loop 1 { 0: [out <f@0 +1 x q]; }", 3), "(((out + <f0) + <f1) + <f2)");
  EXPECT_EQ(shown("1..9: loop 1 { 0: a = [f@0 +1 x q]; [out &a@0]; }", 2), "(out + &(0 + f1))");
  EXPECT_EQ(shown("1..9: loop 1 { 0: a = [f@0 +1 x q]; [*a@0 outf]; }", 2), "(*(0 + f1) + outf)");
  EXPECT_EQ(shown("1..2: trees { 2: wide [>x@0 *x@1 out]; }", 2), "(out + (>x0 + *x1)w)w");
}

TEST(Update, WhatIsFusedAndComesFirstIsRounded) {
  EXPECT_EQ(shown("1..2: trees { 2: [&.@0 &.@1]; }", 2), "(*0 + &1)");
  EXPECT_EQ(shown("1: trees { 1: [<f@0]; }", 1), "<0");
  EXPECT_EQ(shown("1: trees { 1: [outf f@0]; }", 1), "(out + f0)");
  // A chain of one copy is that copy, so alpha meets the product itself.
  EXPECT_EQ(shown("1: trees { 1: a = [f@0]; [out &a@0]; }", 1), "(out + &0)");
}

TEST(Update, AnOutputOrAZeroStandsLeftButForFusedOperands) {
  EXPECT_EQ(shown("1..2: trees { 2: [.@0 .@1 out]; }", 2), "(out + (0 + 1))");
  EXPECT_EQ(shown("1: trees { 1: [0 out .@0]; }", 1), shown("1: trees { 1: [out 0 .@0]; }", 1));
  EXPECT_EQ(shown("1: trees { 1: [[0 out]@0 0 .@0]; }", 1), "(((out + zero) + zero) + 0)");
  EXPECT_EQ(shown("1..2: trees { 2: [.@1 &.@0]; }", 2), "(1 + &0)");
}

TEST(Update, PartsTakeInTheOutput) {
  const std::string sub = "sub 0 { 1..99: loop 1 { 0: [f@0 +1 x q]; } }\n1..99: ";
  const auto at = [&](const char* rule, std::int64_t n) { return shown((sub + rule).c_str(), n); };
  EXPECT_EQ(at("parts fixed(m=2) onto scale rounded fold sub 0", 3), "((out + *(0 + f1)) + *2)");
  EXPECT_EQ(at("parts fixed(m=2) onto scale fused fold sub 0", 3), "((out + &(0 + f1)) + &2)");
  EXPECT_EQ(at("parts fixed(m=2) onto fused scale fused fold sub 0", 3),
            "((*(0 + f1) + outf) + &2)");
  EXPECT_EQ(at("parts fixed(m=2) onto fold sub 0", 4), "((out + (0 + f1)) + (2 + f3))");
  EXPECT_EQ(at("parts fixed(m=2) scale fused fold sub 0", 4), "(*(0 + f1) + &(2 + f3))");
  EXPECT_EQ(at("parts fixed(m=2) onto zero fold sub 0", 3), "((zero + (0 + f1)) + 2)");
  EXPECT_EQ(at("parts fixed(m=2) onto zero scale fused fold sub 0", 2), "(zero + &(0 + f1))");
  EXPECT_EQ(at("parts fixed(m=2) fold sub 0", 4), "((0 + f1) + (2 + f3))");
  EXPECT_EQ(at("parts wide fixed(m=3) onto fold sub 0", 4), "((out + ((0 + f1) + f2))w + 3)w");
}

TEST(Update, OnePieceIsFoldedAsWritten) {
  const std::string sub = "sub 0 { 1..99: loop 1 { 0: [f@0 +1 x q]; } }\n1..99: ";
  const auto at = [&](const char* rule, std::int64_t n) { return shown((sub + rule).c_str(), n); };
  EXPECT_EQ(at("parts fixed(m=2) onto scale fused fold sub 0", 2), "(out + &(0 + f1))");
  EXPECT_EQ(at("parts fixed(m=2) onto fused scale fused fold sub 0", 1), "(*0 + outf)");
  EXPECT_EQ(at("parts balanced_ceil(m=2) scale fused fold sub 0", 2), "*(0 + f1)");
  EXPECT_EQ(at("parts ceil(count=4, m=4) onto fold sub 0", 2), "(out + (0 + f1))");
  EXPECT_EQ(at("parts rest(count=4, m=4) onto fold sub 0", 2), "(out + (0 + f1))");
  EXPECT_THROW(at("parts even(count=4) onto fold sub 0", 2), UserError);
  EXPECT_THROW(at("parts fixed(m=2) fold sub 0", 2), UserError);
  EXPECT_THROW(at("parts balanced_up(m=4, u=6) onto fold sub 0", 6), UserError);
}

TEST(Update, WithoutItAFoldStillStartsAtZero) {
  const Order update = parse_order(
      "sub 0 { 1..99: loop 1 { 0: [f@0 +1 x q]; } }\n"
      "1..99: parts fixed(m=4) onto zero scale fused fold sub 0");
  EXPECT_TRUE(is_update(update));
  const Order plain = without_update(update);
  ASSERT_NO_THROW(validate(plain));
  EXPECT_FALSE(is_update(plain));
  EXPECT_EQ(parse_order(print(plain)), plain);
  for (std::int64_t n = 1; n <= 20; ++n)
    EXPECT_EQ(expand(plain, n), without_update(expand(update, n))) << "n = " << n;
}

TEST(Update, RemainderIsApartOnlyWhereThereIsOne) {
  const char* order =
      "sub 0 { 1..99: loop 1 { 0: [f@0 +1 x q]; } }\n"
      "sub 1 { 1..99: loop 1 { 0: [.@0 +1 x q]; } }\n"
      "1..99: split remainder(3) { sub 0, sub 1 }";
  EXPECT_EQ(shown(order, 3), "((0 + f1) + f2)");
  EXPECT_EQ(shown(order, 5), "(((0 + f1) + f2) + (3 + 4))");
  EXPECT_THROW(shown(order, 2), UserError);
}

TEST(Update, TheOutputEntersOnceAndAlphaOncePerValue) {
  EXPECT_NE(error_of("1: trees { 1: [out .@0 out]; }", 1).find("twice"), std::string::npos);
  EXPECT_NE(error_of("1..2: trees { 2: a = [out .@0]; [a@0 a@1]; }", 2).find("twice"),
            std::string::npos);
  EXPECT_NE(error_of("1: trees { 1: a = [<.@0]; [out *a@0]; }", 1).find("twice"),
            std::string::npos);
}

TEST(Update, PaddedLoopsKeepOutputAndAlpha) {
  const char* order = "1..99: loop 4 pad { 0: a = [<f@0 +4 x q]; [a@0 a@1 *[a@2 a@3]@0 out]; }";
  EXPECT_EQ(shown(order, 4), "(out + ((<0 + <1) + *(<2 + <3)))");
  EXPECT_EQ(shown(order, 2), "(out + (<0 + <1))");
  // The one lane that is left would meet alpha twice.
  EXPECT_NE(error_of(order, 3).find("twice"), std::string::npos);
  EXPECT_EQ(shown("1..9: loop 3 pad { 0: [*.@0 &[.@1 .@2]@0 outf]; }", 2), "((*0 + &1) + outf)");
}

TEST(Update, WithoutItAreTheSums) {
  for (const char* text : samples::kAll) {
    const Order plain = parse_order(text);
    if (text == samples::kPasses) continue;  // no update has windows
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " of\n" + text);
      const Order update = RandomOrders(seed).as_update(plain);
      ASSERT_NO_THROW(validate(update)) << print(update);
      ASSERT_EQ(parse_order(print(update)), update);
      ASSERT_EQ(without_update(update), plain);
      for (const std::int64_t n : {1, 2, 3, 4, 9, 21, 31, 33, 70, 130}) {
        Tree tree;
        try {
          tree = expand(update, n);
        } catch (const UserError&) {
          continue;  // not defined there, or alpha meets a value twice
        }
        EXPECT_EQ(canonical(tree), tree);
        EXPECT_EQ(without_update(tree), expand(plain, n));
        EXPECT_FALSE(is_update(without_update(tree)));
      }
    }
  }
}

TEST(Update, WithoutItOnePieceIsStillDefined) {
  const Order update = parse_order(
      "sub 0 { 1..999: loop 2 { 0..1: a = [f@0 +2 x q]; [a@0 a@1 .@2q +1 x r]; } }\n"
      "1..4: parts fixed(m=4) onto scale fused fold sub 0\n"
      "5..60: parts balanced_up(m=8, u=2) onto scale rounded fold regime 0\n"
      "61..999: split last(60) { regime 1, self }");
  // The first regime is named beyond its range, where it would be cut.
  EXPECT_THROW(without_update(update), UserError);
  const Order good = parse_order(
      "sub 0 { 1..999: loop 2 { 0..1: a = [f@0 +2 x q]; [a@0 a@1 .@2q +1 x r]; } }\n"
      "1..4: parts fixed(m=4) onto scale fused fold sub 0\n"
      "5..60: parts balanced_up(m=8, u=2) onto scale rounded fold sub 0\n"
      "61..999: split remainder(60) { regime 1, sub 0 }");
  const Order plain = without_update(good);
  ASSERT_NO_THROW(validate(plain));
  EXPECT_FALSE(is_update(plain));
  for (std::int64_t n = 1; n <= 300; ++n)
    EXPECT_EQ(expand(plain, n), without_update(expand(good, n))) << "n = " << n;
}

TEST(Update, SkipsStandBeforeTheLeavesTheyLeaveOut) {
  EXPECT_EQ(shown("1..9: loop 2 { 0..1: [out >f@0 +1 x 2q ?>f@2q +1 x r]; }", 3),
            "(((out + >f0) + >f1) + ?>f2)");
  EXPECT_EQ(shown("1..9: loop 1 { 0: a = [~f@0 ^<.@1]; [out a@0]; }", 2), "(out + (~0 + ^<1))");
  EXPECT_EQ(shown("1..2: trees { 2: wide [~x@0 .@1]; }", 2), "(~x0 + 1)w");
  const Order order = parse_order("1..9: loop 1 { 0: [out ?<f@0 +1 x q]; }");
  EXPECT_TRUE(is_update(parse_order("1..9: loop 1 { 0: [~f@0 +1 x q]; }")));
  EXPECT_EQ(shown(expand(without_update(order), 2)), "(0 + f1)");
  EXPECT_EQ(shown(without_update(expand(order, 2))), "(0 + f1)");
  EXPECT_EQ(print(order), "1..9: loop 1 {\n  0: [out ?<f@0 +1 x q];\n}\n");
  EXPECT_EQ(describe_update(order),
            "C rounded, alpha times x, some products left out where a scaled factor is zero");
}

TEST(Update, WithoutOutputWhatWasFusedOntoItIsRounded) {
  const auto dropped = [](const char* text, std::int64_t n) {
    return shown(without_output(expand(parse_order(text), n)));
  };
  EXPECT_EQ(dropped("1..9: loop 1 { 0: [out <f@0 +1 x q]; }", 2), "(<0 + <f1)");
  EXPECT_EQ(dropped("1..9: loop 1 { 0: a = [f@0 +1 x q]; [out &a@0]; }", 2), "*(0 + f1)");
  EXPECT_EQ(dropped("1..9: loop 1 { 0: a = [f@0 +1 x q]; [*a@0 outf]; }", 2), "*(0 + f1)");
  EXPECT_EQ(dropped("1: trees { 1: [0 out .@0]; }", 1), "(zero + 0)");
}

TEST(Update, WithoutConstantsWhatTheyStartedIsRounded) {
  const auto dropped = [](const char* text, std::int64_t n) {
    return shown(without_constants(expand(parse_order(text), n)));
  };
  EXPECT_EQ(
      dropped("1..9: loop 2 { 0..1: a = [out f@0 +2 x (q+r)]; b = [0 f@1 +2 x q]; [a@0 b@0]; }", 4),
      "((0 + f2) + (1 + f3))");
  EXPECT_EQ(dropped("1: trees { 1: [0 out .@0]; }", 1), "0");
  EXPECT_EQ(dropped("zero_start 1..9: loop 1 { 0: a = [0 f@0 +1 x q]; [&a@0 outf]; }", 2),
            "*(0 + f1)");
}

TEST(Update, WhatCannotBeIsRefused) {
  for (const char* text :
       {"1: trees { 1: [*f@0]; }", "1: trees { 1: [<[.@0]@0]; }", "1: trees { 1: [*0 .@0]; }",
        "1: trees { 1: [<out .@0]; }", "1: trees { 1: [?.@0]; }", "1: trees { 1: [~*.@0]; }",
        "1: trees { 1: [~[.@0]@0]; }", "1: trees { 1: [~out .@0]; }", "1: trees { 1: [~0 .@0]; }",
        "1: trees { 1: [<?f@0]; }", "1..9: parts fixed(m=2) onto fold self",
        "1..9: parts fixed(m=2) scale fused fold regime 0",
        "1..9: split remainder(3) { self, self }", "1..9: split remainder(3) { regime 0, self }",
        "1..9: parts fixed(count=2, m=3) fold self"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW(parse_order(text), ParseError);
  }
}

}  // namespace
}  // namespace reprosum::spec
