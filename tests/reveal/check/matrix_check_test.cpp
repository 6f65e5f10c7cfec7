// Whole random products against rules that hold for nearly all data.
#include "reveal/check/matrix_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reveal/capture/matrix_neighbourhood.h"
#include "tests/reveal/capture/planted_captures.h"
#include "tests/spec/sample_regions.h"

namespace reprosum::reveal {
namespace {

using testing::MatrixFunction;

// Adds onto beta*C one by one. With `skips`, columns behind the last block of twelve are left out
// where B is zero.
MatrixFunction one_by_one(bool skips) {
  return [skips](const Call& call, std::int64_t, std::int64_t, const double* a, const double* b,
                 double, double beta, double c) {
    double sum = testing::beta_times(call, beta, c);
    for (std::int64_t p = 0; p < call.k; ++p) {
      if (skips && p >= call.k / 12 * 12 && b[p] == 0) continue;
      sum = std::fma(a[p], b[p], sum);
    }
    return sum;
  };
}

struct Rules {
  Rules() {
    call.routine = spec::Routine::gemv;
    call.type = spec::Type::f64;
    regimes[0].rows = {spec::samples::uniform(2048)};
    regimes[0].columns = {spec::samples::uniform(1)};
    regimes[0].table = {{0}};
    regimes[0].classes = {{}};
    regimes[0].k_max = 2048;
    check.limits.alpha_one = true;
  }
  Call call = call_without_sizes(spec::Routine::gemm, spec::Type::f64);
  std::vector<spec::MatrixRegime> regimes = std::vector<spec::MatrixRegime>(1);
  std::vector<spec::Order> orders = {spec::parse_order("1..2048: loop 1 { 0: [out f@0 +1 x q]; }")};
  MatrixCheck check;
};

// A target that has operands where it likes, as a library of a device does.
class PlacesOperands final : public Target {
 public:
  explicit PlacesOperands(const MatrixFunction& function) : target_(function) {}
  std::vector<double> run(const Batch& batch) override { return target_.run(batch); }
  std::vector<double> run_matrix(const MatrixBatch& batch) override {
    const Call& call = batch.call;
    if ((call.align_a | call.align_b | call.align_c) != 0)
      throw TargetError("declined", "addresses cannot be chosen");
    return target_.run_matrix(batch);
  }
  bool has(spec::Routine routine, spec::Type type) override { return target_.has(routine, type); }
  std::vector<std::pair<std::string, std::string>> identity() override { return {}; }
  std::int64_t calls() const override { return target_.calls(); }

