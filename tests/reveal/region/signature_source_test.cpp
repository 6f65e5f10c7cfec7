// What the signatures of a target tell apart.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "reveal/region.h"
#include "reveal/target/function_target.h"

namespace reprosum::reveal::region_testing {
namespace {

// A second accumulator, which is +0 for so few summands, joins the sum: no sum is -0. With beta = 0
// alpha times the sum is stored, or added to +0.
FunctionTarget::MatrixFunction joined_by_zero(bool is_added) {
  return [=](const Call& call, std::int64_t, std::int64_t, const double* a, const double* b,
             double alpha, double beta, double c) {
    double sum = 0;
    for (std::int64_t p = 0; p < call.k; ++p) sum = std::fma(a[p], b[p], sum);
    sum += 0.0;
    if (beta == 0) return is_added ? alpha * sum + 0.0 : alpha * sum;
    return std::fma(alpha, sum, beta * c);
  };
}

Call gemm(spec::Type type) { return call_without_sizes(spec::Routine::gemm, type); }

std::vector<std::uint64_t> signatures(bool is_added, std::int64_t k, Alphas alphas, bool is_short) {
  FunctionTarget target(joined_by_zero(is_added));
  const auto source = make_signature_source(target, gemm(spec::Type::f64), 5, alphas);
  source->set_short(is_short);
  return source->signatures({2, 3, k});
}

TEST(SignatureSource, TellsASumThatIsStoredFromOneAddedToZero) {
  for (const std::int64_t k : {1, 2, 3, 37}) {
    SCOPED_TRACE(k);
    const auto stored = signatures(false, k, Alphas::any, false);
    ASSERT_EQ(stored.size(), 6u);
    EXPECT_EQ(stored, std::vector<std::uint64_t>(6, stored.front()));
    EXPECT_NE(stored, signatures(true, k, Alphas::any, false));
    // They are one order where alpha is 1.
    EXPECT_EQ(signatures(false, k, Alphas::one, false), signatures(true, k, Alphas::one, false));
  }
}

// C is added last, and where beta is 1 and some condition holds, first.
TEST(SignatureSource, SeesWhatBetaOneDoes) {
  const auto planted = [](bool is_first_for_one) {
    return [=](const Call& call, std::int64_t, std::int64_t, const double* a, const double* b,
               double alpha, double beta, double c) {
      const bool is_first = is_first_for_one && beta == 1;
      double sum = is_first ? c + alpha * a[0] * b[0] : alpha * a[0] * b[0];
      for (std::int64_t p = 1; p < call.k; ++p) sum += alpha * a[p] * b[p];
      return is_first || beta == 0 ? sum : beta * c + sum;
    };
  };
  int told_apart = 0;
  for (std::int64_t k = 2; k <= 41; ++k) {
    std::vector<std::vector<std::uint64_t>> seen;
    for (const bool is_first : {false, true}) {
      FunctionTarget target(planted(is_first));
      const auto source = make_signature_source(target, gemm(spec::Type::f64), 5, Alphas::one);
      seen.push_back(source->signatures({2, 3, k}));
    }
    told_apart += seen[0] != seen[1];
  }
  EXPECT_GE(told_apart, 38);
}

// Lanes that meet in the end, C being where the first one starts or added last: half of all data do
// not show it, and small products are told apart at every k alone.
TEST(SignatureSource, SeesWhereCEntersAtEveryK) {
  const auto planted = [](bool is_first) {
    return [=](const Call& call, std::int64_t, std::int64_t, const double* a, const double* b,
               double, double beta, double c) {
      const auto out = static_cast<float>(beta == 0 ? 0 : beta * c);
      float lanes[4] = {is_first ? out : 0, 0, 0, 0};
      for (std::int64_t p = 0; p < call.k; ++p)
        lanes[p % 4] += static_cast<float>(a[p]) * static_cast<float>(b[p]);
      const float sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
      return static_cast<double>(is_first ? sum : out + sum);
    };
  };
  int told_apart = 0, all = 0;
  for (std::int64_t k = 4; k <= 64; ++k)
    for (std::uint64_t seed = 1; seed <= 4; ++seed, ++all) {
      std::vector<std::vector<std::uint64_t>> seen;
      for (const bool is_first : {false, true}) {
        FunctionTarget target(planted(is_first));
        const auto source = make_signature_source(target, gemm(spec::Type::f32), seed, Alphas::one);
        seen.push_back(source->signatures({2, 3, k}));
      }
      told_apart += seen[0] != seen[1];
    }
  EXPECT_EQ(told_apart, all);
}

// Rows of OpenBLAS's sgemv T of four summands, two at a time and the last one: few roundings tell
// them apart, and the same data are used for all outputs of a seed.
TEST(SignatureSource, TellsOrdersOfFewSummandsApart) {
  const auto planted = [](bool is_in_pairs) {
    return [=](const Call& call, std::int64_t, std::int64_t, const double* a, const double* b,
               double alpha, double beta, double c) {
      std::vector<float> sums;
      for (std::int64_t p = 0; p < call.k; ++p)
        sums.push_back(static_cast<float>(a[p]) * static_cast<float>(b[p]));
      const std::size_t together = is_in_pairs ? 2 : sums.size();
      while (sums.size() > 1) {
        std::vector<float> level;
        for (std::size_t p = 0; p < sums.size(); ++p)
          p % together == 0 ? level.push_back(sums[p]) : void(level.back() += sums[p]);
        sums = std::move(level);
      }
      const auto out = static_cast<float>(beta == 0 ? 0 : beta * c);
      return static_cast<double>(std::fma(static_cast<float>(alpha), sums[0], out));
    };
  };
  for (std::int64_t k = 4; k <= 7; ++k)
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      std::vector<std::vector<std::uint64_t>> seen;
      for (const bool is_in_pairs : {false, true}) {
        FunctionTarget target(planted(is_in_pairs));
        const auto source = make_signature_source(target, gemm(spec::Type::f32), seed, Alphas::any);
        seen.push_back(source->signatures({1, 1, k}));
      }
      EXPECT_NE(seen[0], seen[1]) << "k " << k << ", seed " << seed;
    }
}

// Products are left out where a factor of B is zero, or of A: C = -0 alone stays -0.
TEST(SignatureSource, SeesWhichProductsAreLeftOut) {
  const auto planted = [](int left_out) {
    return [=](const Call& call, std::int64_t, std::int64_t, const double* a, const double* b,
               double alpha, double beta, double c) {
      double sum = beta == 0 ? 0 : beta * c;
      for (std::int64_t p = 0; p < call.k; ++p)
        if (left_out == 0 || (left_out == 1 ? a : b)[p] != 0) sum += alpha * a[p] * b[p];
      return sum;
    };
  };
  for (const std::int64_t k : {1, 3, 40}) {
    std::vector<std::vector<std::uint64_t>> seen;
    for (const int left_out : {0, 1, 2}) {
      FunctionTarget target(planted(left_out));
      const auto source = make_signature_source(target, gemm(spec::Type::f64), 5, Alphas::one);
      seen.push_back(source->signatures({2, 3, k}));
    }
    EXPECT_NE(seen[0], seen[1]) << k;
    EXPECT_NE(seen[0], seen[2]) << k;
    EXPECT_NE(seen[1], seen[2]) << k;
  }
}

// Orders of one summand differ in so few bits that none of them is left out.
TEST(SignatureSource, IsNeverShortForOneSummand) {
  EXPECT_NE(signatures(false, 1, Alphas::any, true), signatures(true, 1, Alphas::any, true));
  for (const Alphas alphas : {Alphas::any, Alphas::one}) {
    EXPECT_EQ(signatures(true, 1, alphas, true), signatures(true, 1, alphas, false));
    EXPECT_NE(signatures(true, 9, alphas, true), signatures(true, 9, alphas, false));
  }
}

}  // namespace
}  // namespace reprosum::reveal::region_testing
