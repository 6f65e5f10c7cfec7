// diff(): the first size and node at which known pairs part.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sample_orders.h"
#include "spec/diff_nodes.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

OrderDifference difference(const std::string& a, const std::string& b) {
  const auto found = diff(parse_order(a), parse_order(b));
  if (!found) {
    ADD_FAILURE() << "no difference";
    return {};
  }
  return *found;
}

std::string sequential(const char* item) {
  return "1..100: loop 1 { 0: [" + std::string(item) + " +1 x q]; }";
}

TEST(Diff, AnOrderDoesNotDifferFromItself) {
  for (const char* text : samples::kAll)
    EXPECT_FALSE(diff(parse_order(text), parse_order(text)).has_value()) << text;
}

TEST(Diff, EqualMeaningInOtherWordsIsNoDifference) {
  // Two lanes as a block of two and as residues of a block of four.
  const Order two = parse_order("1..5000: loop 2 pad { 0: a = [f@0 +2 x q]; [a@0 a@1]; }");
  const Order four = parse_order("1..5000: loop 4 pad { 0: a = [f@0 +2 x 2q]; [a@0 a@1]; }");
  EXPECT_FALSE(diff(two, four).has_value());
  // A chunked order whose chunks are never met below n = 5000.
  const Order halves =
      parse_order("1: trees { 1: [.@0]; } 2..9000: split pow2_below(1) { self, self }");
  const Order other = parse_order(
      "1: trees { 1: [.@0]; } 2: trees { 2: [.@0 .@1]; } 3..9000: split pow2_below(1) { self, self "
      "}");
  EXPECT_FALSE(diff(halves, other).has_value());
}

TEST(Diff, NamesTheFirstNode) {
  const OrderDifference d = difference(samples::kSequential, samples::kHaswellDdot);
  // 16 lanes of one summand each are folded at distance 2 first.
  EXPECT_EQ(d.n, 16);
  EXPECT_EQ(d.node_a, "(0 + 1)");
  EXPECT_EQ(d.node_b, "(0 + 2)");
  EXPECT_FALSE(d.only_coverage);
}

TEST(Diff, SeesLeafKindsAndFormats) {
  const OrderDifference fused = difference(sequential(".@0"), sequential("f@0"));
  EXPECT_EQ(fused.n, 2);
  EXPECT_EQ(fused.node_a, "(0 + 1)");
  EXPECT_EQ(fused.node_b, "(0 + fma 1)");
  const OrderDifference wide =
      difference(sequential(".@0"), "1..100: loop 1 { 0: wide [.@0 +1 x q]; }");
  EXPECT_EQ(wide.n, 2);
  EXPECT_EQ(wide.node_b, "(0 + 1) wide");
  const OrderDifference start = difference(sequential(".@0"), "zero_start " + sequential(".@0"));
  EXPECT_EQ(start.n, 1);
  EXPECT_EQ(start.node_a, "0");
  EXPECT_EQ(start.node_b, "(zero + 0)");
}

TEST(Diff, SeesWhatIsFlushed) {
  const OrderDifference d =
      difference("flush inputs " + sequential("f@0"), "flush results " + sequential("f@0"));
  EXPECT_EQ(d.n, 2);
  EXPECT_EQ(d.summands_n, 2);
  EXPECT_EQ(d.node_a, "where subnormal inputs become zero");
  EXPECT_EQ(d.summands_b, "where subnormal results become zero");
  const OrderDifference kept = difference(sequential("f@0"), "flush both " + sequential("f@0"));
  EXPECT_EQ(kept.node_a, "where subnormal numbers are kept");
  // Another order is told first.
  EXPECT_EQ(difference(sequential(".@0"), "flush both " + sequential("f@0")).node_b, "(0 + fma 1)");
}

