// The published algorithms against synthetic orders, with their published numbers of calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "reveal/refused.h"
#include "reveal/tree/basic_fprev.h"
#include "reveal/tree/fprev.h"
#include "reveal/tree/low_range.h"
#include "reveal/tree/naive.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "tests/reveal/tree/synthetic_orders.h"
#include "tests/reveal/tree/tree_target.h"

namespace reprosum::reveal {
namespace {

// Counts by walking up parents: an independent and slow LCA.
class Counter {
 public:
  explicit Counter(const spec::Tree& tree) : parent_(tree.ops.size(), -1), size_(tree.ops.size()) {
    leaf_.resize(std::size_t(tree.n));
    std::vector<int> stack;
    for (int k = 0; k < int(tree.ops.size()); ++k) {
      const spec::TreeOp& op = tree.ops[std::size_t(k)];
      size_[std::size_t(k)] = 1;
      if (op.kind == spec::TreeOp::Kind::leaf) {
        leaf_[op.index] = k;
      } else {
        size_[std::size_t(k)] = 0;
        for (int side = 0; side < 2; ++side) {
          parent_[std::size_t(stack.back())] = k;
          size_[std::size_t(k)] += size_[std::size_t(stack.back())];
          stack.pop_back();
        }
      }
      stack.push_back(k);
    }
  }
  std::int64_t calls = 0;
  PairCounts counts() {
    return [this](std::span<const Pair> pairs) {
      std::vector<std::int64_t> result;
      for (const Pair& pair : pairs) {
        ++calls;
        int a = leaf_[std::size_t(pair.i)], b = leaf_[std::size_t(pair.j)];
        while (a != b) (a < b ? a : b) = parent_[std::size_t(a < b ? a : b)];
        result.push_back(size_[std::size_t(a)]);
      }
      return result;
    };
  }

 private:
  std::vector<int> parent_, leaf_;
  std::vector<std::int64_t> size_;
};

TEST(Algorithms, EveryOrderIsRevealedExactly) {
  for (const SyntheticOrder& order : bare_orders()) {
    for (const std::int64_t n : {1, 2, 3, 6, 8, 17, 64, 100, 257}) {
      SCOPED_TRACE(order.name + " n = " + std::to_string(n));
      const spec::Tree tree = order.tree(n);
      Counter counter(tree);
      EXPECT_EQ(to_binary(basic_fprev(n, counter.counts())), tree);
      EXPECT_EQ(counter.calls, n * (n - 1) / 2);
      EXPECT_EQ(to_binary(fprev(n, counter.counts(), Pivot::first, 1)), tree);
      EXPECT_EQ(to_binary(fprev(n, counter.counts(), Pivot::adaptive, 1)), tree);
    }
  }
}

TEST(Algorithms, RandomTreesAreRevealedExactly) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::int64_t n = 2 + std::int64_t(seed * 7919 % 200);
    const spec::Tree tree = random_tree(n, seed);
    Counter counter(tree);
    EXPECT_EQ(to_binary(basic_fprev(n, counter.counts())), tree);
    EXPECT_EQ(to_binary(fprev(n, counter.counts(), Pivot::first, seed)), tree);
    EXPECT_EQ(to_binary(fprev(n, counter.counts(), Pivot::adaptive, seed)), tree);
  }
}

TEST(Algorithms, CallsOfPlainFprev) {
  const auto calls = [](const spec::Tree& tree, Pivot pivot) {
    Counter counter(tree);
    fprev(tree.n, counter.counts(), pivot, 1);
    return counter.calls;
  };
  for (const std::int64_t n : {64, 128, 256, 512}) {
    EXPECT_EQ(calls(sequential_tree(n), Pivot::first), n - 1);
    EXPECT_EQ(calls(reversed_tree(n), Pivot::first), n * (n - 1) / 2);
    EXPECT_LE(calls(reversed_tree(n), Pivot::adaptive), n + 12);
    EXPECT_LE(calls(sequential_tree(n), Pivot::adaptive), n + 12);
  }
  // A perfect binary tree: (n / 2) log2 n.
  const auto bare = bare_orders();
  const auto two = std::find_if(bare.begin(), bare.end(),
                                [](const auto& order) { return order.name == "power of two"; });
  for (const int log : {3, 6, 9})
    EXPECT_EQ(calls(two->tree(1 << log), Pivot::first), (1 << log) / 2 * log);
  // The eight-way sum within its blocks of 128, counts as published for n = 128.
  EXPECT_EQ(calls(pairwise_tree(128, 8, 128), Pivot::first), 312);
}

