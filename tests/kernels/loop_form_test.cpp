// Rules as loops: the same tree at every n of the regime.
#include "kernels/plan/loop_form.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "kernels/plan/chain_pieces.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::kernels {
namespace {

// The order with its last regime's rule replaced.
spec::Order with_loop(spec::Order order, spec::Loop loop) {
  order.regimes.back().rule = std::move(loop);
  return order;
}

void expect_same_trees(const spec::Order& order, const spec::Loop& loop, std::int64_t count) {
  const spec::Order looped = with_loop(order, loop);
  const std::int64_t lo = order.regimes.back().lo;
  for (std::int64_t n = lo; n < lo + count; ++n)
    ASSERT_EQ(spec::expand(order, n), spec::expand(looped, n)) << "n = " << n;
}

TEST(FoldSplit, EveryKindThatCutsOffOneEnd) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto below = [&](int k) { return static_cast<int>(random() % unsigned(k)); };
  int folded = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string kind =
        std::vector<std::string>{"last", "last_const", "first", "first_rest"}[unsigned(below(4))];
    const bool takes_last = kind.starts_with("last");
    const int m = 1 + below(9), lo = m + 1 + below(20);
    const std::string first = std::vector<std::string>{
        "loop 1 { 0: [f@0 +1 x q]; }", "loop 2 { 0..1: wide [.@0 +2 x q x@1 +2 x q x@2q +1 x r]; }",
        "loop 1 { 0: wide [0 f@0 +1 x q]; }"}[unsigned(below(3))];
    const std::string piece =
        std::vector<std::string>{"self", "regime 0", "sub 0"}[unsigned(below(3))];
    const std::string text = std::string(below(2) == 0 ? "zero_start " : "") +
                             "sub 0 { zero_start 1..1000: loop 1 { 0: [f@(q-1) -1 x q]; } } 1.." +
                             std::to_string(lo - 1) + ": " + first + " " + std::to_string(lo) +
                             "..100000: split " + (below(2) == 0 ? "wide " : "") + kind + "(" +
                             std::to_string(m) + ") { " +
                             (takes_last ? "self, " + piece : piece + ", self") + " }";
    SCOPED_TRACE(text);
    const spec::Order order = spec::parse_order(text);
    const auto loop = fold_split(order, order.regimes.back());
    if (!loop) continue;
    ++folded;
    expect_same_trees(order, *loop, 60);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(folded, 300);
}

TEST(FoldSplit, LeavesOtherSplitsAlone) {
  for (const char* rule :
       {"half_down(1) { self, self }", "last(2) { regime 0, self }", "last(2) { self, self }"}) {
    const spec::Order order =
        spec::parse_order(std::string("1..2000: loop 1 { 0: [.@0 +1 x q]; } 2001..9000: split ") +
                          rule);  // the last one keeps too long a rest
    EXPECT_FALSE(fold_split(order, order.regimes.back())) << rule;
    EXPECT_FALSE(fold_split(order, order.regimes.front()));
  }
}

// Padded loops whose lanes are cut anywhere: inside a run, a group, a constant tail.
TEST(UnpadLoop, SameTreesAtEveryLength) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto below = [&](int k) { return static_cast<int>(random() % unsigned(k)); };
  const auto number = [](int k) { return std::to_string(k); };
  for (int i = 0; i < 150; ++i) {
    const int width = 1 << below(4), per = 1 + below(3), block = width * per;
    const auto leaf = [&] { return std::string(below(2) == 0 ? "f" : "."); };
    std::string lane;
    switch (below(4)) {
      case 0:  // one run
        lane = "L = " + std::string(below(2) == 0 ? "wide " : "") + "[" + leaf() + "@0 +" +
               number(width) + " x " + number(per) + "q]; ";
        break;
      case 1:  // backwards inside each block
        lane = "L = [" + leaf() + "@" + number((per - 1) * width) + " -" + number(width) + " x " +
               number(per) + " +" + number(block) + " x q]; ";
        break;
      case 2: {  // a small sum per block
        lane = "P = [";
        for (int k = 0; k < per; ++k) lane += (k > 0 ? " " : "") + leaf() + "@" + number(k * width);
        lane += "]; L = [" + std::string(below(2) == 0 ? "0 " : "") + "P@0 +" + number(block) +
                " x q]; ";
        break;
      }
      default:  // backwards over the whole
        lane = "L = [" + leaf() + "@(" + number(block) + "q-" + number(width) + ") -" +
               number(width) + " x " + number(per) + "q]; ";
    }
    std::string fold = "[L@0";
    for (int k = 1; k < width; ++k) fold += " L@" + number(k);
    const std::string text =
        "1..100000: loop " + number(block) + " pad { 0: " + lane + fold + "]; }";
    SCOPED_TRACE(text);
    const spec::Order order = spec::parse_order(text);
    const auto loop = unpad_loop(order.regimes[0]);
    if (block == 1) continue;
    ASSERT_TRUE(loop);
    expect_same_trees(order, *loop, 5 * block + 3);
    if (HasFatalFailure()) return;
  }
}