 private:
  FunctionTarget target_;
};

TEST(MatrixCheck, LeavesAddressesToATargetThatChoosesThem) {
  Rules rules;
  PlacesOperands right(one_by_one(false)), wrong(one_by_one(true));
  const auto check = [&](Target& target) {
    return check_matrices(target, rules.call, rules.regimes, rules.orders,
                          std::vector<spec::Shape3>(300, {40, 1, 1204}), rules.check);
  };
  EXPECT_FALSE(check(right).wrong);
  EXPECT_TRUE(check(wrong).wrong);
}

// Shapes of many summands, of which few are left over.
TEST(MatrixCheck, SeesWhichOfTheLastSummandsAreLeftOut) {
  Rules rules;
  FunctionTarget plain(one_by_one(false)), skipping(one_by_one(true));
  const std::vector<spec::Shape3> shapes(300, {40, 1, 1204});
  for (rules.check.seed = 1; rules.check.seed <= 5; ++rules.check.seed) {
    const auto result = [&](Target& target) {
      return check_matrices(target, rules.call, rules.regimes, rules.orders, shapes, rules.check);
    };
    const auto right = result(plain);
    EXPECT_FALSE(right.wrong) << right.wrong->mismatch.context;
    const auto wrong = result(skipping);
    ASSERT_TRUE(wrong.wrong) << rules.check.seed;
    // No other data has zeros beside infinities, or sums that are zero.
    EXPECT_TRUE(wrong.wrong->data == Data::special || wrong.wrong->data == Data::zeros);
  }
}

// Zeros in A are left out of what blocks of five leave over, in the last of many rows of what
// blocks of twelve do.
TEST(MatrixCheck, SeesWhatTheLastRowAloneLeavesOut) {
  Rules rules;
  rules.call.routine = spec::Routine::gemm;
  rules.regimes[0].columns = {spec::samples::uniform(2048)};
  rules.orders = {spec::parse_order(
      "1..2048: loop 5 { 0: [out f@0 +1 x 5q]; 1..4: [out f@0 +1 x 5q ^f@5q +1 x r]; }")};
  const auto target = [](std::int64_t last_block) {
    return FunctionTarget([=](const Call& call, std::int64_t i, std::int64_t, const double* a,
                              const double* b, double, double beta, double c) {
      const std::int64_t block = i == call.m - 1 ? last_block : 5;
      double sum = testing::beta_times(call, beta, c);
      for (std::int64_t p = 0; p < call.k; ++p)
        if (p < call.k / block * block || a[p] != 0) sum = std::fma(a[p], b[p], sum);
      return sum;
    });
  };
  FunctionTarget right = target(5), wrong = target(12);
  const std::vector<spec::Shape3> shapes(80, {400, 30, 40});
  for (const bool finite_only : {false, true})
    for (rules.check.seed = 1; rules.check.seed <= 4; ++rules.check.seed) {
      rules.check.limits.finite_only = finite_only;
      const auto is_wrong = [&](Target& one) {
        return check_matrices(one, rules.call, rules.regimes, rules.orders, shapes, rules.check)
            .wrong.has_value();
      };
      rules.check.limits.nonzero_only = false;
      EXPECT_FALSE(is_wrong(right)) << rules.check.seed;
      EXPECT_TRUE(is_wrong(wrong)) << rules.check.seed;
      rules.check.limits.nonzero_only = true;
      EXPECT_FALSE(is_wrong(wrong)) << rules.check.seed;
    }
}

// Neither A nor B has a zero then, and alpha makes none; other data stay what they are.
TEST(MatrixCheck, LeavesNoZeroFactorsIfAsked) {
  Rules rules;
  rules.call.routine = spec::Routine::gemm;
  rules.check.limits = {false, true, true};
  rules.regimes[0].columns = {spec::samples::uniform(2048)};
  std::int64_t zeros = 0, specials = 0, tiny = 0, zero_outputs = 0;
  FunctionTarget target([&](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                            const double* b, double alpha, double beta, double c) {
    for (std::int64_t p = 0; p < call.k; ++p)
      for (const double factor : {a[p], b[p]}) {
        zeros += factor / 2 == 0;
        specials += !std::isfinite(factor);
        tiny += std::abs(factor) < 0x1p-1022;
      }
    zero_outputs += c == 0;
    return one_by_one(false)(call, i, j, a, b, alpha, beta, c);
  });
  const auto found = check_matrices(target, rules.call, rules.regimes, rules.orders,
                                    std::vector<spec::Shape3>(200, {7, 5, 20}), rules.check);
  EXPECT_FALSE(found.wrong) << found.wrong->mismatch.context;
  EXPECT_EQ(zeros, 0);
  EXPECT_GT(specials, 0);
  EXPECT_GT(tiny, 0);
  EXPECT_GT(zero_outputs, 0);
}

// One product of a shape may have zeros or an alpha of 0, where no order shows.
TEST(MatrixCheck, TellsOrdersApartInEveryShapeIfAsked) {
  Rules rules;
  rules.check.limits.alpha_one = false;
  FunctionTarget lanes([](const Call& call, std::int64_t, std::int64_t, const double* a,
                          const double* b, double alpha, double beta, double c) {
    return testing::two_lanes<double>(alpha, beta, c, call.k, a, b);
  });
  FunctionTarget plain(one_by_one(false));
  const std::vector<spec::Shape3> shape{{9, 1, 30}};
  const auto wrong = [&](std::int64_t telling_outputs) {
    rules.check.telling_outputs = telling_outputs;
    int count = 0;
    for (rules.check.seed = 1; rules.check.seed <= 60; ++rules.check.seed)
      count += check_matrices(lanes, rules.call, rules.regimes, rules.orders, shape, rules.check)
                   .wrong.has_value();
    return count;
  };
  EXPECT_LT(wrong(0), 55);
  EXPECT_EQ(wrong(64), 60);
  rules.check.limits.alpha_one = true;
  const auto all = check_matrices(plain, rules.call, rules.regimes, rules.orders,
                                  std::vector<spec::Shape3>(120, {40, 1, 30}), rules.check);
  EXPECT_FALSE(all.wrong) << all.wrong->mismatch.context;
  EXPECT_GE(all.special_outputs, 120 * 40 * 2 / 5);  // one product of eight is small instead
  EXPECT_GE(all.outputs - all.special_outputs, 120 * 64);
}

// A matrix of many lines far apart in memory, whose leading dimension is no other number than that
// of a small matrix may be.
TEST(MatrixCheck, TriesLeadingDimensionsThatLetMatricesReachFar) {
  Rules rules;
  FunctionTarget target(
      [plain = one_by_one(false)](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                                  const double* b, double alpha, double beta, double c) {
        const double sum = plain(call, i, j, a, b, alpha, beta, c);
        const bool is_far = (call.m + call.pad_a) * call.k > 400'000;
        return is_far && std::isfinite(sum) ? std::nextafter(sum, 1e300) : sum;
      });
  const std::vector<spec::Shape3> shapes(600, {12, 1, 100});
  const auto result =
      check_matrices(target, rules.call, rules.regimes, rules.orders, shapes, rules.check);
  ASSERT_TRUE(result.wrong);
  EXPECT_NE(result.wrong->mismatch.context.find("pad_a="), std::string::npos)
      << result.wrong->mismatch.context;
}

// Blocks of one matrix do.
TEST(MatrixCheck, TriesOperandsThatShareALeadingDimension) {
  Rules rules;
  rules.call.routine = spec::Routine::gemm;
  rules.regimes[0].columns = {spec::samples::uniform(2048)};
  int shared = 0;
  FunctionTarget target([&shared, plain = one_by_one(false)](
                            const Call& call, std::int64_t i, std::int64_t j, const double* a,
                            const double* b, double alpha, double beta, double c) {
    const std::int64_t lda = call.m + call.pad_a, ldb = call.k + call.pad_b;
    shared += i == 0 && j == 0 && lda == ldb && lda == call.m + call.pad_c && call.pad_a > 0;
    return plain(call, i, j, a, b, alpha, beta, c);
  });
  const std::vector<spec::Shape3> shapes(300, {12, 5, 30});
  const auto result =
      check_matrices(target, rules.call, rules.regimes, rules.orders, shapes, rules.check);
  EXPECT_FALSE(result.wrong) << result.wrong->mismatch.context;
  EXPECT_GT(shared, 10);
}

// Five checks of so many products of one shape.
void expect_told_apart(Rules& rules, Target& right, Target& wrong, std::size_t products) {
  const std::vector<spec::Shape3> shapes(products, {12, 1, 30});
  for (rules.check.seed = 1; rules.check.seed <= 5; ++rules.check.seed) {
    const auto result = [&](Target& one) {
      return check_matrices(one, rules.call, rules.regimes, rules.orders, shapes, rules.check);
    };
    const auto holds = result(right);
    EXPECT_FALSE(holds.wrong) << holds.wrong->mismatch.context;
    EXPECT_TRUE(result(wrong).wrong) << rules.check.seed;
  }
}

// A buffer of +0 takes alpha times each group of columns and is then added to C: whether it is
// fused shows where alpha's products vanish, beside a C of -0.
// Where alpha is 1 and no factor zero, a sum that begins at +0 differs where all products are -0.
TEST(MatrixCheck, TellsWhetherASumBeginsAtPositiveZero) {
  Rules rules;
  rules.check.limits.alpha_one = rules.check.limits.nonzero_only = true;
  rules.orders = {spec::parse_order("1..2048: loop 1 { 0: a = [.@0 +1 x q]; [out a@0]; }")};
  const auto target = [](bool is_started) {
    return FunctionTarget([is_started](const Call& call, std::int64_t, std::int64_t,
                                       const double* a, const double* b, double, double beta,
                                       double c) {
      double sum = is_started ? 0.0 + a[0] * b[0] : a[0] * b[0];
      for (std::int64_t p = 1; p < call.k; ++p) sum += a[p] * b[p];
      return testing::beta_times(call, beta, c) + sum;
    });
  };
  FunctionTarget plain = target(false), started = target(true);
  expect_told_apart(rules, plain, started, 300);
}

TEST(MatrixCheck, TellsWhetherAlphaIsFusedWithAPositiveZero) {
  Rules rules;
  rules.check.limits.alpha_one = false;
  rules.regimes[0].classes[0].alpha_zero = spec::MatrixClass::AlphaZero::compute;
  rules.orders = {
      spec::parse_order("1..2048: loop 1 { 0: a = [f@0 +1 x q]; b = [0 &a@0]; [out b@0]; }")};
  const auto target = [](bool is_fused) {
    return FunctionTarget([is_fused](const Call& call, std::int64_t, std::int64_t, const double* a,
                                     const double* b, double alpha, double beta, double c) {
      double sum = a[0] * b[0];
      for (std::int64_t p = 1; p < call.k; ++p) sum = std::fma(a[p], b[p], sum);
      const double added = is_fused ? std::fma(alpha, sum, 0.0) : alpha * sum + 0.0;
      return testing::beta_times(call, beta, c) + added;
    });
  };
  FunctionTarget fused = target(true), rounded = target(false);
  expect_told_apart(rules, fused, rounded, 600);
}

// 7 of 1000 numbers of rows are wrong, and these for 13 of 2048 numbers of columns alone.
TEST(PlanLong, ShowsRowsBehindABlock) {
  Rules rules;
  FunctionTarget target(testing::rows_behind_blocks());
  int shown = 0;
  for (std::uint64_t salt = 1; salt <= 8; ++salt) {
    const auto shapes = plan_long({1000, 1, 1000}, 2000, salt);
    EXPECT_EQ(shapes.size(), 2000u);
    shown += check_matrices(target, rules.call, rules.regimes, rules.orders, shapes, rules.check)
                 .wrong.has_value();
  }
  EXPECT_GE(shown, 7);
}

TEST(PlanLong, HasNoShapeBeyondTheLargest) {
  EXPECT_TRUE(plan_long({64, 1, 64}, 100, 1).empty());
  for (const spec::Shape3& shape : plan_long({70, 1, 9}, 100, 1)) {
    EXPECT_TRUE(shape.m > 64 && shape.m <= 70);
    EXPECT_TRUE(shape.k >= 1 && shape.k <= 9);
  }
}

// Every product that is counted is one of its own: one of 20 is wrong, and never none or many.
TEST(Neighbourhood, CountsProductsOfTheirOwn) {
  Rules rules;
  FunctionTarget skipping(one_by_one(true));
  int least = 1000, most = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Neighbourhood near(skipping, rules.call, rules.regimes, rules.orders, {160, 1, 148},
                       seed * 1000003);
    const int wrong = near.wrong(rules.check, 200);
    least = std::min(least, wrong);
    most = std::max(most, wrong);
  }
  EXPECT_GE(least, 2);
  EXPECT_LE(most, 24);
}

}  // namespace
}  // namespace reprosum::reveal
