// Sums in passes: windows of summands, windows of their sums, and so on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <variant>
#include <vector>

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
using Values = std::vector<Value>;
using Fold = std::function<Value(TreeBuilder&, const Values&)>;

// Absent places are TreeBuilder::kNone.
Value halves(TreeBuilder& b, Values values) {
  for (std::size_t half = values.size() / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k) values[k] = b.add(values[k], values[k + half]);
  return values[0];
}
Value from_the_left(TreeBuilder& b, const Values& values) {
  Value sum = TreeBuilder::kNone;
  for (const Value value : values) sum = value == TreeBuilder::kNone ? sum : b.add(sum, value);
  return sum;
}

// Passes with windows of `width` places in the middle over the values, until no more than `width`
// are left, which `few` adds. Written from what XLA's programs say: reduce-window with padding
// "same", then reduce.
test::Generator in_passes(std::size_t width, const Fold& window, const Fold& few) {
  return [=](std::int64_t n) {
    TreeBuilder b;
    Values values;
    for (std::int64_t k = 0; k < n; ++k) values.push_back(b.leaf(k));
    while (values.size() > width) {
      const std::size_t count = (values.size() + width - 1) / width;
      Values padded((count * width - values.size()) / 2, TreeBuilder::kNone);
      padded.insert(padded.end(), values.begin(), values.end());
      padded.resize(count * width, TreeBuilder::kNone);
      values.clear();
      for (std::size_t at = 0; at < padded.size(); at += width)
        values.push_back(window(b, Values(padded.begin() + std::ptrdiff_t(at),
                                          padded.begin() + std::ptrdiff_t(at + width))));
    }
    return b.tree(few(b, values));
  };
}

void expect_passes(const test::Generator& generate, std::int64_t n_max, std::int64_t width) {
  test::SyntheticOracle oracle(generate, 1);
  InferOptions options;
  options.n_max = n_max;
  if (std::getenv("VERBOSE") != nullptr)
    options.log = [](const std::string& line) { std::puts(line.c_str()); };
  const Inference found = infer(oracle, options);
  EXPECT_EQ(found.reached, n_max) << found.stopped << spec::print(found.order);
  const auto* rule = std::get_if<spec::Windows>(&found.order.regimes.back().rule);
  ASSERT_NE(rule, nullptr) << spec::print(found.order);
  EXPECT_EQ(rule->width, width);
  std::mt19937_64 random(7);
  for (int k = 0; k < 60; ++k) {
    const std::int64_t scale = std::max<std::int64_t>(1, n_max >> (k % 10));
    const auto n = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(scale));
    EXPECT_EQ(spec::expand(found.order, n), generate(n)) << "n = " << n;
  }
}

TEST(Passes, OfHalves) { expect_passes(in_passes(32, halves, from_the_left), 100'000, 32); }
TEST(Passes, OfFewPlaces) { expect_passes(in_passes(8, halves, from_the_left), 20'000, 8); }
TEST(Passes, OfOddWindows) {
  // The last of up to fifteen sums comes first, so that no order from the left is known.
  const Fold backwards = [](TreeBuilder& b, const Values& values) {
    return from_the_left(b, Values(values.rbegin(), values.rend()));
  };
  expect_passes(in_passes(15, from_the_left, backwards), 20'000, 15);
}

}  // namespace
}  // namespace reprosum::reveal
