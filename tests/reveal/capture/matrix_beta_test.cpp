// Products whose order hangs on whether beta is 1.
#include "reveal/capture/matrix_beta.h"

#include <gtest/gtest.h>

#include "spec/surface.h"
#include "tests/reveal/capture/planted_captures.h"

namespace reprosum::reveal {
namespace {

using spec::Beta;

// The sum is added to C itself where beta is 1; otherwise C is scaled first and the summands are
// added to it one by one, as long as they are few.
testing::MatrixFunction adds_to_c() {
  return [](const Call& call, std::int64_t, std::int64_t, const double* a, const double* b,
            double alpha, double beta, double c) {
    const auto fit = [&](double v) { return spec::rounded(call.type.input, v); };
    double out = testing::beta_times(call, beta, c);
    if (alpha == 0) return out;
    if (beta != 1 && call.k <= 14) {
      for (std::int64_t p = 0; p < call.k; ++p) out = fit(out + fit(fit(alpha * a[p]) * b[p]));
      return out;
    }
    double sum = fit(fit(alpha * a[0]) * b[0]);
    for (std::int64_t p = 1; p < call.k; ++p) sum = fit(sum + fit(fit(alpha * a[p]) * b[p]));
    return fit(out + sum);
  };
}

Call gemv(spec::Type type) { return call_without_sizes(spec::Routine::gemv, type); }

TEST(BetaClasses, AreTwoWhereOnlyOneIsAddedAsItIs) {
  for (const auto type : {spec::Type::f32, spec::Type::f64}) {
    FunctionTarget apart(adds_to_c()), alike(testing::rows_by_four());
    EXPECT_EQ(beta_classes(apart, gemv(type), {96, 1, 200}, 1),
              (std::vector{Beta::one, Beta::other}));
    EXPECT_EQ(beta_classes(alike, gemv(type), {96, 1, 200}, 1), std::vector{Beta::any});
  }
}

// In the rests beside a block, the second of two lanes starts at +0 unless beta is 1.
TEST(BetaClasses, AreTwoWhereSignsOfZeroInARestSaySo) {
  FunctionTarget target([](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                           const double* b, double alpha, double beta, double c) {
    const bool is_beside = i >= call.m / 56 * 56 && j < call.n / 56 * 56 && call.k >= 56;
    double lanes[2] = {testing::beta_times(call, beta, c), 0};
    for (std::int64_t p = 0; p < call.k; ++p) {
      const double product = alpha * a[p] * b[p];
      lanes[p % 2] = is_beside && beta == 1 && p == 1 ? product : lanes[p % 2] + product;
    }
    return is_beside ? lanes[0] + lanes[1] : lanes[0];
  });
  const Call call = call_without_sizes(spec::Routine::gemm, spec::Type::f64);
  EXPECT_EQ(beta_classes(target, call, {2048, 2048, 2048}, 1),
            (std::vector{Beta::one, Beta::other}));
}

// Only blocks that are copied have such rests, from some product on.
TEST(BetaClasses, AreTwoWhereSomeLargerProductsSaySo) {
  FunctionTarget target([](const Call& call, std::int64_t i, std::int64_t, const double* a,
                           const double* b, double alpha, double beta, double c) {
    const bool is_rest = i >= call.m / 48 * 48 && call.m % 48 >= 24 && call.k >= 48 &&
                         call.m * call.n * call.k > 134783;
    const double out = testing::beta_times(call, beta, c);
    double sum = is_rest && beta == 1 ? out : 0;
    for (std::int64_t p = 0; p < call.k; ++p) sum += alpha * a[p] * b[p];
    return is_rest && beta == 1 ? sum : out + sum;
  });
  const Call call = call_without_sizes(spec::Routine::gemm, spec::Type::f64);
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_EQ(beta_classes(target, call, {2048, 2048, 2048}, seed),
              (std::vector{Beta::one, Beta::other}))
        << seed;
}

// What takes the place of a beta makes the same beta*C.
TEST(BetaTarget, AsksForTheSameProductOfBetaAndC) {
  std::vector<double> betas;
  FunctionTarget target([&](const Call& call, std::int64_t, std::int64_t, const double*,
                            const double*, double, double beta, double c) {
    betas.push_back(beta);
    return testing::beta_times(call, beta, c);
  });
  MatrixBatch batch;
  batch.call = gemv(spec::Type::f64);
  batch.call.m = batch.call.k = 1;
  const double one = 1;
  batch.a = batch.b = {&one, 1};
  for (const Beta kind : {Beta::any, Beta::one, Beta::other}) {
    BetaTarget limited(target, kind);
    for (const double beta : {0.0, 1.0, -1.0, 0.3, 1e300})
      for (const double c : {0.7, -0.0, 1e308, 5e-324}) {
        batch.beta = beta;
        batch.c = {&c, 1};
        Call call = batch.call;
        EXPECT_EQ(limited.run_matrix(batch)[0], testing::beta_times(call, beta, c));
        const bool is_one = betas.back() == 1;
        EXPECT_EQ(is_one, kind == Beta::one || (kind == Beta::any && beta == 1));
      }
  }
}

TEST(MatrixCapture, HasARuleForEachKindOfBeta) {
  for (const auto type : {spec::Type::f32, spec::Type::f64}) {
    auto options = testing::small_options(spec::Routine::gemv, type);
    const auto planted = testing::factory_of(adds_to_c());
    spec::Spec spec = capture(planted, options);
    EXPECT_TRUE(spec.refusals.empty()) << testing::refusals(spec);
    spec::canonicalize(spec);
    spec::Context context;
    context.routine = spec::Routine::gemv;
    context.type = type;
    for (const spec::Shape3 shape : {spec::Shape3{1, 1, 1}, {7, 1, 14}, {96, 1, 60}}) {
      context.shape = shape;
      for (const Beta beta : {Beta::one, Beta::other}) {
        context.beta = beta;
        const spec::Entry* entry = spec::find(spec, context);
        ASSERT_NE(entry, nullptr);
        EXPECT_EQ(entry->guard.beta, beta);
        EXPECT_FALSE(entry->guard.alpha_one || entry->guard.finite_only);
      }
    }
    EXPECT_TRUE(verify(spec, planted, options).holds);
    EXPECT_EQ(spec::to_json(spec::from_json(spec::to_json(spec))), spec::to_json(spec));
    EXPECT_FALSE(verify(spec, testing::factory_of(testing::rows_by_four()), options).holds);
  }
}

// What is refused for one kind of beta may be covered for the other.
TEST(MatrixCapture, SaysForWhichBetaItRefuses) {
  const auto options = testing::small_options(spec::Routine::gemv, spec::Type::f64);
  const auto no_sum = [plain = adds_to_c()](const Call& call, std::int64_t i, std::int64_t j,
                                            const double* a, const double* b, double alpha,
                                            double beta, double c) {
    const double out = plain(call, i, j, a, b, alpha, 1, testing::beta_times(call, beta, c));
    return beta == 1 || call.k <= 20 ? out : out * (1 + 0x1p-50);
  };
  const spec::Spec spec = capture(testing::factory_of(no_sum), options);
  ASSERT_FALSE(spec.refusals.empty());
  for (const spec::Refusal& refusal : spec.refusals)
    EXPECT_NE(refusal.context.find(", beta other than 1"), std::string::npos)
        << testing::refusals(spec);
}

}  // namespace
}  // namespace reprosum::reveal
