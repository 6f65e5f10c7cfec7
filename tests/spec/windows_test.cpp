// Sums in windows: meaning, text, JSON, comparison.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "spec/diff_orders.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/spec/sample_orders.h"

namespace reprosum::spec {
namespace {

Order passes() { return parse_order(samples::kPasses); }

// The tree as a text, "((0 2) (1 3))".
std::string shown(const Tree& tree) {
  std::vector<std::string> stack;
  for (const TreeOp& op : tree.ops) {
    if (op.kind == TreeOp::Kind::leaf) {
      stack.push_back(op.leaf == Leaf::zero ? "z" : std::to_string(op.index));
      continue;
    }
    const std::string right = stack.back();
    stack.pop_back();
    stack.back() = "(" + stack.back() + " " + right + ")";
  }
  return stack.back();
}

// By the words of order.h: places that are missing are deleted from the window's tree.
TEST(Windows, LieInTheMiddle) {
  EXPECT_EQ(shown(expand(passes(), 8)), "(((0 2) (1 3)) ((4 6) (5 7)))");
  EXPECT_EQ(shown(expand(passes(), 6)), "(((0 2) 1) ((3 5) 4))");  // one place on either side
  EXPECT_EQ(shown(expand(passes(), 5)), "(((0 2) 1) (3 4))");      // one more behind
  EXPECT_EQ(shown(expand(passes(), 12)), "((((0 2) (1 3)) ((4 6) (5 7))) ((8 10) (9 11)))");
}

// Five sums are windows in turn: 17 summands lack a place before and two behind, five sums one
// before and two behind.
TEST(Windows, SumsAreSummandsOfTheNextPass) {
  const std::string w0 = "((0 2) 1)", w1 = "((3 5) (4 6))", w2 = "((7 9) (8 10))",
                    w3 = "((11 13) (12 14))", w4 = "(15 16)";
  EXPECT_EQ(shown(expand(passes(), 17)),
            "(((" + w0 + " " + w2 + ") " + w1 + ") (" + w3 + " " + w4 + "))");
}

TEST(Windows, EverySummandIsNamedOnce) {
  for (std::int64_t n = 1; n <= 300; ++n) EXPECT_EQ(expand(passes(), n).n, n);
  EXPECT_EQ(expand(passes(), 99'991).n, 99'991);
}

TEST(Windows, ZeroStartIsAddedOnceAtTheRoot) {
  Order order = passes();
  order.zero_start = true;
  EXPECT_EQ(shown(expand(order, 8)), "(z " + shown(expand(passes(), 8)) + ")");
}

TEST(Windows, AreDescribed) {
  EXPECT_NE(describe(passes()).find("windows of 4 in passes"), std::string::npos)
      << describe(passes());
}

TEST(Windows, DiffFindsAnotherWidthOrPiece) {
  Order other = passes();
  EXPECT_FALSE(diff(passes(), other));
  std::get<Explicit>(other.subs[0].regimes[0].rule) =
      std::get<Explicit>(parse_order("1..3: loop 1 { 0: [.@0 +1 x q]; } "
                                     "4..4: trees { 4: [.@0 +1 x 4]; }")
                             .regimes[1]
                             .rule);
  const auto found = diff(passes(), other);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->n, 5);  // three summands in the first window, where two would not tell
}

}  // namespace
}  // namespace reprosum::spec