TEST(Algorithms, DeepChainsDoNotRecurse) {
  const std::int64_t n = 20000;
  for (const auto& tree : {sequential_tree(n), reversed_tree(n)}) {
    Counter counter(tree);
    // Counts of a chain, without walking: positions decide.
    std::vector<std::int64_t> at(static_cast<std::size_t>(n));
    const bool reversed = tree == reversed_tree(n);
    for (std::int64_t k = 0; k < n; ++k) at[std::size_t(k)] = reversed ? n - 1 - k : k;
    const PairCounts counts = [&](std::span<const Pair> pairs) {
      std::vector<std::int64_t> result;
      for (const Pair& pair : pairs)
        result.push_back(std::max(at[std::size_t(pair.i)], at[std::size_t(pair.j)]) + 1);
      return result;
    };
    EXPECT_EQ(to_binary(fprev(n, counts, Pivot::adaptive, 1)), tree);
  }
}

// Trees with nodes of up to six children, as nested sets of leaves.
MultiwayTree random_multiway(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  MultiwayTree tree(n);
  std::vector<std::int32_t> live(static_cast<std::size_t>(n));
  std::iota(live.begin(), live.end(), 0);
  while (live.size() > 1) {
    const std::size_t take = std::min<std::size_t>(live.size(), 2 + random() % 5);
    std::int32_t node = -1, first = -1;
    for (std::size_t k = 0; k < take; ++k) {
      const std::size_t at = random() % live.size();
      const std::int32_t child = live[at];
      live[at] = live.back();
      live.pop_back();
      if (k == 0) {
        first = child;
      } else if (k == 1) {
        node = tree.join(first, child);
      } else {
        tree.adopt(node, child);
      }
    }
    live.push_back(node);
  }
  tree.root = live[0];
  return tree;
}

// The tree as its clusters (sets of leaves below inner nodes), which determine it.
std::vector<std::vector<std::int64_t>> clusters(const MultiwayTree& tree) {
  std::vector<std::vector<std::int64_t>> below(tree.nodes.size());
  std::vector<std::int32_t> order{tree.root};
  for (std::size_t k = 0; k < order.size(); ++k)
    for (std::int32_t c = tree.nodes[std::size_t(order[k])].first_child; c >= 0;
         c = tree.nodes[std::size_t(c)].next_sibling)
      order.push_back(c);
  for (std::size_t k = order.size(); k-- > 0;) {
    auto& own = below[std::size_t(order[k])];
    if (order[k] < tree.n) own = {order[k]};
    for (std::int32_t c = tree.nodes[std::size_t(order[k])].first_child; c >= 0;
         c = tree.nodes[std::size_t(c)].next_sibling)
      own.insert(own.end(), below[std::size_t(c)].begin(), below[std::size_t(c)].end());
    std::sort(own.begin(), own.end());
  }
  std::erase_if(below, [](const auto& set) { return set.size() < 2; });
  std::sort(below.begin(), below.end());
  return below;
}

// An accumulator of `bits` bits and a large range: sums below the root are rounded to even; a mask
// absorbs everything. Fused nodes add their children exactly and round once.
class LowPrecision {
 public:
  LowPrecision(const MultiwayTree& tree, int bits) : tree_(tree), bits_(bits) {
    order_ = {tree.root};
    for (std::size_t k = 0; k < order_.size(); ++k)
      for (std::int32_t c = tree.nodes[std::size_t(order_[k])].first_child; c >= 0;
           c = tree.nodes[std::size_t(c)].next_sibling)
        order_.push_back(c);
  }
  std::int64_t calls = 0;
  double sum(const MaskedSum& call) {
    ++calls;
    std::vector<double> units(tree_.nodes.size(), 0.0);
    std::vector<int> masks(tree_.nodes.size(), 0);
    for (const std::int64_t k : call.units) units[std::size_t(k)] = 1;
    masks[std::size_t(call.i)] = 1;
    masks[std::size_t(call.j)] = -1;
    for (std::size_t k = order_.size(); k-- > 0;) {
      const auto node = std::size_t(order_[k]);
      if (order_[k] < tree_.n) continue;
      bool masked = false;
      for (std::int32_t c = tree_.nodes[node].first_child; c >= 0;
           c = tree_.nodes[std::size_t(c)].next_sibling) {
        units[node] += units[std::size_t(c)];
        masks[node] += masks[std::size_t(c)];
        masked = masked || masks[std::size_t(c)] != 0;
      }
      units[node] = masked ? 0 : round(units[node]);
    }
    return units[std::size_t(tree_.root)];
  }

 private:
  double round(double value) const {
    if (value == 0) return 0;
    const double ulp = std::ldexp(1.0, std::ilogb(value) + 1 - bits_);
    return std::nearbyint(value / ulp) * ulp;
  }
  const MultiwayTree& tree_;
  int bits_;
  std::vector<std::int32_t> order_;
};

