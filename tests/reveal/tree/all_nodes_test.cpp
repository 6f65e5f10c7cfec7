// The all-node check: right trees pass cheaply, every planted single error is found.
#include "reveal/all_nodes.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "spec/expand.h"
#include "tests/reveal/tree/synthetic_orders.h"
#include "tests/reveal/tree/tree_target.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;

constexpr int kRepetitions = 20;

TEST(AllNodes, RightTreesPassWithEveryNodeTested) {
  for (const SyntheticOrder& order : bare_orders()) {
    for (const std::int64_t n : {2, 3, 8, 67, 300}) {
      SCOPED_TRACE(order.name + " n = " + std::to_string(n));
      FunctionTarget target = tree_target(order.tree);
      const auto result = check_all_nodes(target, call_of_vectors(Routine::sum, Type::f32, n),
                                          order.tree(n), kRepetitions, 3);
      EXPECT_TRUE(result.right) << result.first_wrong;
      EXPECT_EQ(result.nodes, n - 1);
      EXPECT_EQ(result.calls, target.calls());
    }
  }
}

TEST(AllNodes, AnnotatedDotsPass) {
  for (const SyntheticOrder& order : annotated_orders()) {
    SCOPED_TRACE(order.name);
    FunctionTarget target = tree_target(order.tree);
    const auto result = check_all_nodes(target, call_of_vectors(Routine::dot, Type::f32, 203),
                                        order.tree(203), kRepetitions, 3);
    EXPECT_TRUE(result.right) << result.first_wrong;
  }
}

// Acceptance: all nodes of the pairwise sum of a million in at most a thousand calls.
TEST(AllNodes, AMillionLeavesInAThousandCalls) {
  const std::int64_t n = 1000000;
  FunctionTarget target = tree_target(chunked_pairwise_tree);
  const auto result = check_all_nodes(target, call_of_vectors(Routine::sum, Type::f32, n),
                                      chunked_pairwise_tree(n), kRepetitions, 1);
  EXPECT_TRUE(result.right) << result.first_wrong;
  EXPECT_EQ(result.nodes, n - 1);
  EXPECT_LE(result.calls, 1000);
}

TEST(AllNodes, ABudgetIsKeptAndTheNodesAreCounted) {
  const std::int64_t n = 20000;
  FunctionTarget target = tree_target(sequential_tree);
  const auto result = check_some_nodes(target, call_of_vectors(Routine::sum, Type::f64, n),
                                       sequential_tree(n), kRepetitions, 300, 1);
  EXPECT_TRUE(result.right);
  EXPECT_LE(result.calls, 300);
  EXPECT_EQ(result.nodes, result.calls);  // a chain has one node per level
  EXPECT_GE(result.nodes, 290);
  // Both ends are always tested.
  for (const std::int64_t at : {std::int64_t{1}, n - 2}) {
    spec::Tree wrong = sequential_tree(n);
    for (spec::TreeOp& op : wrong.ops) {
      if (op.kind != spec::TreeOp::Kind::leaf) continue;
      if (op.index == at) {
        op.index = std::uint32_t(at + 1);
      } else if (op.index == at + 1) {
        op.index = std::uint32_t(at);
      }
    }
    const auto found = check_some_nodes(target, call_of_vectors(Routine::sum, Type::f64, n),
                                        spec::canonical(wrong), kRepetitions, 300, 1);
    EXPECT_FALSE(found.right);
    EXPECT_NE(found.first_wrong, "");
  }
}

// Two leaves that are no siblings change places, or a subtree is moved: the two trees differ in a
// few nodes only.
spec::Tree swap_two_leaves(const spec::Tree& tree, std::mt19937_64& random, std::int64_t distance) {
  for (;;) {  // in every order here most pairs are no siblings
    spec::Tree wrong = tree;
    const std::uint32_t a = std::uint32_t(random() % std::uint64_t(tree.n - distance));
    const auto b = std::uint32_t(a + distance);
    for (spec::TreeOp& op : wrong.ops) {
      if (op.kind != spec::TreeOp::Kind::leaf) continue;
      if (op.index == a) {
        op.index = b;
      } else if (op.index == b) {
        op.index = a;
      }
    }
    wrong = spec::canonical(wrong);
    if (wrong != tree) return wrong;
  }
}