// 2^25 ways to name the same leaves.
TEST(UnpadLoop, GivesUpOnASchemaThatNamesWithoutEnd) {
  std::string chains = "A = [.@9 +8 x q]; ";
  for (char name = 'B'; name <= 'Z'; ++name)
    chains += std::string(1, name) + " = [" + char(name - 1) + "@0 " + char(name - 1) + "@0]; ";
  const spec::Order order =
      spec::parse_order("1..100000: loop 8 pad { 0: " + chains + "[.@0 +1 x 8q Z@0]; }");
  EXPECT_FALSE(unpad_loop(order.regimes[0]));
}

TEST(UnpadLoop, LeavesOtherRulesAlone) {
  const spec::Order order = spec::parse_order(
      "1..16: loop 1 { 0: [.@0 +1 x q]; } 17..9000: split half_down(1) { self, self }");
  EXPECT_FALSE(unpad_loop(order.regimes[0]));
  EXPECT_FALSE(unpad_loop(order.regimes[1]));
}

// ---- chains that are pieces ----

std::vector<ChainPiece> chains_of(const std::string& text) {
  return chain_pieces(spec::parse_order(text).regimes[0]);
}

TEST(ChainPieces, AreOneLaneAndAsManyNeighboursAsAProgramTakes) {
  const auto found = chains_of(
      "1..100000: loop 65536 pad { 0: a = [0 f@0 +65536 x q]; b = [a@0 a@128]; c = [b@0 b@64]; "
      "d = [c@0 +1 x 64]; e = [d@0 d@256]; [e@0 +512 x 128]; }");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].chain, 0);
  EXPECT_EQ(found[0].lanes, 1);
  EXPECT_EQ(found[1].chain, 3);
  EXPECT_EQ(found[1].lanes, 256);
  EXPECT_TRUE(found[1].has_zero);
  EXPECT_EQ(found[1].block, 65536);
}

TEST(ChainPieces, AreNotSoughtWhereTheLoopIsAPiece) {
  EXPECT_TRUE(chains_of("1..9000: loop 8 pad { 0: L = [f@0 +8 x q]; [L@0 +1 x 8]; }").empty());
  EXPECT_TRUE(chains_of("1..9000: loop 1 { 0: [.@0 +1 x q]; }").empty());
}

TEST(ChainPieces, HaveRunsOfOneSummandABlockAlone) {
  // Two summands of each block, a body, a summand beside the run, backwards.
  for (const std::string lane : {"L = [.@0 +5000 x 2q]; [L@0 +1 x 5000]",
                                 "P = [.@0 .@5000]; L = [P@0 +10000 x q]; [L@0 +1 x 5000]",
                                 "L = [.@0 .@10000 +10000 x (q-1)]; [L@0 +1 x 10000]",
                                 "L = [.@(10000q-10000) -10000 x q]; [L@0 +1 x 10000]"})
    EXPECT_TRUE(chains_of("1..90000: loop 10000 pad { 0: " + lane + "; }").empty()) << lane;
}

TEST(ChainPieces, CountTheSummandsOfTheirLanes) {
  const ChainPiece piece{0, 4, 100, false};
  EXPECT_EQ(spec::rows_at(piece, 10, 10), 0);  // none
  EXPECT_EQ(spec::rows_at(piece, 10, 12), std::nullopt);
  EXPECT_EQ(spec::rows_at(piece, 10, 14), 1);
  EXPECT_EQ(spec::rows_at(piece, 10, 110), 1);
  EXPECT_EQ(spec::rows_at(piece, 10, 111), std::nullopt);
  EXPECT_EQ(spec::rows_at(piece, 10, 214), 3);
  EXPECT_EQ(summands_of_rows(piece, 3), 204);
}

}  // namespace
}  // namespace reprosum::kernels