TEST(Algorithms, LowPrecisionAccumulators) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::int64_t n = 1 + std::int64_t(seed % 40);
    const MultiwayTree tree = random_multiway(n, seed);
    LowPrecision target(tree, 4);
    const MaskedSums sums = [&](std::span<const MaskedSum> calls) {
      std::vector<double> outputs;
      for (const MaskedSum& call : calls) outputs.push_back(target.sum(call));
      return outputs;
    };
    EXPECT_EQ(clusters(low_range_fprev(n, sums, 16)), clusters(tree));
    EXPECT_EQ(clusters(low_range_fprev(n, sums, 1)), clusters(tree));
  }
}

TEST(Algorithms, TheHybridKeepsChainsNearLinear) {
  const std::int64_t n = 256;
  MultiwayTree tree(n);
  tree.root = 0;
  for (std::int32_t k = 1; k < n; ++k) tree.root = tree.join(tree.root, k);
  for (const auto& [exact, calls] :
       {std::pair<std::int64_t, std::int64_t>{1, 32640}, {16, 2160}, {2048, 255}}) {
    LowPrecision target(tree, exact == 2048 ? 11 : 4);
    const MaskedSums sums = [&](std::span<const MaskedSum> list) {
      std::vector<double> outputs;
      for (const MaskedSum& call : list) outputs.push_back(target.sum(call));
      return outputs;
    };
    EXPECT_EQ(clusters(low_range_fprev(n, sums, exact)), clusters(tree));
    EXPECT_EQ(target.calls, calls);
  }
}

TEST(Algorithms, MultiwayNodes) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::int64_t n = 2 + std::int64_t(seed % 60);
    const MultiwayTree tree = random_multiway(n, seed);
    LowPrecision target(tree, 24);
    const PairCounts counts = [&](std::span<const Pair> pairs) {
      std::vector<std::int64_t> result;
      for (const Pair& pair : pairs) {
        MaskedSum call{pair.i, pair.j, {}};
        for (std::int64_t k = 0; k < n; ++k)
          if (k != pair.i && k != pair.j) call.units.push_back(k);
        result.push_back(n - std::int64_t(target.sum(call)));
      }
      return result;
    };
    for (const Pivot pivot : {Pivot::first, Pivot::adaptive}) {
      const MultiwayTree found = fprev(n, counts, pivot, seed);
      EXPECT_EQ(clusters(found), clusters(tree));
      if (tree.most_children() > 2) {
        EXPECT_THROW(to_binary(found), Refused);
      }
    }
  }
}

TEST(Algorithms, ContradictionsAreRefused) {
  const auto reason = [](std::int64_t n, const PairCounts& counts) -> std::string {
    try {
      fprev(n, counts, Pivot::adaptive, 1);
    } catch (const Refused& refused) {
      return refused.reason;
    }
    return "a tree";
  };
  const auto constant = [](std::int64_t value) -> PairCounts {
    return [value](std::span<const Pair> pairs) {
      return std::vector<std::int64_t>(pairs.size(), value);
    };
  };
  EXPECT_EQ(reason(6, constant(2)), "exact");
  EXPECT_EQ(reason(6, constant(3)), "not_a_tree");
  EXPECT_EQ(reason(40, constant(39)), "not_a_tree");
  std::mt19937_64 random(4);
  int refused = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const PairCounts noise = [&](std::span<const Pair> pairs) {
      std::vector<std::int64_t> result;
      for (std::size_t k = 0; k < pairs.size(); ++k)
        result.push_back(2 + std::int64_t(random() % 11));
      return result;
    };
    refused += reason(12, noise) == "not_a_tree";
    EXPECT_THROW(basic_fprev(12, noise), Refused);
  }
  EXPECT_EQ(refused, 200);
}

TEST(Algorithms, NaiveEnumeration) {
  for (const SyntheticOrder& order : bare_orders()) {
    for (const std::int64_t n : {1, 2, 3, 4, 5, 6}) {
      SCOPED_TRACE(order.name + " n = " + std::to_string(n));
      const spec::Tree tree = order.tree(n);
      const std::vector<double> ones(std::size_t(n), 1.0);
      const SumRows sums = [&](std::span<const double> rows) {
        std::vector<double> outputs;
        for (std::size_t at = 0; at < rows.size(); at += std::size_t(n))
          outputs.push_back(evaluate_by_hand<float>(tree, rows.data() + at, ones.data()));
        return outputs;
      };
      const auto found = naive_enumeration(n, spec::Type::f32, sums, 300, 1);
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(*found, tree);
    }
  }
  const SumRows exact = [](std::span<const double> rows) {
    std::vector<double> outputs;
    for (std::size_t at = 0; at < rows.size(); at += 5) {
      long double sum = 0;
      for (std::size_t k = 0; k < 5; ++k) sum += rows[at + k];
      outputs.push_back(static_cast<double>(static_cast<float>(sum)));
    }
    return outputs;
  };
  EXPECT_FALSE(naive_enumeration(5, spec::Type::f32, exact, 300, 1).has_value());
  EXPECT_THROW(naive_enumeration(9, spec::Type::f32, exact, 300, 1), UserError);
}

}  // namespace
}  // namespace reprosum::reveal
