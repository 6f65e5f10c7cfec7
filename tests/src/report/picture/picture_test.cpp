// The folded view: it must account for every summand, whatever the order.
#include "src/report/picture/picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "spec/expand.h"
#include "src/report/picture/edges.h"
#include "src/report/picture/layout.h"
#include "src/report/picture/render.h"
#include "tests/src/report/sample_specs.h"

namespace reprosum::report {
namespace {

constexpr const char* kOrders[] = {
    kSequentialOrder,
    kFromZeroOrder,
    kLanesOrder,
    kPairwiseOrder,
    kWideTailOrder,
    "1..1000000: loop 128 pad { 0: a = [f@0 +128 x q]; [a@0 +1 x 128]; }",
    "1..320: loop 1 { 0: [f@0 +1 x q]; } 321..99999: parts "
    "balanced_up(m=320, u=8) fold regime 0",
    "1..1: trees { 1: [.@0]; } 2..99999: split first(1) { self, self }",
    "1..1: trees { 1: [.@0]; } 2..99999: split pow2_below(1) { self, self }",
    "1..2: loop 1 { 0: [.@0 +1 x q]; } 3..99999: split half_up(1) { self, self }"};

TEST(Picture, FoldsToAllSummandsAndStaysSmall) {
  for (const char* text : kOrders) {
    const spec::Order order = spec::parse_order(text);
    for (const std::int64_t n :
         {1, 2, 3, 31, 63, 64, 65, 127, 128, 129, 500, 1000, 8191, 8192, 8193, 99999}) {
      SCOPED_TRACE(std::string(text) + " n = " + std::to_string(n));
      for (const int width : {kOutlineWidth, kDrawingWidth}) {
        const Picture folded = folded_picture(order, n, width);
        EXPECT_EQ(folded.parts[static_cast<std::size_t>(folded.root)].leaves, n);
        EXPECT_LT(folded.parts.size(), 1500u);
        EXPECT_LT(layout(folded).width, 6000);
      }
    }
  }
}

// Random splits of any set of summands, so that subtrees stand in one another's way.
void split(const std::vector<std::uint32_t>& set, std::mt19937& random, spec::Tree& out) {
  spec::TreeOp op;
  if (set.size() == 1) {
    op.index = set[0];
    out.ops.push_back(op);
    return;
  }
  std::vector<std::uint32_t> left{set[0]}, right;
  for (std::size_t k = 1; k < set.size(); ++k) (random() % 2 == 0 ? left : right).push_back(set[k]);
  if (right.empty()) {
    right.push_back(left.back());
    left.pop_back();
  }
  split(left, random, out);
  split(right, random, out);
  op.kind = spec::TreeOp::Kind::add;
  out.ops.push_back(op);
}

// The nodes that an edge runs through without ending there.
int crossed(const Picture& picture) {
  const Layout places = layout(picture);
  const auto curves = edge_curves(picture, places);
  int out = 0;
  for (std::size_t p = 0; p < curves.size(); ++p)
    for (std::size_t k = 0; k < curves[p].size(); ++k)
      for (std::size_t other = 0; other < picture.parts.size(); ++other) {
        const Box& box = places.boxes[other];
        if (!box.shown || other == p ||
            static_cast<int>(other) == picture.parts[p].operands[k].part)
          continue;
        for (int step = 1; step < 100; ++step) {
          const auto [x, y] = point_of(curves[p][k], step / 100.0);
          if (std::abs(x - box.x) < box.width / 2 && std::abs(y - box.y) < box.height / 2) {
            ++out;
            break;
          }
        }
      }
  return out;
}

// (0 + 2) + 1: the root stands above the sum of 0 and 2, which stands above 1. A straight edge from
// the root to 1 would show 0 + 1 + 2.
TEST(Picture, NoEdgeRunsThroughAnotherNode) {
  EXPECT_EQ(
      crossed(picture(
          spec::parse_order("1..3: trees { 1: [.@0]; 2: [.@0 .@1]; 3: a = [.@0 .@2]; [a@0 .@1]; }"),
          3)),
      0);
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> all(2 + random() % 9);
    std::iota(all.begin(), all.end(), 0u);
    spec::Tree tree;
    tree.n = static_cast<std::int64_t>(all.size());
    split(all, random, tree);
    EXPECT_EQ(crossed(whole_picture(tree)), 0) << "round " << round;
  }
  for (const char* text : kOrders)
    for (const std::int64_t n : {3, 19, 40, 1000, 99999}) {
      const spec::Order order = spec::parse_order(text);
      EXPECT_EQ(crossed(picture(order, n)), 0) << text << " n = " << n;
    }
}

// Unfolds copies and runs into the list of summands; pieces that are not drawn make it incomplete.
void summands(const Picture& picture, int index, std::int64_t shift, std::vector<int>& seen,
              bool& complete) {
  const Part& part = picture.parts[static_cast<std::size_t>(index)];
  if (part.kind == Part::Kind::piece) complete = false;
  if (part.kind == Part::Kind::leaf || part.kind == Part::Kind::run) {
    if (part.leaf == spec::Leaf::zero || is_output(part)) return;
    for (std::int64_t u = 0; u < part.times2; ++u)
      for (std::int64_t t = 0; t < part.times; ++t)
        ++seen.at(static_cast<std::size_t>(shift + part.first + t * part.step + u * part.step2));
  }
  for (const Operand& operand : part.operands) {
    if (operand.copies > 1 && operand.step == 0) complete = false;
    for (std::int64_t copy = 0; copy < operand.copies; ++copy)
      summands(picture, operand.part, shift + copy * operand.step, seen, complete);
  }
}

TEST(Picture, EverySummandIsDrawnOnce) {
  int checked = 0;
  for (const char* text :
       {kSequentialOrder, kFromZeroOrder, kLanesOrder, kPairwiseOrder, kWideTailOrder}) {
    const spec::Order order = spec::parse_order(text);
    for (const std::int64_t n : {70, 128, 500, 1000, 1024, 9000}) {
      SCOPED_TRACE(std::string(text) + " n = " + std::to_string(n));
      for (const int width : {kOutlineWidth, kDrawingWidth}) {
        const Picture folded = folded_picture(order, n, width);
        std::vector<int> seen(static_cast<std::size_t>(n), 0);
        bool complete = true;
        ASSERT_NO_THROW(summands(folded, folded.root, 0, seen, complete));
        if (!complete) continue;
        ++checked;
        EXPECT_EQ(seen, std::vector<int>(static_cast<std::size_t>(n), 1));
      }
    }
  }
  EXPECT_GT(checked, 40);
}

// The same tree said in two ways: lanes that repeat, and lanes that are each named.
TEST(Picture, TwinsAreDrawnOnceHoweverTheRuleSaysThem) {
  std::vector<std::string> names;
  for (int lane = 0; lane < 64; ++lane)
    names.push_back("[f@" + std::to_string(lane) + " +64 x q]@0");
  while (names.size() > 1) {
    std::vector<std::string> next;
    for (std::size_t k = 0; k < names.size() / 2; ++k)
      next.push_back("[" + names[k] + " " + names[k + names.size() / 2] + "]@0");
    names = next;
  }
  const std::string root = names[0].substr(0, names[0].size() - 2);
  const spec::Order order = spec::parse_order("1..9999: loop 64 { 0: " + root + "; 1..63: [" +
                                              root + "@0 .@64q +1 x r]; }");
  const Picture folded = folded_picture(order, 6401);
  EXPECT_EQ(folded.parts[static_cast<std::size_t>(folded.root)].leaves, 6401);
  EXPECT_LT(layout(folded).width, 36 * 60);
  std::vector<int> seen(6401, 0);
  bool complete = true;
  summands(folded, folded.root, 0, seen, complete);
  EXPECT_TRUE(complete);
  EXPECT_EQ(seen, std::vector<int>(6401, 1));
}

// A run inside a chain is added summand by summand; a chain that is only a run is one value.
TEST(Picture, TellsRunsFromValues) {
  const spec::Order order = spec::parse_order(
      "1..999: loop 4 { 0..3: a = [f@0 +4 x q]; b = [a@0 a@1]; [b@0 b@2 .@4q +1 x r]; }");
  const Picture folded = folded_picture(order, 403);
  const Part& root = folded.parts[static_cast<std::size_t>(folded.root)];
  ASSERT_EQ(root.kind, Part::Kind::fold);
  ASSERT_EQ(root.operands.size(), 2u);
  EXPECT_FALSE(root.operands[0].in_turn);
  EXPECT_TRUE(root.operands[1].in_turn);
  for (const Part& part : folded.parts) {
    EXPECT_FALSE(part.kind == Part::Kind::add && adds_fused(folded, part));
  }
}

constexpr const char* kUpdates[] = {
    // Blocks of a gemm, alpha fused onto the output or onto the blocks before.
    "sub 0 { 1..768: loop 2 { 0..1: a = [f@0 +2 x q]; [a@0 a@1 f@2q +1 x r]; } }\n"
    "1..100000: parts balanced_up(m=384, u=8) onto scale fused fold sub 0",
    "sub 0 { 1..320: loop 1 { 0: [0 f@0 +1 x q]; } }\n"
    "1..100000: parts fixed(m=320) scale fused fold sub 0",
    "sub 0 { 1..320: loop 1 { 0: [.@0 +1 x q]; } }\n"
    "1..100000: parts fixed(m=320) onto fused scale rounded fold sub 0",
    "1..100000: loop 1 { 0: [out <f@0 +1 x q]; }",
    "1..100000: loop 1 { 0: a = [.@0 +1 x q]; [*a@0 outf]; }",
    "1..100000: loop 4 { 0: a = [.@0 f@1 +1 x 3]; [out &a@0 +4 x q];\n"
    "  1..3: a = [.@0 f@1 +1 x 3]; [out &a@0 +4 x q <f@4q +1 x r]; }",
    "1..100000: loop 4 { 0: a = [.@0 f@1 +1 x 3]; [&a@0 +4 x q outf];\n"
    "  1..3: a = [.@0 f@1 +1 x 3]; [&a@0 +4 x q &.@4q +1 x r outf]; }",
    "sub 0 { 1..99999: loop 1 { 0: [f@0 +1 x q]; } }\n"
    "1..1: trees { 1: [.@0]; } 2..100000: split remainder(2) { sub 0, sub 0 }"};

TEST(Picture, UpdatesFoldToAllSummands) {
  for (const char* text : kUpdates) {
    const spec::Order order = spec::parse_order(text);
    for (const std::int64_t n : {1, 2, 3, 4, 5, 64, 65, 320, 321, 640, 999, 1000, 1001, 8192}) {
      SCOPED_TRACE(std::string(text) + " n = " + std::to_string(n));
      for (const int width : {kOutlineWidth, kDrawingWidth}) {
        const Picture folded = folded_picture(order, n, width);
        std::vector<int> seen(static_cast<std::size_t>(n), 0);
        bool complete = true;
        ASSERT_NO_THROW(summands(folded, folded.root, 0, seen, complete));
        EXPECT_EQ(folded.parts[static_cast<std::size_t>(folded.root)].leaves, n);
        if (complete) {
          EXPECT_EQ(seen, std::vector<int>(static_cast<std::size_t>(n), 1));
        }
        EXPECT_GT(layout(folded).width, 0);
      }
    }
  }
}

// How often the output stands in a picture, and how often alpha meets each summand.
void alphas(const Picture& picture, int index, int above, std::int64_t shift, int& outputs,
            std::vector<int>& met) {
  const Part& part = picture.parts[static_cast<std::size_t>(index)];
  if (is_output(part)) {
    ++outputs;
    return;
  }
  if (part.kind == Part::Kind::scaled || (part.is_bottom() && part.scale != spec::Scale::none))
    ++above;
  if (part.is_bottom() && part.leaf != spec::Leaf::zero)
    for (std::int64_t u = 0; u < part.times2; ++u)
      for (std::int64_t t = 0; t < part.times; ++t)
        met.at(static_cast<std::size_t>(shift + part.first + t * part.step + u * part.step2)) +=
            above;
  for (const Operand& operand : part.operands)
    for (std::int64_t copy = 0; copy < operand.copies; ++copy)
      alphas(picture, operand.part, above, shift + copy * operand.step, outputs, met);
}

TEST(Picture, OfAnUpdateHasTheOutputAndAlphaWhereTheTreeHasThem) {
  int checked = 0;
  for (const char* text : kUpdates) {
    const spec::Order order = spec::parse_order(text);
    for (const std::int64_t n : {1, 2, 5, 63, 64, 100, 321, 640, 777}) {
      SCOPED_TRACE(std::string(text) + " n = " + std::to_string(n));
      const Picture whole = whole_picture(spec::expand(order, n));
      int whole_outputs = 0, folded_outputs = 0;
      std::vector<int> in_whole(static_cast<std::size_t>(n), 0), in_folded = in_whole;
      alphas(whole, whole.root, 0, 0, whole_outputs, in_whole);
      const Picture folded = folded_picture(order, n);
      std::vector<int> seen(static_cast<std::size_t>(n), 0);
      bool complete = true;
      summands(folded, folded.root, 0, seen, complete);
      if (!complete) continue;
      alphas(folded, folded.root, 0, 0, folded_outputs, in_folded);
      EXPECT_EQ(folded_outputs, whole_outputs);
      EXPECT_EQ(in_folded, in_whole);
      ++checked;
    }
  }
  EXPECT_GT(checked, 40);
}

TEST(Picture, PiecesThatGoOnSayWhatTheirOutputIs) {
  const std::string block =
      "1..8: loop 2 { 0..1: [[out f@0 +2 x q]@0 [f@1 +2 x q]@0 f@2q +1 x r]; }";
  const spec::Order order = spec::parse_order("sub 0 {\n" + block + "\n}\n" + block +
                                              "\n9..99: split last(8) through { self, sub 0 }");
  const Picture folded = folded_picture(order, 61);
  std::vector<int> seen(61, 0);
  bool complete = true;
  summands(folded, folded.root, 0, seen, complete);
  EXPECT_TRUE(complete);
  EXPECT_EQ(seen, std::vector<int>(61, 1));
  ASSERT_EQ(folded.remarks.size(), 1U);
  EXPECT_NE(folded.remarks[0].find("goes on from the sum before it"), std::string::npos);
}

TEST(Picture, ExpressionsOfUpdates) {
  const auto expression = [](const char* text, std::int64_t n) {
    return render_expression(spec::expand(spec::parse_order(text), n));
  };
  EXPECT_EQ(expression("1..9: loop 1 { 0: [out <f@0 +1 x q]; }", 2), "(C +f ax0 +f ax1)");
  EXPECT_EQ(expression("1..9: loop 1 { 0: a = [.@0 +1 x q]; [*a@0 outf]; }", 2),
            "(a*(0 + 1) +f C)");
  EXPECT_EQ(expression("1..9: loop 1 { 0: a = [f@0 +1 x q]; [out &a@0]; }", 2),
            "(C +f a*(0 +f 1))");
}

TEST(Picture, ExpressionsSayEverythingAboutANode) {
  const auto expression = [](const char* text, std::int64_t n) {
    return render_expression(spec::expand(spec::parse_order(text), n));
  };
  EXPECT_EQ(expression("1..9: loop 1 { 0: [.@0 +1 x q]; }", 1), "0");
  EXPECT_EQ(expression("1..9: loop 1 { 0: [.@0 +1 x q]; }", 3), "(0 + 1 + 2)");
  EXPECT_EQ(expression("1..9: loop 1 { 0: [0 f@0 +1 x q]; }", 2), "(z +f 0 +f 1)");
  EXPECT_EQ(expression("1..9: loop 1 { 0: wide [x@0 +1 x q]; }", 2), "(0x +w 1x)");
  EXPECT_EQ(expression("1..9: loop 2 { 0..1: a = [f@0 +2 x q]; [a@0 a@1 .@2q +1 x r]; }", 4),
            "(0 +f 2 + (1 +f 3))");
  const char* const rounded =
      "sub 0 { 1..2: loop 1 { 0: wide [out .@0 +1 x q]; } } "
      "1..2: loop 1 { 0: wide [.@0 +1 x q]; } 3..9: split last(2) through { self, sub 0 }";
  EXPECT_EQ(expression(rounded, 4), "(round(0 +w 1) +w 2 +w 3)");
  EXPECT_EQ(expression(rounded, 6), "(round(round(0 +w 1) +w 2 +w 3) +w 4 +w 5)");
}

TEST(Picture, DrawingsMarkSumsThatAreRoundedBeforeTheyAreAdded) {
  const spec::Order order = spec::parse_order(
      "sub 0 { 1..2: loop 1 { 0: wide [out .@0 +1 x q]; } } "
      "1..2: loop 1 { 0: wide [.@0 +1 x q]; } 3..9: split last(2) through { self, sub 0 }");
  const auto count = [](const std::string& text, const std::string& what) {
    int times = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++times;
    return times;
  };
  const Caption caption;
  for (const int n : {2, 4, 6}) {
    SCOPED_TRACE(n);
    const Picture whole = whole_picture(spec::expand(order, n));
    const int rounded = n / 2 - 1;
    const std::string svg = render_svg(whole, caption);
    EXPECT_EQ(count(svg, "<circle class=\"node wide stored\""), rounded);
    EXPECT_EQ(count(svg, "summands, rounded</title>"), rounded);
    EXPECT_EQ(count(svg, "the sum is rounded before it is added"), rounded > 0 ? 1 : 0);
    EXPECT_EQ(count(render_dot(whole, caption), "peripheries=2"), rounded);
  }
}

}  // namespace
}  // namespace reprosum::report
