// The oracle on synthetic orders: the tree and its arithmetic must come out exactly.
#include "reveal/target_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "reveal/refused.h"
#include "reveal/tree/arithmetic.h"
#include "spec/expand.h"
#include "tests/reveal/tree/synthetic_orders.h"
#include "tests/reveal/tree/tree_target.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;

const std::int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 131, 259};

TEST(TargetOracle, BareTreesOfSums) {
  for (const SyntheticOrder& order : bare_orders()) {
    for (const Type type : {Type::f32, Type::f64}) {
      FunctionTarget target = tree_target(order.tree);
      const auto oracle = make_target_oracle(target, call_of_vectors(Routine::sum, type, 0), 1);
      for (const std::int64_t n : kSizes) {
        SCOPED_TRACE(order.name + " n = " + std::to_string(n));
        EXPECT_EQ(oracle->reveal(n), order.tree(n));
      }
    }
  }
}

TEST(TargetOracle, AnnotatedTreesOfDots) {
  for (const SyntheticOrder& order : annotated_orders()) {
    FunctionTarget target = tree_target(order.tree);
    const auto oracle = make_target_oracle(target, call_of_vectors(Routine::dot, Type::f32, 0), 2);
    for (const std::int64_t n : kSizes) {
      SCOPED_TRACE(order.name + " n = " + std::to_string(n));
      EXPECT_EQ(oracle->reveal(n), normal_formats(order.tree(n)));
    }
  }
}

TEST(TargetOracle, FusedLeavesOfDoubleDots) {
  for (const SyntheticOrder& order : annotated_orders()) {
    for (const std::int64_t n : {2, 3, 17, 40, 67}) {
      const spec::Tree tree = order.tree(n);
      if (std::any_of(tree.ops.begin(), tree.ops.end(), [](const spec::TreeOp& op) {
            return op.format == spec::NodeFormat::wide || op.leaf == spec::Leaf::exact;
          }))
        continue;
      for (const std::int64_t incx : {1, 0})
        for (const std::int64_t incy : {1, 0}) {
          if (incx == 0 && incy == 0) continue;
          SCOPED_TRACE(order.name + " n = " + std::to_string(n) +
                       " incx = " + std::to_string(incx) + " incy = " + std::to_string(incy));
          for (const Type type : {Type::f32, Type::f64}) {
            FunctionTarget target = tree_target(order.tree);
            const auto oracle =
                make_target_oracle(target, call_of_vectors(Routine::dot, type, 0, incx, incy), 3);
            EXPECT_EQ(oracle->reveal(n), tree);
          }
        }
    }
  }
}

TEST(TargetOracle, ARangeIsTheRestrictedTree) {
  std::mt19937_64 random(5);
  for (const SyntheticOrder& order : bare_orders()) {
    FunctionTarget target = tree_target(order.tree);
    const auto oracle = make_target_oracle(target, call_of_vectors(Routine::dot, Type::f64, 0), 4);
    const std::int64_t n = 150, lo = std::int64_t(random() % 100),
                       hi = lo + 1 + std::int64_t(random() % std::uint64_t(n - lo));
    SCOPED_TRACE(order.name + " [" + std::to_string(lo) + ", " + std::to_string(hi) + ")");
    // The restriction, by hand: drop the leaves outside, renumber, keep what joins two present
    // parts.
    spec::Tree expected{hi - lo, {}};
    std::vector<bool> present;
    for (spec::TreeOp op : order.tree(n).ops) {
      if (op.kind == spec::TreeOp::Kind::leaf) {
        present.push_back(lo <= op.index && op.index < hi);
        op.index -= std::uint32_t(lo);
        if (present.back()) expected.ops.push_back(op);
        continue;
      }
      const bool right = present.back();
      present.pop_back();
      if (right && present.back()) expected.ops.push_back(op);
      present.back() = present.back() || right;
    }
    EXPECT_EQ(oracle->reveal(n, lo, hi), spec::canonical(expected));
    EXPECT_TRUE(oracle->verify(n, spec::canonical(expected), 40, lo, hi));
  }
}

TEST(TargetOracle, PairsAreSubtreeSizes) {
  FunctionTarget target = tree_target([](std::int64_t n) { return lanes_tree(n, 8, {1, 2, 4}); });
  const auto oracle = make_target_oracle(target, call_of_vectors(Routine::sum, Type::f64, 0), 4);
  EXPECT_EQ(oracle->pair(1000000, 0, 8), 2);
  EXPECT_EQ(oracle->pair(1000000, 0, 1), 250000);
  const std::int64_t js[] = {1, 2, 4, 8};
  EXPECT_EQ(oracle->pairs(80, 0, js), (std::vector<std::int64_t>{20, 40, 80, 2}));
  EXPECT_EQ(oracle->pairs(83, 0, js, 0, 80), (std::vector<std::int64_t>{20, 40, 80, 2}));
}

// Acceptance: at most 4n calls, arithmetic included.
TEST(TargetOracle, ChainsAreCheap) {
  for (const auto& tree : {sequential_tree, reversed_tree}) {
    for (const Routine routine : {Routine::sum, Routine::dot}) {
      FunctionTarget target = tree_target(tree);
      const auto oracle = make_target_oracle(target, call_of_vectors(routine, Type::f32, 0), 6);
      EXPECT_EQ(oracle->reveal(4096), tree(4096));
      EXPECT_LE(oracle->calls(), 4 * 4096);
      const std::int64_t calls = oracle->calls();
      EXPECT_EQ(oracle->reveal(4096), tree(4096));
      EXPECT_EQ(oracle->calls(), calls);  // cached
    }
  }
}

TEST(TargetOracle, VerifyRejectsWrongSplits) {
  FunctionTarget target = tree_target(chunked_pairwise_tree);
  const auto oracle = make_target_oracle(target, call_of_vectors(Routine::sum, Type::f64, 0), 8);
  for (const std::int64_t n : {300, 1007, 8100, 30000}) {
    SCOPED_TRACE(n);
    EXPECT_TRUE(oracle->verify(n, chunked_pairwise_tree(n), 200));
    EXPECT_FALSE(oracle->verify(n, pairwise_tree(n, 16, 128), 100));
    EXPECT_FALSE(oracle->verify(n, pairwise_tree(n, 8, 64), 100));
    EXPECT_FALSE(oracle->verify(n, sequential_tree(n), 24));
    EXPECT_FALSE(oracle->verify(n, random_tree(n, 1), 24));
  }
  EXPECT_FALSE(oracle->verify(30000, pairwise_tree(30000, 8, 128), 100));  // no chunks
}

}  // namespace
}  // namespace reprosum::reveal
