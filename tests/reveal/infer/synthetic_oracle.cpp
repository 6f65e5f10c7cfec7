#include "tests/reveal/infer/synthetic_oracle.h"

#include <algorithm>
#include <cmath>

#include "tests/reveal/infer/tree_builder.h"

namespace reprosum::reveal::test {
namespace {

std::uint64_t leaf_weight(std::uint64_t index) {
  index = (index + 1) * 0x9e3779b97f4a7c15U;
  index = (index ^ (index >> 31)) * 0xbf58476d1ce4e5b9U;
  return index ^ (index >> 29);
}

// Independent of the library's restriction on purpose: a builder adds the remaining leaves.
spec::Tree restricted(const spec::Tree& tree, const Oracle::Lane& lane, std::int64_t leaves) {
  TreeBuilder builder;
  struct Part {
    TreeBuilder::Value value = TreeBuilder::kNone;
    std::int64_t fused = -1;  // a fused leaf not yet added to anything
  };
  std::vector<Part> stack;
  for (const spec::TreeOp& op : tree.ops) {
    if (op.kind == spec::TreeOp::Kind::leaf) {
      Part part;
      const std::int64_t from = op.index - lane.first, index = from / lane.step;
      if (from >= 0 && from % lane.step == 0 && index < leaves) {
        if (op.leaf == spec::Leaf::fused) {
          part.fused = index;
        } else {
          part.value = builder.leaf(index, op.leaf);
        }
      }
      stack.push_back(part);
      continue;
    }
    const Part right = stack.back();
    stack.pop_back();
    TreeBuilder::Value& left = stack.back().value;
    if (right.fused < 0) {
      left = builder.add(left, right.value, op.format);
    } else if (left == TreeBuilder::kNone && op.format == spec::NodeFormat::wide) {
      left = builder.leaf(right.fused, spec::Leaf::exact);
    } else {
      left = builder.fma(left, right.fused, op.format);
    }
  }
  return builder.tree(stack.back().value);
}

}  // namespace

SyntheticOracle::Indexed::Indexed(spec::Tree t) : tree(std::move(t)) {
  const std::size_t count = tree.ops.size();
  start.resize(count);
  parent.resize(count);
  place.resize(static_cast<std::size_t>(tree.n));
  weights.assign(count + 1, 0);
  std::vector<std::uint32_t> stack;
  for (std::uint32_t k = 0; k < count; ++k) {
    const spec::TreeOp& op = tree.ops[k];
    weights[k + 1] = weights[k];
    start[k] = k;
    if (op.kind == spec::TreeOp::Kind::leaf) {
      place[op.index] = k;
      weights[k + 1] += leaf_weight(op.index);
    } else {
      parent[stack.back()] = k;
      stack.pop_back();
      parent[stack.back()] = k;
      start[k] = start[stack.back()];
      stack.pop_back();
    }
    stack.push_back(k);
  }
  // Skew-binary jump pointers: chains of a million leaves must not be climbed step by step.
  const auto root = static_cast<std::uint32_t>(count - 1);
  parent[root] = root;
  jump.assign(count, root);
  std::vector<std::uint32_t> depth(count, 0);
  for (std::uint32_t k = root; k-- > 0;) {
    const std::uint32_t p = parent[k], once = jump[p], twice = jump[once];
    depth[k] = depth[p] + 1;
    jump[k] = depth[p] - depth[once] == depth[once] - depth[twice] ? twice : p;
  }
}

std::size_t SyntheticOracle::Indexed::ancestor(std::int64_t i, std::int64_t j) const {
  const auto [first, last] =
      std::minmax(place[static_cast<std::size_t>(i)], place[static_cast<std::size_t>(j)]);
  std::uint32_t k = last;
  while (start[k] > first) k = start[jump[k]] > first ? jump[k] : parent[k];
  return k;
}

std::int64_t SyntheticOracle::Indexed::size(std::size_t op) const {
  return (static_cast<std::int64_t>(op - start[op]) + 2) / 2;
}

std::uint64_t SyntheticOracle::Indexed::weight(std::size_t op) const {
  return weights[op + 1] - weights[start[op]];
}

const SyntheticOracle::Indexed& SyntheticOracle::at(std::int64_t n, std::int64_t lo,
                                                    std::int64_t hi) {
  if (hi == 0) hi = n;
  const auto key = std::make_tuple(n, lo, hi);
  for (const auto& [known, indexed] : cache_)
    if (known == key) return indexed;
  spec::Tree tree =
      lo == 0 && hi == n ? generate_(n) : restricted(at(n, 0, n).tree, {n, lo, 1}, hi - lo);
  cache_.emplace_front(key, Indexed(std::move(tree)));
  if (cache_.size() > 6) cache_.pop_back();
  return cache_.front().second;
}

std::unique_ptr<Oracle> SyntheticOracle::lanes(std::function<Lane(std::int64_t)> where) {
  const auto lane = [this, where](std::int64_t leaves) {
    const Lane place = where(leaves);
    return restricted(at(place.n, 0, place.n).tree, place, leaves);
  };
  return std::make_unique<SyntheticOracle>(lane, random_());
}

std::int64_t SyntheticOracle::pair(std::int64_t n, std::int64_t i, std::int64_t j, std::int64_t lo,
                                   std::int64_t hi) {
  ++calls_;
  const Indexed& indexed = at(n, lo, hi);
  return indexed.size(indexed.ancestor(i, j));
}

std::vector<std::int64_t> SyntheticOracle::pairs(std::int64_t n, std::int64_t i,
                                                 std::span<const std::int64_t> js, std::int64_t lo,
                                                 std::int64_t hi) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t j : js) sizes.push_back(pair(n, i, j, lo, hi));
  return sizes;
}

