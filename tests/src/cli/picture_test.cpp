// The folded view: it must account for every summand, whatever the order.
#include "src/cli/picture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sample_specs.h"
#include "spec/expand.h"
#include "src/cli/layout.h"
#include "src/cli/render.h"

namespace reprosum::cli {
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

// Unfolds copies and runs into the list of summands; pieces that are not drawn make it incomplete.
void summands(const Picture& picture, int index, std::int64_t shift, std::vector<int>& seen,
              bool& complete) {
  const Part& part = picture.parts[static_cast<std::size_t>(index)];
  if (part.kind == Part::Kind::piece) complete = false;
  if (part.kind == Part::Kind::leaf || part.kind == Part::Kind::run) {
    if (part.leaf == spec::Leaf::zero) return;
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
}

}  // namespace
}  // namespace reprosum::cli
