// SplitTree: pieces come once, from the left, as long as they are cut by halving or from one end.
#include "kernels/split_tree.h"

#include <gtest/gtest.h>

#include "spec/surface.h"

namespace reprosum::kernels {
namespace {

struct Walked {
  bool done = false, contiguous = true;
  std::int64_t covered = 0;
};

Walked walked(const spec::Order& order, std::int64_t n) {
  const std::vector<Piece> pieces = pieces_of(order);
  const SplitTree tree(order, pieces);
  EXPECT_TRUE(tree.is_usable());
  Walked result;
  const auto piece = [&](std::size_t k, std::int64_t length,
                         std::int64_t at) -> std::optional<double> {
    const spec::Regime& regime = *pieces[k].regime;
    if (length < regime.lo || length > regime.hi) return std::nullopt;
    result.contiguous = result.contiguous && at == result.covered;
    result.covered += length;
    return 1.0;
  };
  result.done = tree.value<double>(n, piece).has_value();
  return result;
}

TEST(SplitTree, WalksPairwiseSumsFromTheLeft) {
  const spec::Order order = spec::parse_order(
      "1..128: loop 1 { 0: [.@0 +1 x q]; } 129..8192: split half_down(8) { self, self } "
      "8193..10000000: split last(8192) { self, self }");
  for (const std::int64_t n : {1, 128, 129, 1000, 8192, 8193, 16384, 16385, 999'999, 10'000'000}) {
    const Walked result = walked(order, n);
    EXPECT_TRUE(result.done && result.contiguous) << n;
    EXPECT_EQ(result.covered, n);
  }
}

TEST(SplitTree, LeavesDeepWalksToTheOther) {
  // From the right end: as deep as there are pieces.
  const spec::Order order = spec::parse_order(
      "1..1000: loop 1 { 0: [.@0 +1 x q]; } 1001..9000000: split first(1000) { self, self }");
  EXPECT_TRUE(walked(order, 3500).done);
  EXPECT_FALSE(walked(order, 1'000'000).done);
}

TEST(SplitTree, IsNotForPartsOrLoopsAlone) {
  for (const char* text :
       {"1..9: loop 1 { 0: [.@0 +1 x q]; }",
        "1..9: loop 1 { 0: [.@0 +1 x q]; } 10..99: parts ceil(count = 3, m = 1) fold self"}) {
    const spec::Order order = spec::parse_order(text);
    EXPECT_FALSE(SplitTree(order, pieces_of(order)).is_usable()) << text;
  }
}

}  // namespace
}  // namespace reprosum::kernels