spec::Tree SyntheticOracle::reveal(std::int64_t n, std::int64_t lo, std::int64_t hi) {
  const Indexed& indexed = at(n, lo, hi);
  calls_ += 4 * indexed.tree.n;  // about what FPRev and the arithmetic probes cost
  return indexed.tree;
}

bool SyntheticOracle::verify(std::int64_t n, const spec::Tree& predicted, int probes,
                             std::int64_t lo, std::int64_t hi) {
  const Indexed& truth = at(n, lo, hi);
  if (predicted.n != truth.tree.n) return false;
  if (predicted.n < 2) return true;
  const Indexed guess(predicted);
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::int64_t>(random_() % limit);
  };
  const auto leaves = static_cast<std::uint64_t>(predicted.n);
  for (int probe = 0; probe < probes; ++probe) {
    ++calls_;
    std::int64_t i = below(leaves), j = below(leaves);
    if (probe % 4 == 1) {  // at a log-uniform distance
      const double unit = static_cast<double>(below(1U << 20)) / (1U << 20);
      const auto distance = static_cast<std::int64_t>(std::exp(unit * std::log(double(leaves))));
      j = (i + distance) % predicted.n;
    } else if (probe % 4 >= 2) {  // the two children of a node of the prediction
      std::size_t op = 0;
      do {
        op = static_cast<std::size_t>(below(predicted.ops.size()));
      } while (predicted.ops[op].kind == spec::TreeOp::Kind::leaf);
      const std::size_t right = op - 1, left = guess.start[right] - std::size_t{1};
      const auto leaf_below = [&](std::size_t top) {
        std::size_t k = 0;
        do {
          k = guess.start[top] + static_cast<std::size_t>(below(top - guess.start[top] + 1));
        } while (predicted.ops[k].kind != spec::TreeOp::Kind::leaf);
        return static_cast<std::int64_t>(predicted.ops[k].index);
      };
      i = leaf_below(left);
      j = leaf_below(right);
    }
    if (i == j) j = (i + 1) % predicted.n;
    if (truth.weight(truth.ancestor(i, j)) != guess.weight(guess.ancestor(i, j))) return false;
  }
  return true;
}

}  // namespace reprosum::reveal::test