TEST(Diff, TellsZerosFromSummands) {
  // Fused onto a zero a product is rounded, so that only a sum of -0 shows the zero.
  const OrderDifference start = difference(sequential(".@0"), "zero_start " + sequential("f@0"));
  EXPECT_EQ(start.n, 1);
  EXPECT_EQ(start.node_b, "(zero + 0)");
  EXPECT_EQ(start.summands_n, 2);
  EXPECT_EQ(start.summands_a, "(0 + 1)");
  EXPECT_EQ(start.summands_b, "(0 + fma 1)");
  const OrderDifference alone = difference(sequential(".@0"), "zero_start " + sequential(".@0"));
  EXPECT_EQ(alone.n, 1);
  EXPECT_EQ(alone.summands_n, 0);
  // A wide sum of a zero and a product is that product, which a narrow leaf would round.
  using Kind = TreeOp::Kind;
  const Tree wide{
      1, {{Kind::leaf, Leaf::zero}, {Kind::leaf, Leaf::fused}, {Kind::add, {}, NodeFormat::wide}}};
  EXPECT_FALSE(without_zeros(wide).has_value());
  // A narrow one of an exact product rounds it.
  const Tree narrow{1, {{Kind::leaf, Leaf::zero}, {Kind::leaf, Leaf::exact}, {Kind::add}}};
  EXPECT_FALSE(without_zeros(narrow).has_value());
}

// The sum in double, of products x[i]*y[i].
double sum_of(const Tree& tree, const std::vector<double>& x, const std::vector<double>& y) {
  struct Value {
    double sum = 0;
    int fused = -1;  // a leaf whose product is still to be fused
  };
  std::vector<Value> stack;
  for (const TreeOp& op : tree.ops) {
    if (op.kind == TreeOp::Kind::leaf) {
      if (op.leaf == Leaf::zero)
        stack.push_back({0});
      else if (op.leaf == Leaf::fused)
        stack.push_back({0, static_cast<int>(op.index)});
      else
        stack.push_back({x[op.index] * y[op.index]});
      continue;
    }
    const Value right = stack.back();
    stack.pop_back();
    double& left = stack.back().sum;
    const auto i = static_cast<std::size_t>(std::max(right.fused, 0));
    left = right.fused < 0 ? left + right.sum : std::fma(x[i], y[i], left);
  }
  return stack.back().sum;
}

TEST(Diff, ZerosLeftOutChangeNoBits) {
  const std::uint64_t seed = 5;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> numbers(-1, 1);
  int without = 0;
  for (const char* text : {samples::kHaswellDdot, samples::kSkylakeXDdot, samples::kBlisDdot}) {
    const Order order = parse_order(std::string("zero_start") + text);
    for (std::int64_t n = 1; n <= 80; ++n) {
      const Tree tree = expand(order, n);
      const std::optional<Tree> bare = without_zeros(tree);
      ASSERT_TRUE(bare.has_value()) << text << " n = " << n;
      EXPECT_EQ(std::count_if(bare->ops.begin(), bare->ops.end(),
                              [](const TreeOp& op) { return op.leaf == Leaf::zero; }),
                0);
      without += bare->ops.size() < tree.ops.size();
      std::vector<double> x(static_cast<std::size_t>(n)), y(x.size());
      for (double& value : x) value = numbers(random);
      for (double& value : y) value = numbers(random);
      EXPECT_EQ(sum_of(tree, x, y), sum_of(*bare, x, y)) << text << " n = " << n;
    }
  }
  EXPECT_GT(without, 40);
}

TEST(Diff, FindsThresholdsFarAway) {
  const OrderDifference d = difference(samples::kHaswellDdot, samples::kHaswellDdotTwoThreads);
  EXPECT_EQ(d.n, 10001);
  EXPECT_GE(d.searched_to, 2000);
  EXPECT_LT(d.searched_to, 10001);
  // Chunks of 8192 and halves part above 8192; so do two chunk lengths.
  const std::string base = samples::kNumpySum;
  std::string other = base;
  other.replace(other.find("last(8192)"), 10, "half_down(8)");
  EXPECT_GT(difference(base, other).n, 8192);
  EXPECT_LT(difference(base, other).n, 3 * 8192);
}

