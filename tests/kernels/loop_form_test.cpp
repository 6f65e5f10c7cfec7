// Rules as loops: the same tree at every n of the regime.
#include "kernels/loop_form.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

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

}  // namespace
}  // namespace reprosum::kernels
