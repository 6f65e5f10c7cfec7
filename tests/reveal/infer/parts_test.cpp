// The parts of the inference one by one, each against a plain referee.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "reveal/infer/schema_fit.h"
#include "reveal/infer/split_candidates.h"
#include "reveal/infer/tree_store.h"
#include "reveal/infer/tree_tools.h"
#include "spec/expand.h"
#include "tests/reveal/infer/generators.h"
#include "tests/reveal/infer/tree_builder.h"

namespace reprosum::reveal::generalize {
namespace {

using test::TreeBuilder;

spec::Tree random_tree(std::int64_t n, std::mt19937_64& random) {
  TreeBuilder builder;
  std::vector<TreeBuilder::Value> values;
  for (std::int64_t k = 0; k < n; ++k) values.push_back(builder.leaf(k));
  while (values.size() > 1) {
    const std::size_t i = random() % values.size();
    std::swap(values[i], values.back());
    const TreeBuilder::Value taken = values.back();
    values.pop_back();
    TreeBuilder::Value& other = values[random() % values.size()];
    other = builder.add(other, taken,
                        random() % 2 != 0 ? spec::NodeFormat::wide : spec::NodeFormat::narrow);
  }
  return builder.tree(values[0]);
}

// The leaves below every op, written out.
std::vector<std::vector<std::int64_t>> leaf_sets(const spec::Tree& tree) {
  std::vector<std::vector<std::int64_t>> sets, stack;
  for (const spec::TreeOp& op : tree.ops) {
    std::vector<std::int64_t> set;
    if (op.kind == spec::TreeOp::Kind::leaf) {
      set = {op.index};
    } else {
      set = stack.back();
      stack.pop_back();
      set.insert(set.end(), stack.back().begin(), stack.back().end());
      stack.pop_back();
    }
    stack.push_back(set);
    sets.push_back(set);
  }
  return sets;
}

TEST(TreeTools, CommonSizesAreThoseOfTheSmallestSetWithBoth) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 30; ++round) {
    const auto n = static_cast<std::int64_t>(2 + random() % 30);
    const spec::Tree tree = random_tree(n, random);
    const auto sets = leaf_sets(tree);
    const auto i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    std::vector<std::int64_t> js, expected;
    for (std::int64_t j = 0; j < n; ++j) {
      if (j == i) continue;
      std::int64_t least = n;
      for (const auto& set : sets)
        if (std::count(set.begin(), set.end(), i) + std::count(set.begin(), set.end(), j) == 2)
          least = std::min(least, static_cast<std::int64_t>(set.size()));
      js.push_back(j);
      expected.push_back(least);
    }
    EXPECT_EQ(common_sizes(tree, i, js), expected) << "seed 11, round " << round;
  }
}

TEST(TreeTools, RestrictionKeepsTheClustersOfTheRange) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 30; ++round) {
    const auto n = static_cast<std::int64_t>(3 + random() % 30);
    const spec::Tree tree = random_tree(n, random);
    const auto lo = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n - 1));
    const std::int64_t hi =
        lo + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n - lo));
    const auto clusters = [](const spec::Tree& t, std::int64_t from, std::int64_t to) {
      std::set<std::set<std::int64_t>> all;
      for (const auto& set : leaf_sets(t)) {
        std::set<std::int64_t> kept;
        for (const std::int64_t k : set)
          if (k >= from && k < to) kept.insert(k - from);
        if (!kept.empty()) all.insert(kept);
      }
      return all;
    };
    const spec::Tree restricted = restrict_range(tree, lo, hi);
    EXPECT_EQ(restricted.n, hi - lo);
    EXPECT_EQ(clusters(restricted, 0, hi - lo), clusters(tree, lo, hi)) << "seed 12, " << round;
  }
}

TEST(TreeTools, AnAddendWithoutItsSumIsAProduct) {
  TreeBuilder builder;
  const auto sum = builder.fma(builder.fma(TreeBuilder::kNone, 0), 1);
  const spec::Tree restricted = restrict_range(builder.tree(builder.fma(sum, 2)), 1, 3);
  ASSERT_EQ(restricted.ops.size(), 3U);
  EXPECT_EQ(restricted.ops[0].leaf, spec::Leaf::rounded);
  EXPECT_EQ(restricted.ops[1].leaf, spec::Leaf::fused);
}

TEST(TreeTools, OnlyIdleWideningIsRemoved) {
  const auto wide = spec::NodeFormat::wide;
  TreeBuilder two;  // one wide addition of rounded values: rounds like a narrow one
  const spec::Tree idle = two.tree(two.add(two.leaf(0), two.leaf(1), wide));
  EXPECT_EQ(without_idle_widening(idle).ops[2].format, spec::NodeFormat::narrow);
  TreeBuilder three;  // the inner value stays wide: both count
  const auto inner = three.add(three.leaf(0), three.leaf(1), wide);
  const spec::Tree real = three.tree(three.add(inner, three.leaf(2), wide));
  EXPECT_EQ(without_idle_widening(real), real);
  TreeBuilder exact;  // exact products in a wide addition
  const spec::Tree products = exact.tree(
      exact.add(exact.leaf(0, spec::Leaf::exact), exact.leaf(1, spec::Leaf::exact), wide));
  EXPECT_EQ(without_idle_widening(products), products);
}