TEST(Diff, FindsOneResidueFarAway) {
  const std::string base = "1..9999: loop 1 { 0: [.@0 +1 x q]; } ";
  const std::string plain = "[.@0 +1 x (100q+r)];";
  const auto with_77 = [&](const std::string& schema) {
    return base + "10000..900000: loop 100 { 0..76: " + plain + " 77: " + schema +
           " 78..99: " + plain + " }";
  };
  const std::string uniform = base + "10000..900000: loop 100 { 0..99: " + plain + " }";
  EXPECT_EQ(difference(uniform, with_77("[.@0 .@2 .@1 .@3 +1 x (100q+74)];")).n, 10077);
  // ((1 + 0) + 2) is ((0 + 1) + 2): addition commutes.
  EXPECT_FALSE(diff(parse_order(uniform), parse_order(with_77("[.@1 .@0 .@2 +1 x (100q+75)];")))
                   .has_value());
}

TEST(Diff, OrdersThatAreDefinedNowhereAreNotTheSame) {
  // Pieces of zero or fewer summands are no trees.
  const OrderDifference d = difference("1..8: split last_const(8) { self, self }",
                                       "1..8: split last_const(9) { self, self }");
  EXPECT_TRUE(d.only_coverage);
  EXPECT_EQ(d.n, 8);
  EXPECT_EQ(d.node_a, "not defined");
  EXPECT_EQ(d.node_b, "not defined");
  // One size at which both are defined is enough.
  EXPECT_FALSE(
      diff(parse_order("1: trees { 1: [.@0]; } 2..8: split last_const(8) { self, self }"),
           parse_order("1: trees { 1: [.@0]; } 2..8: split last_const(9) { self, self }")));
}

TEST(Diff, CoverageAloneIsSaidToBeThat) {
  const OrderDifference d =
      difference("1..100: loop 1 { 0: [.@0 +1 x q]; }", "1..90: loop 1 { 0: [.@0 +1 x q]; }");
  EXPECT_TRUE(d.only_coverage);
  EXPECT_EQ(d.n, 91);
  // A real difference later on counts for more.
  const OrderDifference real =
      difference("1..100: loop 1 { 0: [.@0 +1 x q]; } 200..300: loop 1 { 0: [.@0 +1 x q]; }",
                 "1..90: loop 1 { 0: [.@0 +1 x q]; } 200..300: loop 1 { 0: [f@0 +1 x q]; }");
  EXPECT_FALSE(real.only_coverage);
  EXPECT_EQ(real.n, 200);
}

// Referee: expand() at every n up to 64.
TEST(Diff, AgreesWithExpandOnSmallSizes) {
  const std::string bases[] = {samples::kHaswellDdot, samples::kHaswellSdot, samples::kSkylakeXDdot,
                               samples::kAtlasSdot,   samples::kNumpySum,    samples::kBlisDdot};
  const std::uint64_t seed = 3;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  int differing = 0;
  for (int k = 0; k < 60; ++k) {
    // A leaf kind or the distance of a fold changes.
    const std::string base = bases[random() % std::size(bases)];
    std::string mutant = base;
    std::size_t at = 0;
    for (std::size_t tries = 1 + random() % 8; tries > 0; --tries)
      at = mutant.find_first_of("@", at + 1) == std::string::npos
               ? at
               : mutant.find_first_of("@", at + 1);
    if (mutant[at - 1] == 'f' || mutant[at - 1] == '.') {
      mutant[at - 1] = mutant[at - 1] == 'f' ? '.' : 'f';
    } else {
      mutant[at + 1] = static_cast<char>('0' + random() % 10);
    }
    SCOPED_TRACE(mutant);
    const Order a = parse_order(base);
    Order b;
    try {
      b = parse_order(mutant);
    } catch (const ParseError&) {
      continue;
    }
    std::int64_t first = 0;
    for (std::int64_t n = 1; n <= 64 && first == 0; ++n) {
      try {
        if (expand(a, n) != expand(b, n)) first = n;
      } catch (const UserError&) {  // the mutant is not defined here
      }
    }
    if (first == 0) continue;
    ++differing;
    const auto found = diff(a, b);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->n, first);
    EXPECT_NE(found->node_a, found->node_b);
    EXPECT_FALSE(found->only_coverage);
  }
  EXPECT_GT(differing, 10);
}

}  // namespace
}  // namespace reprosum::spec
