// Cascades: sums that carry what a level has gathered to the next one, alone and in lanes.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <random>

#include "reveal/infer.h"
#include "reveal/infer/tree_tools.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/reveal/infer/synthetic_oracle.h"
#include "tests/reveal/infer/tree_builder.h"

namespace reprosum::reveal {
namespace {

using test::TreeBuilder;
using Value = TreeBuilder::Value;

// Level 0 takes 2^power terms, then carries to level 1, and so on; the last level is never emptied.
template <class Term>
Value cascade(TreeBuilder& b, std::int64_t size, int levels, int power, Term term) {
  std::vector<Value> sums(static_cast<std::size_t>(levels), TreeBuilder::kNone);
  const std::int64_t step = std::int64_t{1} << power;
  std::int64_t i = 0;
  while (i + step <= size) {
    for (std::int64_t j = 0; j < step; ++j, ++i) sums[0] = b.add(sums[0], term(i));
    for (std::size_t level = 1; level < sums.size(); ++level) {
      sums[level] = b.add(sums[level], sums[level - 1]);
      sums[level - 1] = TreeBuilder::kNone;
      if ((i & ((step - 1) << (power * static_cast<int>(level)))) != 0) break;
    }
  }
  for (; i < size; ++i) sums[0] = b.add(sums[0], term(i));
  return b.fold(sums);
}

Inference infer_tree(const test::Generator& generate, std::int64_t n_max) {
  test::SyntheticOracle oracle(generate, 1);
  InferOptions options;
  options.n_max = n_max;
  options.time_limit_s = 250;
  if (std::getenv("VERBOSE") != nullptr)
    options.log = [](const std::string& line) { std::puts(line.c_str()); };
  Inference found = infer(oracle, options);
  if (std::getenv("VERBOSE") != nullptr) std::puts(spec::print(found.order).c_str());
  return found;
}

void expect_right(const test::Generator& generate, const Inference& inference,
                  std::int64_t reached) {
  EXPECT_EQ(inference.reached, reached) << inference.stopped;
  std::mt19937_64 random(7);
  for (int k = 0; k < 60; ++k) {
    const std::int64_t scale = std::max<std::int64_t>(1, inference.reached >> (k % 10));
    const auto n = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(scale));
    EXPECT_TRUE(generalize::same_function(spec::expand(inference.order, n), generate(n)))
        << "n = " << n;
  }
}

// Vectors of `width` in `accumulators` cascades, the vectors left over in the first one; then lane
// by lane onto the chain of the summands left over.
test::Generator vector_cascade(std::int64_t width, std::int64_t accumulators, int levels,
                               std::function<int(std::int64_t)> power) {
  return [=](std::int64_t n) {
    TreeBuilder b;
    const std::int64_t vectors = n / width, rows = vectors / accumulators;
    Value sum = b.chain(vectors * width, n);
    for (std::int64_t lane = 0; lane < width; ++lane) {
      std::vector<Value> parts;
      for (std::int64_t a = 0; a < accumulators; ++a)
        parts.push_back(cascade(b, rows, levels, power(rows), [&](std::int64_t i) {
          return b.leaf((i * accumulators + a) * width + lane);
        }));
      for (std::int64_t v = rows * accumulators; v < vectors; ++v)
        parts[0] = b.add(parts[0], b.leaf(v * width + lane));
      sum = b.add(sum, b.fold(parts));
    }
    return b.tree(sum);
  };
}

TEST(Cascade, InLanes) {
  const auto four = [](std::int64_t) { return 4; };
  const test::Generator generate = vector_cascade(4, 2, 4, four);
  const Inference inference = infer_tree(generate, 60'000);  // 7500 rows: the fourth level is used
  expect_right(generate, inference, 60'000);
  EXPECT_TRUE(spec::has_sub_runs(inference.order));
}

// Three levels whose width follows the logarithm of the number of rows: a regime for each band.
TEST(Cascade, OfALevelThatGrowsWithTheLogarithm) {
  const auto grows = [](std::int64_t rows) {
    return std::max(2, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rows))) / 3);
  };
  const test::Generator generate = vector_cascade(4, 1, 3, grows);
  const Inference inference = infer_tree(generate, 20'000);
  expect_right(generate, inference, inference.reached);
  EXPECT_GT(inference.reached, 1000) << inference.stopped;
}

// Lanes whose leaves are added in halves, and the remaining summands at the end.
TEST(Cascade, PairwiseInLanes) {
  const std::function<Value(TreeBuilder&, std::int64_t, std::int64_t, std::int64_t)> halves =
      [&](TreeBuilder& b, std::int64_t lane, std::int64_t lo, std::int64_t hi) {
        if (hi - lo == 1) return b.leaf(lane + 6 * lo);
        const std::int64_t middle = lo + (hi - lo) / 2;
        const Value left = halves(b, lane, lo, middle);
        return b.add(left, halves(b, lane, middle, hi));
      };
  const test::Generator generate = [&](std::int64_t n) {
    TreeBuilder b;
    const std::int64_t rows = n / 6;
    std::vector<Value> lanes;
    for (std::int64_t lane = 0; rows > 0 && lane < 6; ++lane)
      lanes.push_back(halves(b, lane, 0, rows));
    return b.tree(b.chain(6 * rows, n, b.fold(lanes)));
  };
  expect_right(generate, infer_tree(generate, 30'000), 30'000);
}

TEST(Cascade, OneAccumulatorALevel) {
  const test::Generator generate = [](std::int64_t n) {
    TreeBuilder b;
    return b.tree(cascade(b, n, 4, 4, [&](std::int64_t i) { return b.leaf(i); }));
  };
  expect_right(generate, infer_tree(generate, 62'500), 62'500);
}

}  // namespace
}  // namespace reprosum::reveal
