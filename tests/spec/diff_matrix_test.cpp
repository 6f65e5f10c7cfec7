// Where two entries of gemv or gemm part, and how they are described.
#include "spec/diff_matrix.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "sample_regions.h"
#include "spec/describe_matrix.h"
#include "spec/error.h"

namespace reprosum::spec {
namespace {

MatrixComparison compare(const Spec& a, const Spec& b) {
  return MatrixComparer(a, b).compare({&a.entries[0]}, {&b.entries[0]});
}

// The orders and zero rules of an output, as one value.
using Meaning = std::tuple<std::size_t, MatrixClass::BetaZero, MatrixClass::AlphaZero>;
Meaning meaning(const Spec& spec, const Shape3& shape, std::int64_t i, std::int64_t j) {
  const auto map = regions(spec.entries[0].regimes, shape);
  const MatrixClass& c = map->regime->classes[std::size_t(map->class_at(i, j))];
  return {c.order, c.beta_zero, c.alpha_zero};
}

// By brute force, for specs with the same list of orders and trees that differ at this k: the
// first output, row by row, and the number of outputs that differ.
void expect_first_output(const Spec& a, const Spec& b, const MatrixComparison& found) {
  ASSERT_FALSE(found.ways.empty());
  const MatrixDifference& first = found.ways[0];
  std::int64_t outputs = 0;
  for (std::int64_t i = 0; i < first.shape.m; ++i)
    for (std::int64_t j = 0; j < first.shape.n; ++j) {
      if (meaning(a, first.shape, i, j) == meaning(b, first.shape, i, j)) continue;
      if (outputs++ > 0) continue;
      EXPECT_EQ(i, first.i);
      EXPECT_EQ(j, first.j);
    }
  EXPECT_EQ(outputs, found.outputs);
}

TEST(DiffMatrix, EqualRulesInOtherWordsAreNoDifference) {
  for (const Spec& spec : samples::all_regions()) {
    const MatrixComparison found = compare(spec, spec);
    EXPECT_TRUE(found.ways.empty());
    EXPECT_FALSE(found.coverage);
    EXPECT_TRUE(found.same_orders);
    EXPECT_GT(found.shapes, 1000);
    EXPECT_EQ(found.differing, 0);
  }
  const Spec spec = samples::skylakex_dgemm();
  Spec other = spec;
  // A regime that never decides says nothing.
  other.entries[0].regimes.push_back(other.entries[0].regimes.back());
  EXPECT_TRUE(compare(spec, other).ways.empty());
}

TEST(DiffMatrix, NamesTheFirstOutputAndBothOrders) {
  const Spec spec = samples::skylakex_dgemm();
  Spec other = spec;
  other.entries[0].regimes[0].table[1][1] = 0;  // the corner as the rest
  const MatrixComparison found = compare(spec, other);
  ASSERT_EQ(found.ways.size(), 1u);
  const MatrixDifference& first = found.ways[0];
  EXPECT_FALSE(found.coverage);
  EXPECT_TRUE(found.same_orders);
  // m = n = 1 is a corner; two accumulators and one part from k = 2 on.
  EXPECT_EQ(first.shape, (Shape3{1, 1, 2}));
  expect_first_output(spec, other, found);
  EXPECT_NE(first.order_a, first.order_b);
  EXPECT_EQ(first.what, "another order from k = 2");
  EXPECT_EQ(first.node_a, "&(0 + fma 1)");
  EXPECT_EQ(first.node_b, "&(0 + 1)");
  EXPECT_EQ(first.shapes, found.differing);
  EXPECT_LT(found.differing, found.shapes);
}

TEST(DiffMatrix, ShapesAreTriedByTheirProducts) {
  // Without a corner in the small regime nothing differs below m*n = 1201.
  const Spec spec = samples::skylakex_dgemm();
  Spec other = spec;
  other.entries[0].regimes[1].table = {{0, 0}, {0, 0}};
  const MatrixComparison found = compare(spec, other);
  ASSERT_FALSE(found.ways.empty());
  const Shape3& shape = found.ways[0].shape;
  EXPECT_EQ(shape.k, 2);
  EXPECT_GT(shape.m * shape.n, 1200);
  EXPECT_LT(shape.m * shape.n, 1240);  // the squares next to the border are among those tried
  expect_first_output(spec, other, found);
}

TEST(DiffMatrix, FindsAGuardFarFromSmallShapes) {
  const Spec spec = samples::skylakex_dgemm();
  Spec other = spec;
  other.entries[0].regimes[1].guard = {samples::at_most("mnk", 1'100'000)};
  const MatrixComparison found = compare(spec, other);
  ASSERT_FALSE(found.ways.empty());
  const Shape3& shape = found.ways[0].shape;
  EXPECT_GT(shape.m * shape.n * shape.k, 1'000'000);
  EXPECT_LE(shape.m * shape.n * shape.k, 1'100'000);
  expect_first_output(spec, other, found);
}

TEST(DiffMatrix, KBlocksAreNamedBesideAnEarlierDifference) {
  const Spec spec = samples::haswell_sgemm();
  Spec other = spec;
  for (Order& order : other.orders) std::get<Parts>(order.regimes[0].rule).m = 320;
  MatrixComparison found = compare(spec, other);
  ASSERT_FALSE(found.ways.empty());
  EXPECT_EQ(found.ways[0].shape.k, 321);
  EXPECT_EQ(found.ways[0].what,
            "K blocks of 384 against 320 from k = 321 (k = 321: not cut against 160 + 161)");
  EXPECT_FALSE(found.same_orders);
  // The same, where the orders of small k differ as well.
  std::swap(other.entries[0].regimes[0].classes[0], other.entries[0].regimes[0].classes[1]);
  found = compare(spec, other);
  ASSERT_GE(found.ways.size(), 2u);
  EXPECT_EQ(found.ways[0].shape, (Shape3{1, 1, 2}));
}

TEST(DiffMatrix, EntriesOfOneContextAreTriedInTurn) {
  const Spec whole = samples::skylakex_sgemv();
  Spec split = whole;
  split.entries.push_back(split.entries[0]);
  auto& first = split.entries[0];
  first.regimes = {first.regimes[0]};
  auto& second = split.entries[1];
  second.regimes = {second.regimes[1]};
  MatrixComparer comparer(whole, split);
  const MatrixComparison found =
      comparer.compare({&whole.entries[0]}, {&split.entries[0], &split.entries[1]});
  EXPECT_TRUE(found.ways.empty());
  EXPECT_FALSE(found.coverage) << found.coverage->what;
  EXPECT_TRUE(comparer.compare({&whole.entries[0]}, {&first}).coverage);
}

// What can be seen of two rules for beta = 0, each against each.
TEST(DiffMatrix, RulesForBetaZeroAreToldByWhatTheyChange) {
  using BetaZero = MatrixClass::BetaZero;
  constexpr BetaZero kRules[] = {BetaZero::store, BetaZero::drop, BetaZero::drop_zeros,
                                 BetaZero::store_beta, BetaZero::multiply};
  Spec a = samples::skylakex_sgemv(), b = a;
  for (const BetaZero in_a : kRules)
    for (const BetaZero in_b : kRules) {
      a.entries[0].regimes[0].classes[0].beta_zero = in_a;
      b.entries[0].regimes[0].classes[0].beta_zero = in_b;
      const MatrixComparison found = compare(a, b);
      ASSERT_EQ(found.ways.size(), in_a == in_b ? 0u : 1u);
      if (in_a == in_b) continue;
      const bool multiplies = in_a == BetaZero::multiply || in_b == BetaZero::multiply;
      const bool stores =
          std::minmax(in_a, in_b) == std::minmax(BetaZero::store, BetaZero::store_beta);
      const std::string seen = multiplies ? "only NaN, Inf and the sign of a zero where beta = 0: "
                               : stores   ? "only the sign of a zero for beta = -0: "
                                          : "only the sign of a zero where beta = 0: ";
      EXPECT_EQ(found.ways[0].what.find(seen), 0u) << found.ways[0].what;
    }
}

TEST(DiffMatrix, CoverageAndSpecialRulesAreSaid) {
  const Spec spec = samples::skylakex_sgemv();
  Spec other = spec;
  other.entries[0].regimes[0].classes[0].beta_zero = MatrixClass::BetaZero::store;
  MatrixComparison found = compare(spec, other);
  ASSERT_EQ(found.ways.size(), 1u);
  EXPECT_EQ(found.ways[0].what,
            "only the sign of a zero where beta = 0: beta = 0 leaves C out in A, stores +0 in B");
  EXPECT_EQ(found.ways[0].node_a, "");
  other = spec;
  other.entries[0].regimes[0].classes[0].alpha_zero = MatrixClass::AlphaZero::compute;
  found = compare(spec, other);
  ASSERT_EQ(found.ways.size(), 1u);
  EXPECT_EQ(found.ways[0].what, "A and B enter in different ways where alpha = 0");
  other = spec;
  other.entries[0].m_max = 7;
  found = compare(spec, other);
  EXPECT_TRUE(found.ways.empty());
  ASSERT_TRUE(found.coverage);
  EXPECT_EQ(found.coverage->what, "only the first covers m = 8, n = 1, k = 1");
  other = spec;
  other.entries[0].guard.finite_only = true;
  found = compare(other, spec);
  ASSERT_TRUE(found.coverage);
  EXPECT_EQ(found.coverage->what,
            "only the second covers m = 1, n = 1, k = 1 with Inf or NaN in the data");
  other.entries[0].guard.finite_only = false;
  other.entries[0].guard.nonzero_only = true;
  found = compare(other, spec);
  ASSERT_TRUE(found.coverage);
  EXPECT_EQ(found.coverage->what, "only the second covers m = 1, n = 1, k = 1 with zero factors");
  EXPECT_THROW(compare(spec, samples::skylakex_dgemm()), UserError);
}

TEST(DiffMatrix, PlacesOfAlphaMeanNothingWhereAlphaIsOne) {
  const Spec spec = samples::skylakex_sgemv();
  Spec other = spec;
  for (Order& order : other.orders)
    for (Regime& regime : order.regimes)
      for (Loop::Case& loop_case : std::get<Loop>(regime.rule).cases)
        for (Chain& chain : loop_case.schema.chains)
          for (Item& item : chain.items) item.shape.scale = Scale::none;
  canonicalize(other);
  EXPECT_EQ(compare(spec, other).ways.size(), 2u);
  for (Entry& entry : other.entries) entry.guard.alpha_one = true;
  const MatrixComparison found = compare(spec, other);
  EXPECT_TRUE(found.ways.empty()) << found.ways[0].what;
  ASSERT_TRUE(found.coverage);
  EXPECT_EQ(found.coverage->what,
            "only the first covers m = 1, n = 1, k = 1 with alpha other than 1");
}

TEST(DescribeMatrix, OneLineEach) {
  const Spec spec = samples::skylakex_sgemv();
  const auto lines = describe(spec, spec.entries[0]);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0], "sgemv N, inc 1:1, threads 1, by columns, m <= 2048");
  EXPECT_EQ(lines[1], "  k <= 48: 1 row type, 1 column type, 1 class; k <= 48");
  EXPECT_NE(lines[2].find("; C rounded, alpha times x; beta = 0 leaves C out"), std::string::npos)
      << lines[2];
  EXPECT_EQ(lines[3],
            "  m <= 4096, k > 48: 2 row types (period 16), 1 column type, 2 classes; k <= 2048");
  EXPECT_EQ(describe(samples::skylakex_dgemm().entries[0].regimes[2]).substr(0, 12),
            "every shape:");
}

}  // namespace
}  // namespace reprosum::spec