// ((A + B) + C) becomes (A + (B + C)) at one node.
spec::Tree rotate_one_node(const spec::Tree& tree, std::mt19937_64& random) {
  for (int tries = 0; tries < 200; ++tries) {
    const std::size_t at = random() % tree.ops.size();
    if (tree.ops[at].kind == spec::TreeOp::Kind::leaf) continue;
    std::vector<std::size_t> begin(tree.ops.size()), stack;
    for (std::size_t k = 0; k < tree.ops.size(); ++k) {
      begin[k] = k;
      if (tree.ops[k].kind == spec::TreeOp::Kind::add) {
        stack.pop_back();
        begin[k] = begin[stack.back()];
        stack.pop_back();
      }
      stack.push_back(k);
    }
    const std::size_t right = begin[at - 1];  // C begins here
    const std::size_t left = right - 1;       // root of (A + B)
    if (left >= tree.ops.size() || tree.ops[left].kind == spec::TreeOp::Kind::leaf) continue;
    spec::Tree wrong{tree.n, {}};
    wrong.ops.assign(tree.ops.begin(), tree.ops.begin() + std::ptrdiff_t(left));  // A B
    wrong.ops.insert(wrong.ops.end(), tree.ops.begin() + std::ptrdiff_t(right),
                     tree.ops.begin() + std::ptrdiff_t(at));  // C
    wrong.ops.push_back(tree.ops[at]);
    wrong.ops.insert(wrong.ops.end(), tree.ops.begin() + std::ptrdiff_t(at), tree.ops.end());
    return spec::canonical(wrong);
  }
  return tree;  // no such node (a reversed chain)
}

TEST(AllNodes, PlantedErrorsAreFound) {
  std::mt19937_64 random(2026);
  int planted = 0;
  const auto expect_found = [&](const std::string& name, const spec::Tree& truth,
                                const spec::Tree& wrong, Type type, std::uint64_t seed) {
    SCOPED_TRACE(name + " n = " + std::to_string(truth.n) + " seed = " + std::to_string(seed));
    ASSERT_NE(truth, wrong);
    ++planted;
    FunctionTarget target = tree_target([&](std::int64_t) { return truth; });
    const auto result = check_all_nodes(target, call_of_vectors(Routine::dot, type, truth.n), wrong,
                                        kRepetitions, seed);
    EXPECT_FALSE(result.right);
    EXPECT_NE(result.first_wrong, "");
  };
  for (const SyntheticOrder& order : bare_orders()) {
    for (const std::int64_t n : {67, 300, 1007}) {
      const spec::Tree truth = order.tree(n);
      const Type type = n == 300 ? Type::f32 : Type::f64;
      const std::uint64_t seed = random();
      expect_found(order.name + ", neighbours swapped", truth, swap_two_leaves(truth, random, 1),
                   type, seed);
      expect_found(order.name + ", leaves swapped", truth, swap_two_leaves(truth, random, 16), type,
                   seed);
      const spec::Tree rotated = rotate_one_node(truth, random);
      if (rotated != truth) expect_found(order.name + ", node rotated", truth, rotated, type, seed);
    }
  }
  expect_found("fold", lanes_tree(1007, 8, {1, 2, 4}), lanes_tree(1007, 8, {4, 2, 1}), Type::f32,
               1);
  expect_found("split", pairwise_tree(1007, 8, 128), pairwise_tree(1007, 16, 128), Type::f32, 1);
  expect_found("limit", pairwise_tree(1007, 8, 128), pairwise_tree(1007, 8, 64), Type::f32, 1);
  EXPECT_GE(planted, 30);
}

// The error that hides from full levels: the union of two wrong nodes is right.
TEST(AllNodes, PermutedSubtreesAreFound) {
  const auto quads = [](std::uint32_t b, std::uint32_t c) {
    spec::Tree tree{400, {}};
    const auto leaf = [&](std::uint32_t k) {
      tree.ops.push_back(
          {spec::TreeOp::Kind::leaf, spec::Leaf::rounded, spec::NodeFormat::narrow, k});
    };
    const spec::TreeOp add{spec::TreeOp::Kind::add, spec::Leaf::rounded, spec::NodeFormat::narrow,
                           0};
    for (std::uint32_t at = 0; at < 400; at += 4) {
      leaf(at);
      leaf(at + (at == 200 ? b : 1));
      tree.ops.push_back(add);
      leaf(at + (at == 200 ? c : 2));
      leaf(at + 3);
      tree.ops.push_back(add);
      tree.ops.push_back(add);
      if (at > 0) tree.ops.push_back(add);
    }
    return spec::canonical(tree);
  };
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    FunctionTarget target = tree_target([&](std::int64_t) { return quads(2, 1); });
    EXPECT_FALSE(check_all_nodes(target, call_of_vectors(Routine::sum, Type::f32, 400), quads(1, 2),
                                 kRepetitions, seed)
                     .right);
  }
}

}  // namespace
}  // namespace reprosum::reveal
