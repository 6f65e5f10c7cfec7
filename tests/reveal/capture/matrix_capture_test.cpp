// capture() and verify() of gemv and gemm on planted products.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "reveal/capture/product_capture.h"
#include "spec/surface.h"
#include "tests/reveal/capture/planted_captures.h"
#include "tests/spec/sample_regions.h"

namespace reprosum::reveal {
namespace {

using testing::factory_of;
using testing::MatrixFunction;
using testing::refusals;

CaptureOptions options_for(spec::Routine routine, spec::Type type) {
  CaptureOptions options = testing::small_options(routine, type);
  options.time_limit_s = 60;
  return options;
}

spec::Context f64_gemv() {
  spec::Context context;
  context.routine = spec::Routine::gemv;
  context.type = spec::Type::f64;
  return context;
}

TEST(MatrixCapture, FindsRegionsOrdersAndUpdates) {
  for (const auto type : {spec::Type::f32, spec::Type::f64}) {
    const auto options = options_for(spec::Routine::gemm, type);
    const spec::Spec spec = capture(factory_of(testing::rows_by_four()), options);
    EXPECT_TRUE(spec.refusals.empty()) << refusals(spec);
    ASSERT_EQ(spec.entries.size(), 4u);  // NN, NT, TN, TT
    EXPECT_EQ(spec.orders.size(), 2u);   // and they share their orders
    for (const spec::Entry& entry : spec.entries) {
      EXPECT_TRUE(entry.guard.row_major);
      EXPECT_EQ(entry.guard.leading, spec::Leadings{});
      EXPECT_EQ(entry.guard.alignment, 1);
      EXPECT_FALSE(entry.guard.finite_only || entry.guard.alpha_one);
      EXPECT_GT(entry.certificate.outputs_checked, 10000);
      EXPECT_GT(entry.certificate.special_outputs, 1000);
      for (const spec::Shape3 shape : {spec::Shape3{1, 1, 1}, {7, 5, 49}, {96, 3, 200}}) {
        const auto map = spec::regions(entry.regimes, shape);
        ASSERT_TRUE(map.has_value()) << shape.m << " x " << shape.n << " x " << shape.k;
        for (std::int64_t i = 0; i < shape.m; ++i)
          EXPECT_EQ(map->class_at(i, 0) == map->class_at(shape.m - 1, 0),
                    (i >= shape.m / 4 * 4) == (shape.m % 4 != 0));
      }
    }
    EXPECT_EQ(spec::to_json(spec::from_json(spec::to_json(spec))), spec::to_json(spec));
    const VerifyReport report = verify(spec, factory_of(testing::rows_by_four()), options);
    EXPECT_TRUE(report.holds);
    EXPECT_GT(report.vectors, 10000);
  }
}

TEST(MatrixCapture, VerifyNamesTheFirstOutputOfAnotherBlock) {
  const auto options = options_for(spec::Routine::gemm, spec::Type::f64);
  const spec::Spec spec = capture(factory_of(testing::rows_by_four(48)), options);
  const VerifyReport report = verify(spec, factory_of(testing::rows_by_four(40)), options);
  EXPECT_FALSE(report.holds);
  ASSERT_EQ(report.first.size(), 4u);
  EXPECT_NE(report.first[0].context.find("dgemm NN m="), std::string::npos);
  EXPECT_NE(report.first[0].context.find("output ("), std::string::npos);
}

// A regime with about 1/1500 of the log-uniform shapes, and every shape of it is far from small.
TEST(MatrixCapture, VerifyLooksInsideANarrowRegime) {
  const std::vector<spec::Atom> narrow{spec::samples::at_most("mn", 60),
                                       spec::samples::above("mnk", 10'000)};
  spec::Spec spec;
  spec.orders = {
      spec::parse_order("sub 0 { 1..48: loop 1 { 0: [f@0 +1 x q]; } }"
                        "1..200: parts fixed(m=48) onto scale fused fold sub 0")};
  spec::Entry entry =
      spec::samples::entry(spec::Routine::gemm, spec::Type::f64, spec::Trans::no, spec::Trans::no);
  entry.m_max = entry.n_max = 96;
  spec::MatrixRegime regime;
  regime.rows = regime.columns = {spec::samples::uniform(96)};
  regime.table = {{0}};
  regime.classes = {{0, {}, {}}};
  regime.k_max = 200;
  entry.regimes = {regime, regime};
  entry.regimes[0].guard = narrow;
  spec.entries = {entry};
  spec::canonicalize(spec);
  const auto planted = [&](std::int64_t inside) -> MatrixFunction {
    return [=](const Call& call, std::int64_t, std::int64_t, const double* a, const double* b,
               double alpha, double beta, double c) {
      const spec::Shape3 shape{call.m, call.n, call.k};
      const bool holds = narrow[0].holds(shape) && narrow[1].holds(shape);
      return testing::blocked<double>(alpha, beta, c, call.k, a, b, holds ? inside : 48);
    };
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto options = options_for(spec::Routine::gemm, spec::Type::f64);
    options.seed = seed;
    const VerifyReport same = verify(spec, factory_of(planted(48)), options);
    EXPECT_TRUE(same.holds) << same.first[0].context;
    EXPECT_FALSE(verify(spec, factory_of(planted(40)), options).holds) << "seed " << seed;
  }
}

TEST(MatrixCapture, TightAndPaddedMatricesHaveRulesOfTheirOwn) {
  const auto options = options_for(spec::Routine::gemv, spec::Type::f64);
  const spec::Spec spec = capture(factory_of(testing::rows_by_four_if_tight()), options);
  ASSERT_EQ(spec.entries.size(), 4u) << refusals(spec);  // N and T, each tight and padded
  int tight = 0;
  for (const spec::Entry& entry : spec.entries) {
    EXPECT_NE(entry.guard.leading, spec::Leadings{});
    tight += entry.guard.leading[0] == spec::Leading::tight;
  }
  EXPECT_EQ(tight, 2);
  EXPECT_TRUE(verify(spec, factory_of(testing::rows_by_four_if_tight()), options).holds);
}

TEST(MatrixCapture, DoesNotCoverWhatOnlyFewAddressesShow) {
  const auto options = options_for(spec::Routine::gemv, spec::Type::f64);
  const spec::Spec spec = capture(factory_of(testing::odd_at_some_addresses()), options);
  for (const spec::Trans trans : {spec::Trans::no, spec::Trans::yes}) {
    spec::Context context;
    context.routine = spec::Routine::gemv;
    context.type = spec::Type::f64;
    context.trans_a = trans;
    context.shape = {50, 1, 1};
    EXPECT_NE(spec::find(spec, context), nullptr) << refusals(spec);
    context.addresses[0] = 16;
    EXPECT_NE(spec::find(spec, context), nullptr);
    context.addresses[0] = 24;
    EXPECT_EQ(spec::find(spec, context), nullptr);
    context.shape.k = 40;
    EXPECT_NE(spec::find(spec, context), nullptr);
  }
}

// Above some product, with many rows, zeros leave infinities out; the orders of the classes are
// learned from fewer rows.
TEST(MatrixCapture, OnlyShapesThatNeedItAreLimitedToFiniteData) {
  const MatrixFunction planted = [](const Call& call, std::int64_t i, std::int64_t j,
                                    const double* a, const double* b, double alpha, double beta,
                                    double c) {
    const bool is_small = call.m * call.k <= 2000;
    const bool skips = !is_small && call.m > 40 && call.k >= 60;
    const MatrixFunction plain = testing::rows_by_four(is_small ? 48 : 16);
    if (!skips) return plain(call, i, j, a, b, alpha, beta, c);
    std::vector<double> seen(a, a + call.k);
    for (std::int64_t p = 0; p < call.k; ++p)
      if (b[p] == 0 && !std::isfinite(a[p])) seen[static_cast<std::size_t>(p)] = 1;
    return plain(call, i, j, seen.data(), b, alpha, beta, c);
  };
  const auto options = options_for(spec::Routine::gemv, spec::Type::f64);
  spec::Spec spec = capture(factory_of(planted), options);
  spec::canonicalize(spec);
  spec::Context context = f64_gemv();
  context.shape = {48, 1, 30};
  const spec::Entry* small = spec::find(spec, context);
  ASSERT_NE(small, nullptr) << refusals(spec);
  EXPECT_FALSE(small->guard.finite_only);
  context.shape = {96, 1, 150};
  const spec::Entry* large = spec::find(spec, context);
  ASSERT_NE(large, nullptr) << refusals(spec);
  EXPECT_TRUE(large->guard.finite_only);
  EXPECT_TRUE(verify(spec, factory_of(planted), options).holds);
}

TEST(MatrixCapture, OnlyRowsThatNeedItAreLimitedToAlphaOne) {
  const auto options = options_for(spec::Routine::gemv, spec::Type::f64);
  spec::Spec spec = capture(factory_of(testing::strange_alpha_in_last_rows()), options);
  spec::canonicalize(spec);
  spec::Context context = f64_gemv();
  context.shape = {48, 1, 30};
  const spec::Entry* whole = spec::find(spec, context);
  ASSERT_NE(whole, nullptr) << refusals(spec);
  EXPECT_FALSE(whole->guard.alpha_one);
  context.shape.m = 49;
  const spec::Entry* with_last_row = spec::find(spec, context);
  ASSERT_NE(with_last_row, nullptr) << refusals(spec);
  EXPECT_TRUE(with_last_row->guard.alpha_one);
  EXPECT_TRUE(verify(spec, factory_of(testing::strange_alpha_in_last_rows()), options).holds);
}

// Where few summands alone are wrong for other alpha than 1, the others are covered for any alpha.
TEST(MatrixCapture, FewSummandsAreLeftOutRatherThanAlpha) {
  const auto options = options_for(spec::Routine::gemm, spec::Type::f64);
  const auto planted = factory_of(testing::strange_alpha_of_one_summand());
  spec::Spec spec = capture(planted, options);
  spec::canonicalize(spec);
  for (const spec::Entry& entry : spec.entries) EXPECT_FALSE(entry.guard.alpha_one);
  spec::Context context;
  context.routine = spec::Routine::gemm;
  context.type = spec::Type::f64;
  for (const auto trans : {spec::Trans::no, spec::Trans::yes}) {
    context.trans_a = trans;
    const auto is_covered = [&](const spec::Shape3& shape) {
      context.shape = shape;
      return spec::find(spec, context) != nullptr;
    };
    EXPECT_TRUE(is_covered({50, 9, 2}) && is_covered({48, 9, 1})) << refusals(spec);
    EXPECT_FALSE(is_covered({50, 9, 1}));
  }
  const VerifyReport report = verify(spec, planted, options);
  EXPECT_TRUE(report.holds) << report.first[0].context;
}

TEST(MatrixCapture, CoversAlphaOneWhereNoRuleSaysWhereAlphaActs) {
  for (const auto type : {spec::Type::f32, spec::Type::f64}) {
    auto options = options_for(spec::Routine::gemm, type);
    options.time_limit_s = 4;
    spec::Spec spec = capture(factory_of(testing::scattered_alpha()), options);
    spec::canonicalize(spec);
    spec::Context context;
    context.routine = spec::Routine::gemm;
    context.type = type;
    for (const spec::Shape3 shape : {spec::Shape3{1, 1, 1}, {7, 5, 49}, {96, 30, 40}}) {
      context.shape = shape;
      const spec::Entry* entry = spec::find(spec, context);
      ASSERT_NE(entry, nullptr) << refusals(spec);
      EXPECT_TRUE(entry->guard.alpha_one);
      EXPECT_TRUE(spec::regions(entry->regimes, shape));
    }
    EXPECT_TRUE(verify(spec, factory_of(testing::scattered_alpha()), options).holds);
  }
}

// Another order where alpha is -1 alone, as in a subtraction with code of its own: what alpha = 1
// does is kept.
TEST(MatrixCapture, KeepsAlphaOneWhereAnotherAlphaHasAnOrderOfItsOwn) {
  const MatrixFunction subtracts_otherwise = [](const Call& call, std::int64_t, std::int64_t,
                                                const double* a, const double* b, double alpha,
                                                double beta, double c) {
    return alpha == -1 ? testing::two_lanes<double>(alpha, beta, c, call.k, a, b)
                       : testing::blocked<double>(alpha, beta, c, call.k, a, b, 48);
  };
  for (const auto routine : {spec::Routine::gemv, spec::Routine::gemm}) {
    const auto options = options_for(routine, spec::Type::f64);
    spec::Spec spec = capture(factory_of(subtracts_otherwise), options);
    spec::canonicalize(spec);
    spec::Context context;
    context.routine = routine;
    context.type = spec::Type::f64;
    context.shape = {7, routine == spec::Routine::gemv ? 1 : 5, 100};
    const spec::Entry* entry = spec::find(spec, context);
    ASSERT_NE(entry, nullptr) << refusals(spec);
    EXPECT_TRUE(entry->guard.alpha_one);
    EXPECT_TRUE(spec::regions(entry->regimes, context.shape));
    EXPECT_TRUE(verify(spec, factory_of(subtracts_otherwise), options).holds);
  }
}

TEST(MatrixCapture, CapturesWhatIsAskedFor) {
  auto options = options_for(spec::Routine::gemm, spec::Type::f64);
  options.transposes = {{spec::Trans::no, spec::Trans::yes}};
  options.alpha_one = true;
  for (const auto& planted : {testing::scattered_alpha(), testing::rows_by_four()}) {
    const spec::Spec spec = capture(factory_of(planted), options);
    ASSERT_FALSE(spec.entries.empty()) << refusals(spec);
    for (const spec::Entry& entry : spec.entries) {
      EXPECT_TRUE(entry.guard.alpha_one);
      EXPECT_EQ(entry.guard.trans_a, spec::Trans::no);
      EXPECT_EQ(entry.guard.trans_b, spec::Trans::yes);
    }
    EXPECT_TRUE(verify(spec, factory_of(planted), options).holds);
  }
}

// Most shapes of a gemv have rules for any alpha; alpha = 1 is looked at for the others.
TEST(MatrixCapture, CoversAlphaOneOfAVectorWhereOtherAlphaHideFewRules) {
  auto options = options_for(spec::Routine::gemv, spec::Type::f64);
  options.time_limit_s = 20;
  const testing::MatrixFunction planted =
      [plain = testing::rows_by_four(), scattered = testing::scattered_alpha()](
          const Call& call, std::int64_t i, std::int64_t j, const double* a, const double* b,
          double alpha, double beta,
          double c) { return (call.m > 64 ? scattered : plain)(call, i, j, a, b, alpha, beta, c); };
  spec::Spec spec = capture(factory_of(planted), options);
  spec::canonicalize(spec);
  spec::Context context = f64_gemv();
  for (std::int64_t m = 1; m <= 96; ++m) {
    context.shape = {m, 1, 1 + 37 * m % 199};
    const spec::Entry* entry = spec::find(spec, context);
    ASSERT_NE(entry, nullptr) << refusals(spec);
    EXPECT_TRUE(spec::regions(entry->regimes, context.shape)) << m;
  }
  EXPECT_TRUE(verify(spec, factory_of(planted), options).holds);
}

// alpha is rounded into the factors of the smaller operand, which no condition on a shape says: the
// words of small sizes do, each with types of its own.
TEST(MatrixCapture, CoversSmallVectorsWhereAlphaActsOnTheSmaller) {
  auto options = options_for(spec::Routine::gemv, spec::Type::f64);
  options.time_limit_s = 20;
  const testing::MatrixFunction planted = [plain = testing::rows_by_four()](
                                              const Call& call, std::int64_t i, std::int64_t j,
                                              const double* a, const double* b, double alpha,
                                              double beta, double c) {
    if (alpha == 0 || call.m <= call.k) return plain(call, i, j, a, b, alpha, beta, c);
    std::vector<double> scaled(b, b + call.k);
    for (double& factor : scaled) factor *= alpha;
    return plain(call, i, j, a, scaled.data(), 1, beta, c);
  };
  spec::Spec spec = capture(factory_of(planted), options);
  spec::canonicalize(spec);
  spec::Context context = f64_gemv();
  int any = 0;
  for (std::int64_t m = 1; m <= 64; ++m)
    for (std::int64_t k = 1; k <= 64; ++k) {
      context.shape = {m, 1, k};
      const spec::Entry* entry = spec::find(spec, context);
      ASSERT_NE(entry, nullptr) << m << " " << k << " " << refusals(spec);
      any += !entry->guard.alpha_one;
    }
  EXPECT_GT(any, 64 * 64 * 3 / 4) << refusals(spec);
  EXPECT_TRUE(verify(spec, factory_of(planted), options).holds);
}

TEST(MatrixCapture, DoesNotCoverInfinitiesWhereZerosAreSkipped) {
  const auto options = options_for(spec::Routine::gemv, spec::Type::f64);
  const spec::Spec spec = capture(factory_of(testing::skips_zeros()), options);
  ASSERT_FALSE(spec.entries.empty()) << refusals(spec);
  for (const spec::Entry& entry : spec.entries) {
    EXPECT_TRUE(entry.guard.finite_only != entry.guard.nonzero_only);
    EXPECT_TRUE(spec::regions(entry.regimes, {50, 1, 1}));
  }
  spec::Context context = f64_gemv();
  context.shape = {50, 1, 1};
  context.has_zero = true;
  EXPECT_NE(spec::find(spec, context), nullptr);
  context.has_special = true;
  EXPECT_EQ(spec::find(spec, context), nullptr);
  context.has_zero = false;
  EXPECT_NE(spec::find(spec, context), nullptr);
}

// Where no rule says which zeros are left out, data without zeros have an order nevertheless; other
// shapes have one for all data.
TEST(MatrixCapture, CoversDataWithoutZerosWhereSomeAreLeftOutByTheShape) {
  const auto options = options_for(spec::Routine::gemv, spec::Type::f64);
  const auto planted = factory_of(testing::skips_zeros_by_the_shape());
  spec::Spec spec = capture(planted, options);
  spec::canonicalize(spec);
  spec::Context context = f64_gemv();
  for (std::int64_t m = 8; m <= 96; ++m) {
    context.shape = {m, 1, 9 + 37 * m % 180};
    context.has_zero = context.has_special = false;
    ASSERT_NE(spec::find(spec, context), nullptr) << m << refusals(spec);
    context.has_special = true;
    EXPECT_NE(spec::find(spec, context), nullptr) << m;
    context.has_zero = true;
    EXPECT_EQ(spec::find(spec, context) != nullptr, m % 2 == 0) << m;
  }
  EXPECT_TRUE(verify(spec, planted, options).holds);
}

// y := alpha*(A*x) + beta*y for every beta, as CLBlast computes it.
TEST(MatrixCapture, SaysThatCIsMultipliedByABetaOfZero) {
  const auto planted = factory_of([](const Call& call, std::int64_t, std::int64_t, const double* a,
                                     const double* b, double alpha, double beta, double c) {
    double sum = 0;
    for (std::int64_t p = 0; p < call.k; ++p) sum = std::fma(a[p], b[p], sum);
    return alpha * sum + beta * c;
  });
  auto options = options_for(spec::Routine::gemv, spec::Type::f64);
  options.transposes = {{spec::Trans::no, spec::Trans::no}};
  const spec::Spec spec = capture(planted, options);
  ASSERT_EQ(spec.entries.size(), 1U) << refusals(spec);
  for (const spec::MatrixRegime& regime : spec.entries[0].regimes)
    for (const spec::MatrixClass& output : regime.classes)
      EXPECT_EQ(output.beta_zero, spec::MatrixClass::BetaZero::multiply);
  EXPECT_FALSE(spec.entries[0].guard.finite_only);
  EXPECT_EQ(spec::to_json(spec::from_json(spec::to_json(spec))), spec::to_json(spec));
  EXPECT_TRUE(verify(spec, planted, options).holds);
}

TEST(MatrixCapture, RefusesWhatHasNoOrderAndWhatHasNoRule) {
  auto options = options_for(spec::Routine::gemm, spec::Type::f32);
  const spec::Spec exact = capture(factory_of(testing::exact_product()), options);
  EXPECT_TRUE(exact.entries.empty());
  ASSERT_FALSE(exact.refusals.empty());
  const std::string& context = exact.refusals.front().context;  // whose order, of which shapes
  EXPECT_NE(context.find(" threads=1 for every shape, outputs such as ("), std::string::npos)
      << context;
  options.routines = {{spec::Routine::gemm, spec::Type::f64}};
  options.time_limit_s = 1;
  const spec::Spec scattered = capture(factory_of(testing::scattered()), options);
  EXPECT_TRUE(scattered.entries.empty());
  ASSERT_FALSE(scattered.refusals.empty());
  for (const spec::Refusal& refusal : scattered.refusals) {
    EXPECT_EQ(refusal.reason, "unknown_region");
    EXPECT_NE(refusal.context.find(" threads=1"), std::string::npos) << refusal.context;
  }
}

TEST(MatrixCapture, CoversSmallProductsWhereLargeOnesHaveNoRule) {
  auto options = options_for(spec::Routine::gemm, spec::Type::f64);
  options.time_limit_s = 4;
  options.small_products = 64;
  const auto planted = factory_of(testing::scattered_beyond(3000));
  const spec::Spec spec = capture(planted, options);
  int whole = 0;
  for (const spec::Entry& entry : spec.entries) {
    if (entry.m_max == 1 || entry.n_max == 1) continue;  // captured apart where long ones have none
    ++whole;
    for (const spec::Shape3 shape : {spec::Shape3{2, 2, 1}, {7, 19, 20}, {16, 9, 20}})
      EXPECT_TRUE(spec::regions(entry.regimes, shape).has_value());
    for (const spec::Shape3 shape : {spec::Shape3{20, 20, 20}, {60, 50, 3}, {90, 90, 150}})
      EXPECT_FALSE(spec::regions(entry.regimes, shape).has_value());
  }
  EXPECT_EQ(whole, 4) << refusals(spec);
  EXPECT_TRUE(verify(spec, planted, options).holds);
}

// Rules of nearly all small products also serve alpha = 1, so they are not looked at once more.
TEST(MatrixCapture, LooksAtAllSmallProductsOnce) {
  auto options = options_for(spec::Routine::gemm, spec::Type::f64);
  options.time_limit_s = 4;
  options.small_products = 24;
  options.progress = [](const Progress& progress) {
    EXPECT_FALSE(progress.stage.ends_with("regions with alpha = 1")) << progress.stage;
  };
  const testing::MatrixFunction planted =
      [small = testing::rows_by_four(), large = testing::scattered()](
          const Call& call, std::int64_t i, std::int64_t j, const double* a, const double* b,
          double alpha, double beta, double c) {
        const bool is_small = std::max({call.m, call.n, call.k}) <= 24;
        return (is_small ? small : large)(call, i, j, a, b, alpha, beta, c);
      };
  const spec::Spec spec = capture(factory_of(planted), options);
  const auto covers = [](const spec::Entry& entry) {
    return spec::regions(entry.regimes, {23, 19, 20}).has_value();
  };
  EXPECT_EQ(std::count_if(spec.entries.begin(), spec.entries.end(), covers), 4) << refusals(spec);
}

// One product of TT differs from NN, which samples of small products miss: NN's rules may not hold
// there.
TEST(MatrixCapture, SmallProductsOfAnotherContextAreAllCompared) {
  auto options = options_for(spec::Routine::gemm, spec::Type::f64);
  options.transposes = {{spec::Trans::no, spec::Trans::no}, {spec::Trans::yes, spec::Trans::yes}};
  options.small_products = 24;
  const testing::MatrixFunction planted = [plain = testing::rows_by_four()](
                                              const Call& call, std::int64_t i, std::int64_t j,
                                              const double* a, const double* b, double alpha,
                                              double beta, double c) {
    const bool is_odd = call.trans_a == spec::Trans::yes && call.k == 19 &&
                        std::minmax(call.m, call.n) == std::minmax<std::int64_t>(21, 23);
    return is_odd ? testing::two_lanes<double>(alpha, beta, c, call.k, a, b)
                  : plain(call, i, j, a, b, alpha, beta, c);
  };
  const spec::Spec spec = capture(factory_of(planted), options);
  FunctionTarget target(planted);
  bool covers_nn = false;
  for (const spec::Entry& entry : spec.entries) {
    covers_nn |= entry.guard.trans_a == spec::Trans::no &&
                 spec::regions(entry.regimes, {23, 21, 19}).has_value();
    const Call call =
        call_without_sizes(entry.routine, entry.type, entry.guard.trans_a, entry.guard.trans_b);
    const std::vector<spec::Shape3> odd(40, {23, 21, 19});
    const auto result = check_matrices(target, call, entry.regimes, spec.orders, odd, {});
    EXPECT_FALSE(result.wrong) << result.wrong->mismatch.context;
  }
  EXPECT_TRUE(covers_nn) << refusals(spec);
}

// A regime that was given up stands before others and must still be read back.
TEST(MatrixCapture, SpecsWithARegimeThatCoversNothingAreValid) {
  spec::Spec spec = spec::samples::skylakex_dgemm();
  spec::Entry& entry = spec.entries.at(0);
  ASSERT_EQ(entry.regimes.size(), 3u);
  cover_nothing(entry.regimes[1]);
  spec::canonicalize(spec);
  const spec::Spec read = spec::from_json(spec::to_json(spec));
  const auto& regimes = read.entries.at(0).regimes;
  std::string why;
  EXPECT_FALSE(spec::regions(regimes, {100, 100, 10}, &why).has_value());
  EXPECT_NE(why, "");
  EXPECT_TRUE(spec::regions(regimes, {30, 40, 10}).has_value());
  EXPECT_TRUE(spec::regions(regimes, {300, 300, 300}).has_value());
}

TEST(MatrixCapture, ARegimeThatDecidedNoShapeIsNotCovered) {
  spec::Entry entry = spec::samples::skylakex_dgemm().entries.at(0);
  ASSERT_EQ(entry.regimes.size(), 3u);
  const auto covered = [&](const spec::Shape3& shape) {
    return spec::regions(entry.regimes, shape).has_value();
  };
  const std::vector<spec::Shape3> tried{{30, 40, 10}, {300, 300, 300}};
  const spec::Shape3 left_out{100, 100, 10};
  EXPECT_EQ(deciding_regime(entry.regimes, left_out), 1);
  EXPECT_TRUE(covered(left_out));
  cover_only_tried(entry.regimes, tried);
  EXPECT_FALSE(covered(left_out));
  EXPECT_TRUE(covered(tried[0]) && covered(tried[1]));
}

// Beside an output that is not covered the others of a shape were not compared either.
TEST(MatrixCapture, AClassThatWasNotComparedIsNotCovered) {
  spec::MatrixRegime regime;
  // Two kinds of rows, the last one and those before it.
  regime.rows = {{1, 96, 2, 1, {{{{1, 0}, {{0, {1, 0}}}}}}, {}}};
  regime.rows[0].schemas = {{{{1, 0}, {{1, {1, 1}}, {0, {1, 0}}}}}};
  regime.columns = {spec::samples::uniform(96)};
  regime.table = {{0}, {1}};
  regime.classes = {{0, {}, {}}, {1, {}, {}}};
  regime.k_max = 200;
  std::vector<spec::MatrixRegime> regimes{regime};
  const auto covered = [&](const spec::Shape3& shape) {
    return spec::regions(regimes, shape).has_value();
  };
  const std::vector<spec::Shape3> one_row{{1, 20, 30}}, more{{1, 20, 30}, {5, 4, 30}};
  cover_only_tried(regimes, more);
  EXPECT_TRUE(covered({1, 9, 50}) && covered({7, 9, 50}));
  cover_only_tried(regimes, one_row);
  EXPECT_TRUE(covered({1, 9, 50}));
  EXPECT_FALSE(covered({7, 9, 50}));
}

}  // namespace
}  // namespace reprosum::reveal