TEST(TreeStore, EqualShapesHaveEqualIdsWhereverTheyStand) {
  TreeStore store;
  TreeBuilder a, b;
  const TreeId first = store.add(a.tree(a.add(a.chain(0, 3), a.chain(3, 6))));
  const TreeId chain = store.add(b.tree(b.chain(0, 3)));
  EXPECT_EQ(store.node(first).left, chain);
  EXPECT_EQ(store.node(first).right, chain);
  EXPECT_EQ(store.node(first).right_at, 3);
}

TEST(TreeStore, FormatsAndLeafKindsAreShape) {
  TreeStore store;
  TreeBuilder a, b, c;
  const TreeId plain = store.add(a.tree(a.chain(0, 2)));
  const TreeId wide = store.add(b.tree(b.add(b.leaf(0), b.leaf(1), spec::NodeFormat::wide)));
  const TreeId fused = store.add(c.tree(c.fma(c.leaf(0), 1)));
  EXPECT_NE(plain, wide);
  EXPECT_NE(plain, fused);
  EXPECT_NE(wide, fused);
}

TEST(TreeStore, AFusedLaneIsOneRun) {
  TreeStore store;
  TreeBuilder builder;
  auto sum = TreeBuilder::kNone;
  for (std::int64_t k = 0; k < 5; ++k) sum = builder.fma(sum, k);
  const Description& lane = store.describe(store.add(builder.tree(sum)));
  ASSERT_EQ(lane.runs.size(), 1U);
  EXPECT_EQ(lane.runs[0].shape, static_cast<TreeId>(spec::Leaf::fused));
  EXPECT_EQ(lane.runs[0].times, 5);
}

std::vector<Sample> samples(TreeStore& store, const test::Family& family, std::int64_t block,
                            const std::vector<std::pair<std::int64_t, std::int64_t>>& points) {
  std::vector<Sample> list;
  for (const auto& [q, r] : points)
    list.push_back({q, r, store.add(family.generate(q * block + r))});
  return list;
}

TEST(SchemaFit, PredictsSizesItHasNotSeen) {
  const test::Family family = test::family("two_phases");
  TreeStore store;
  const auto schema =
      fit_schema(store, samples(store, family, 64, {{4, 2}, {4, 3}, {5, 2}, {6, 4}}));
  ASSERT_TRUE(schema);
  for (const std::int64_t q : {1, 2, 7, 30})
    for (const std::int64_t r : {2, 9, 31})
      EXPECT_TRUE(
          same_function(spec::expand(*schema, q, r, q * 64 + r), family.generate(q * 64 + r)))
          << q << " " << r;
}

TEST(SchemaFit, RefusesWhatIsNotAffine) {
  const test::Family family = test::family("two_phases");
  TreeStore store;
  // Period 32 alternates between two skeletons.
  EXPECT_FALSE(fit_schema(store, samples(store, family, 32, {{8, 4}, {9, 4}, {10, 4}})));
  // Residues on both sides of the second phase.
  EXPECT_FALSE(fit_schema(store, samples(store, family, 64, {{4, 30}, {4, 31}, {4, 34}, {5, 30}})));
}

TEST(SchemaFit, OneSampleGivesConstants) {
  std::mt19937_64 random(13);
  for (int round = 0; round < 20; ++round) {
    const spec::Tree tree = random_tree(1 + static_cast<std::int64_t>(random() % 12), random);
    TreeStore store;
    const Sample sample{0, 0, store.add(tree)};
    const auto schema = fit_schema(store, {&sample, 1});
    ASSERT_TRUE(schema);
    EXPECT_EQ(spec::expand(*schema, 0, 0, tree.n), tree) << "seed 13, round " << round;
  }
}

TEST(SplitCandidates, HoldTheRuleThatMadeThePoints) {
  std::mt19937_64 random(14);
  using Kind = spec::Split::Kind;
  for (const auto& [kind, m] : std::vector<std::pair<Kind, std::int64_t>>{{Kind::half_down, 8},
                                                                          {Kind::half_up, 12},
                                                                          {Kind::ceil_half_up, 1},
                                                                          {Kind::half_near, 16},
                                                                          {Kind::pow2_below, 1},
                                                                          {Kind::pow2_half, 3},
                                                                          {Kind::last, 1000},
                                                                          {Kind::last_const, 64},
                                                                          {Kind::first, 100},
                                                                          {Kind::first_rest, 48}}) {
    spec::Split split;
    split.kind = kind;
    split.m = m;
    std::vector<SplitPoint> points;
    for (int k = 0; k < 12; ++k) {
      const auto n = static_cast<std::int64_t>(2000 + random() % 6000);
      points.push_back({n, *spec::split_point(split, n)});
    }
    const auto rules = split_candidates(points, {});
    EXPECT_NE(std::find(rules.begin(), rules.end(), spec::Rule(split)), rules.end())
        << "kind " << static_cast<int>(kind) << " m " << m;
    for (const spec::Rule& rule : rules)
      for (const SplitPoint& point : points) {
        const auto pieces = pieces_of(rule, point.n);
        EXPECT_EQ(point.n - pieces.back(), point.h);
      }
    points[3].h += 1;  // no rule explains a point moved by one
    EXPECT_TRUE(split_candidates(points, {}).empty()) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace reprosum::reveal::generalize
