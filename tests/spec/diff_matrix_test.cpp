// Where two entries of gemv or gemm part, and how they are described.
#include "spec/diff_matrix.h"

#include <gtest/gtest.h>

#include <string>

#include "sample_regions.h"
#include "spec/describe_matrix.h"
#include "spec/error.h"

namespace reprosum::spec {
namespace {

std::optional<MatrixDifference> difference(const Spec& a, const Spec& b) {
  return diff_matrices({a, a.matrices[0]}, {b, b.matrices[0]});
}

TEST(DiffMatrix, EqualRulesInOtherWordsAreNoDifference) {
  for (const Spec& spec : samples::all_regions()) EXPECT_FALSE(difference(spec, spec));
  const Spec spec = samples::skylakex_dgemm();
  Spec other = spec;
  // A regime that never decides says nothing.
  other.matrices[0].regimes.push_back(other.matrices[0].regimes.back());
  EXPECT_FALSE(difference(spec, other));
}

TEST(DiffMatrix, NamesTheFirstOutputAndBothOrders) {
  const Spec spec = samples::skylakex_dgemm();
  Spec other = spec;
  other.matrices[0].regimes[0].table[1][1] = 0;  // the corner as the rest
  const auto found = difference(spec, other);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->only_coverage);
  // m = n = 1 is a corner; two accumulators and one part from k = 2 on.
  EXPECT_EQ(found->shape, (Shape3{1, 1, 2}));
  EXPECT_EQ(found->i, 0);
  EXPECT_EQ(found->j, 0);
  EXPECT_NE(found->order_a, found->order_b);
  EXPECT_EQ(found->what, "&(0 + fma 1) against &(0 + 1) from k = 2");
}

TEST(DiffMatrix, FindsAGuardFarFromSmallShapes) {
  const Spec spec = samples::skylakex_dgemm();
  Spec other = spec;
  other.matrices[0].regimes[1].guard = {samples::at_most("mnk", 1'100'000)};
  const auto found = difference(spec, other);
  ASSERT_TRUE(found);
  const Shape3& shape = found->shape;
  EXPECT_GT(shape.m * shape.n * shape.k, 1'000'000);
  EXPECT_LE(shape.m * shape.n * shape.k, 1'100'000);
  const auto a = regions(spec.matrices[0].regimes, shape);
  const auto b = regions(other.matrices[0].regimes, shape);
  const auto order = [&](const RegionMap& map, std::int64_t i, std::int64_t j) {
    return map.regime->classes[std::size_t(map.class_at(i, j))].order;
  };
  // By brute force: the first output, row by row, whose orders differ.
  for (std::int64_t i = 0; i < shape.m; ++i)
    for (std::int64_t j = 0; j < shape.n; ++j) {
      const bool differs = order(*a, i, j) != order(*b, i, j);
      if (i == found->i && j == found->j) {
        EXPECT_TRUE(differs);
        return;
      }
      ASSERT_FALSE(differs) << i << ", " << j;
    }
}

TEST(DiffMatrix, KBlocksAreNamed) {
  const Spec spec = samples::haswell_sgemm();
  Spec other = spec;
  for (Order& order : other.orders) std::get<Parts>(order.regimes[0].rule).m = 320;
  const auto found = difference(spec, other);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->shape.k, 321);
  EXPECT_EQ(found->what, "K blocks of 384 against 320 from k = 321");
}

TEST(DiffMatrix, CoverageAndSpecialRulesAreSaid) {
  const Spec spec = samples::skylakex_sgemv();
  Spec other = spec;
  other.matrices[0].regimes[0].classes[0].beta_zero = MatrixClass::BetaZero::store;
  auto found = difference(spec, other);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->what, "C enters in different ways where beta = 0");
  other = spec;
  other.matrices[0].m_max = 7;
  found = difference(spec, other);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->only_coverage);
  EXPECT_EQ(found->what, "only the first covers m = 8, n = 1, k = 1");
  EXPECT_THROW(difference(spec, samples::skylakex_dgemm()), UserError);
}

TEST(DescribeMatrix, OneLineEach) {
  const Spec spec = samples::skylakex_sgemv();
  const auto lines = describe(spec, spec.matrices[0]);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0], "sgemv N, threads 1, m <= 2048");
  EXPECT_EQ(lines[1], "  k <= 48: 1 row type, 1 column type, 1 class; k <= 48");
  EXPECT_NE(lines[2].find("; C rounded, alpha times x; beta = 0 drops C"), std::string::npos)
      << lines[2];
  EXPECT_EQ(lines[3],
            "  m <= 4096, k > 48: 2 row types (period 16), 1 column type, 2 classes; k <= 2048");
  EXPECT_EQ(describe(samples::skylakex_dgemm().matrices[0].regimes[2]).substr(0, 12),
            "every shape:");
}

}  // namespace
}  // namespace reprosum::spec
