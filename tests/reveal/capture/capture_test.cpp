// capture() and verify() on boxes whose order, or lack of one, is known.
#include "reveal/capture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <memory>

#include "reveal/capture/alignment.h"
#include "reveal/capture/merge.h"
#include "reveal/check/replay_check.h"
#include "reveal/target/core_set.h"
#include "reveal/target/function_target.h"
#include "reveal/target/wrapped_target.h"
#include "spec/evaluate/evaluate_type.h"
#include "spec/evaluate/replay.h"
#include "spec/evaluate/replay_matrix.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/reveal/target/refusing_targets.h"

namespace reprosum::reveal {
namespace {

using Function = FunctionTarget::Function;

TargetFactory factory(const Function& function) {
  return [function](int) { return std::make_unique<FunctionTarget>(function); };
}

CaptureOptions small_options(spec::Routine routine, spec::Type type) {
  CaptureOptions options;
  options.routines = {{routine, type}};
  options.increments = {{1, 1}};
  options.n_max = 20000;
  options.random_vectors = 500;
  options.every_size_to = 300;
  return options;
}

// A plain sum that notes where it is told to run, and where it is asked from.
struct Moves {
  FunctionTarget sum{testing::sequential()};
  std::vector<CoreSet> told, asked_from;
};
class MovedTarget final : public WrappedTarget {
 public:
  explicit MovedTarget(Moves& seen) : WrappedTarget(seen.sum), seen_(seen) {}
  std::vector<double> run(const Batch& batch) override {
    seen_.asked_from.push_back(CoreSet::of_this_thread());
    return target_.run(batch);
  }
  void keep_to(const CoreSet& cores) override { seen_.told.push_back(cores); }

 private:
  Moves& seen_;
};

// Each worker and its targets share its part of the cores, until it is the last one.
TEST(Capture, WorkersKeepToTheirCores) {
  const CoreSet all = CoreSet::of_this_thread();
  for (const int workers : {1, 2}) {
    std::deque<Moves> seen;
    CaptureOptions options = small_options(spec::Routine::sum, spec::Type::f32);
    options.routines.emplace_back(spec::Routine::sum, spec::Type::f64);
    options.workers = workers;
    capture([&](int) { return std::make_unique<MovedTarget>(seen.emplace_back()); }, options);
    EXPECT_EQ(CoreSet::of_this_thread(), all);
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(workers));
    for (std::size_t k = 0; k < seen.size(); ++k) {
      const Moves& one = seen[k];
      const CoreSet part = all.part(k, static_cast<std::size_t>(workers));
      for (const CoreSet& from : one.asked_from) EXPECT_TRUE(from == part || from == all);
      if (workers == 1) {
        EXPECT_TRUE(one.told.empty());
        continue;
      }
      ASSERT_FALSE(one.told.empty());
      EXPECT_EQ(one.told.front(), part);
      EXPECT_LE(one.told.size(), 2u);
      EXPECT_EQ(one.told.back(), one.told.size() == 1 ? part : all);
      if (!one.asked_from.empty()) {
        EXPECT_EQ(one.asked_from.front(), part);
      }
    }
  }
}

struct Refusing {
  const char* name;
  Function function;
  std::vector<std::string> reasons;  // any of these is right
};

class MustBeRefused : public ::testing::TestWithParam<std::pair<spec::Routine, spec::Type>> {};

TEST_P(MustBeRefused, WithTheRightReasonAndNoSpec) {
  const auto [routine, type] = GetParam();
  const std::vector<Refusing> boxes{
      {"exact", testing::exact(), {"exact"}},
      {"kahan", testing::kahan(), {"compensated"}},
      {"neumaier", testing::neumaier(), {"compensated"}},
      {"shuffled", testing::shuffled(7), {"not_deterministic"}},
      {"sorted up", testing::sorted_by_magnitude(true), {"input_dependent"}},
      {"sorted down", testing::sorted_by_magnitude(false), {"input_dependent"}},
      {"hash", testing::hash_of_inputs(), {"not_a_sum"}},
      {"constant", testing::constant(3), {"not_a_sum"}},
      {"NaN", testing::constant(NAN), {"not_a_sum"}},
      {"first only", testing::first_element_only(), {"not_a_sum"}},
      {"reversed by sign",
       testing::reversed_where_negative_first(),
       {"input_dependent", "not_a_tree", "unknown_arithmetic"}},
  };
  for (const Refusing& box : boxes) {
    SCOPED_TRACE(box.name);
    const spec::Spec spec = capture(factory(box.function), small_options(routine, type));
    EXPECT_TRUE(spec.entries.empty());
    ASSERT_EQ(spec.refusals.size(), 1u);
    EXPECT_NE(std::find(box.reasons.begin(), box.reasons.end(), spec.refusals[0].reason),
              box.reasons.end())
        << spec.refusals[0].reason << ": " << spec.refusals[0].detail;
  }
}

INSTANTIATE_TEST_SUITE_P(Boxes, MustBeRefused,
                         ::testing::Values(std::pair{spec::Routine::sum, spec::Type::f64},
                                           std::pair{spec::Routine::sum, spec::Type::f32},
                                           std::pair{spec::Routine::dot, spec::Type::f64},
                                           std::pair{spec::Routine::dot, spec::Type::f32}),
                         [](const auto& info) {
                           return spec::blas_name(info.param.first, info.param.second);
                         });

TEST(Capture, SequentialAndPairwise) {
  for (const bool pairs : {false, true}) {
    const auto options = small_options(spec::Routine::dot, spec::Type::f32);
    const Function function = pairs ? testing::pairwise() : testing::sequential();
    const spec::Spec spec = capture(factory(function), options);
    ASSERT_EQ(spec.entries.size(), 1u) << (spec.refusals.empty() ? "" : spec.refusals[0].detail);
    const spec::Entry& entry = spec.entries[0];
    EXPECT_EQ(spec::most_summands(entry), options.n_max);
    EXPECT_TRUE(entry.guard.addresses.is_any());
    EXPECT_GE(entry.certificate.outputs_checked, options.random_vectors);
    EXPECT_EQ(entry.certificate.repetitions, 20);
    EXPECT_FALSE(entry.certificate.all_nodes.empty());
    const VerifyReport report = verify(spec, factory(function), options);
    EXPECT_TRUE(report.holds);
    EXPECT_GT(report.vectors, 300);
  }
}

TEST(Verify, FindsTheOtherOrder) {
  const auto options = small_options(spec::Routine::sum, spec::Type::f64);
  const spec::Spec spec = capture(factory(testing::sequential()), options);
  ASSERT_EQ(spec.entries.size(), 1u);
  const VerifyReport report = verify(spec, factory(testing::pairwise()), options);
  EXPECT_FALSE(report.holds);
  ASSERT_EQ(report.first.size(), 1u);
  EXPECT_NE(report.first[0].context.find("dsum n="), std::string::npos);
}

constexpr const char* kFusedFour = "1..300: loop 1 { 0: fused(terms=4) [0 f@0 +1 x q]; }";

// The tests of single nodes know none that fuses several terms: a spec that held was an error.
TEST(Verify, TakesNodesThatFuseSeveralTerms) {
  auto options = small_options(spec::Routine::dot, spec::Type::f32);
  options.n_max = 300;
  spec::Spec spec = capture(factory(testing::sequential()), options);
  ASSERT_EQ(spec.entries.size(), 1u);
  const spec::Order order = spec::parse_order(kFusedFour);
  spec.orders.at(spec::order_of(spec.entries[0])) = order;
  const auto of_terms = [](const spec::Order& by) {
    return factory([by](const Call& call, const double* x, const double* y) {
      return spec::evaluate_in(spec::Type::f32, by, call.k, x, y);
    });
  };
  const VerifyReport same = verify(spec, of_terms(order), options);
  EXPECT_TRUE(same.holds) << (same.first.empty() ? "" : same.first[0].context);
  EXPECT_GT(same.vectors, 300);
  const spec::Order five =
      spec::parse_order("1..300: loop 1 { 0: fused(terms=5) [0 f@0 +1 x q]; }");
  EXPECT_FALSE(verify(spec, of_terms(five), options).holds);
}

TEST(Verify, SaysThatProductsWithSuchNodesAreNotTested) {
  auto options = small_options(spec::Routine::gemm, spec::Type::f32);
  spec::Spec spec;
  spec.orders = {spec::parse_order(kFusedFour)};
  spec::Entry entry;
  entry.routine = spec::Routine::gemm;
  entry.guard.threads = {1};
  spec::MatrixRegime regime;
  regime.classes = {{0, {}, {}}};
  entry.regimes = {regime};
  spec.entries = {entry};
  const VerifyReport report = verify(spec, factory(testing::sequential()), options);
  EXPECT_FALSE(report.holds);
  ASSERT_EQ(report.skipped.size(), 1u);
  EXPECT_NE(report.skipped[0].find("fuse several terms"), std::string::npos) << report.skipped[0];
}

// Order from the thread count and from the increments: reversed when incx is negative.
Function by_context(int threads) {
  return [threads](const Call& call, const double* x, const double* y) {
    Call plain = call;
    if (threads > 1 && call.k > 1000) {
      const std::int64_t half = call.k / 2;
      plain.k = half;
      const double left = testing::sequential()(plain, x, y);
      plain.k = call.k - half;
      return left + testing::sequential()(plain, x + half, y + half);
    }
    if (call.incx >= 0) return testing::sequential()(plain, x, y);
    std::vector<double> xs(x, x + call.k), ys(y, y + call.k);
    std::reverse(xs.begin(), xs.end());
    std::reverse(ys.begin(), ys.end());
    return testing::sequential()(plain, xs.data(), ys.data());
  };
}

TEST(Capture, ContextsThatShareAnOrderShareAnEntry) {
  auto options = small_options(spec::Routine::dot, spec::Type::f64);
  options.increments = {{1, 1}, {2, 1}, {-1, 1}, {1, -1}, {0, 1}, {1, 0}, {0, 0}};
  options.threads = {1, 2};
  const TargetFactory open = [](int threads) {
    return std::make_unique<FunctionTarget>(by_context(threads));
  };
  const spec::Spec spec = capture(open, options);
  for (const auto& refusal : spec.refusals) ADD_FAILURE() << refusal.context << refusal.detail;
  spec::Context context =
      spec::vector_call(spec::Routine::dot, spec::Type::f64, 5000, 1, 1, 1, 0, 0);
  std::string why;
  const spec::Entry* plain = spec::find(spec, context, &why);
  ASSERT_NE(plain, nullptr) << why;
  context.incx = 2;
  EXPECT_EQ(spec::order_of(*spec::find(spec, context)), spec::order_of(*plain));
  context.incx = -1;
  const spec::Entry* reversed = spec::find(spec, context);
  ASSERT_NE(reversed, nullptr);
  EXPECT_NE(spec::order_of(*reversed), spec::order_of(*plain));
  context.incx = 1;
  context.threads = 2;
  ASSERT_NE(spec::find(spec, context), nullptr);
  EXPECT_NE(spec::order_of(*spec::find(spec, context)), spec::order_of(*plain));
  EXPECT_EQ(spec.orders.size(), 4u);  // two directions, with and without the halves
  context.incy = 3;
  EXPECT_EQ(spec::find(spec, context), nullptr);
}

// Peels summands until x is on a 32-byte boundary, as aligned kernels do.
double peeling(const Call& call, const double* x, const double* y) {
  const std::int64_t peel = std::min<std::int64_t>(call.k, (32 - call.align_a % 32) % 32 / 8);
  std::vector<double> xs(x + peel, x + call.k), ys(y + peel, y + call.k);
  xs.insert(xs.end(), x, x + peel);
  ys.insert(ys.end(), y, y + peel);
  return testing::sequential()(call, xs.data(), ys.data());
}

TEST(Capture, AddressesBecomeAGuard) {
  auto options = small_options(spec::Routine::dot, spec::Type::f64);
  FunctionTarget target(peeling);
  const AlignmentClasses classes =
      alignment_classes(target, {spec::Routine::dot, spec::Type::f64}, true, 1);
  EXPECT_EQ(classes.modulus, 32);
  EXPECT_EQ(classes.classes.size(), 4u);
  EXPECT_EQ(classes.classes[0].front(), (std::pair{0, 0}));
  const spec::Spec spec = capture(factory(peeling), options);
  EXPECT_TRUE(spec.refusals.empty()) << spec.refusals[0].detail;
  ASSERT_EQ(spec.entries.size(), 4u);
  spec::Context context =
      spec::vector_call(spec::Routine::dot, spec::Type::f64, 100, 1, 1, 1, 40, 16);
  const spec::Entry* entry = spec::find(spec, context);
  ASSERT_NE(entry, nullptr);
  // Address 40 = 8 modulo 32: three summands are peeled and come last.
  // (((3 + 4) + 0) + 1) + 2, with the least summand of each node first:
  const spec::Tree tree = spec::expand(spec.orders[spec::order_of(*entry)], 5);
  EXPECT_EQ(tree.ops[0].index, 0u);
  EXPECT_EQ(tree.ops[1].index, 3u);
  EXPECT_EQ(tree.ops[2].index, 4u);
}

// A spec that speaks of all addresses, or of some, is tried at all of those.
TEST(Verify, TriesTheAddressesOfAnEntry) {
  const auto options = small_options(spec::Routine::dot, spec::Type::f64);
  const spec::Spec plain = capture(factory(testing::sequential()), options);
  ASSERT_EQ(plain.entries.size(), 1u);
  const Function unlike_at_40 = [](const Call& call, const double* x, const double* y) {
    return call.align_a % 64 == 40 ? testing::pairwise()(call, x, y)
                                   : testing::sequential()(call, x, y);
  };
  const VerifyReport report = verify(plain, factory(unlike_at_40), options);
  EXPECT_FALSE(report.holds);
  ASSERT_EQ(report.first.size(), 1u);
  // It names the call as it was placed.
  const std::string& context = report.first[0].context;
  const std::size_t placed = context.find(", as ddot"), at = context.rfind("align=(");
  ASSERT_NE(placed, std::string::npos) << context;
  ASSERT_GT(at, placed) << context;
  EXPECT_EQ(std::stoi(context.substr(at + 7)) % 64, 40) << context;

  const spec::Spec by_address = capture(factory(peeling), options);
  EXPECT_TRUE(verify(by_address, factory(peeling), options).holds);
  const Function unlike_at_48 = [](const Call& call, const double* x, const double* y) {
    return call.align_a % 64 == 48 ? testing::pairwise()(call, x, y) : peeling(call, x, y);
  };
  EXPECT_FALSE(verify(by_address, factory(unlike_at_48), options).holds);
}

// A target that chooses addresses itself is tried at those.
TEST(Verify, NeedsNoAddressesOfATargetThatChoosesThem) {
  const auto options = small_options(spec::Routine::dot, spec::Type::f64);
  const spec::Spec spec = capture(factory(testing::sequential()), options);
  const Function choosing = [](const Call& call, const double* x, const double* y) {
    if (call.align_a != 0 || call.align_b != 0) throw TargetError("declined", "no addresses");
    return testing::sequential()(call, x, y);
  };
  EXPECT_TRUE(verify(spec, factory(choosing), options).holds);
}

TEST(Capture, CrashesAndMissingRoutinesAreRefusals) {
  auto options = small_options(spec::Routine::dot, spec::Type::f64);
  const Function dying = [](const Call&, const double*, const double*) -> double {
    throw TargetError("crashed", "the library died of signal 11");
  };
  spec::Spec spec = capture(factory(dying), options);
  ASSERT_EQ(spec.refusals.size(), 1u);
  EXPECT_EQ(spec.refusals[0].reason, "crashed");
  const TargetFactory sums_only = [](int) {
    return std::make_unique<FunctionTarget>(
        testing::sequential(), std::vector{std::pair{spec::Routine::sum, spec::Type::f64}});
  };
  spec = capture(sums_only, options);
  ASSERT_EQ(spec.refusals.size(), 1u);
  EXPECT_EQ(spec.refusals[0].reason, "missing_symbol");
}

TEST(Capture, ImpossibleOptionsAreTheUsersError) {
  auto options = small_options(spec::Routine::dot, spec::Type::f64);
  options.threads.clear();
  EXPECT_THROW(capture(factory(testing::sequential()), options), UserError);
}

TEST(Plan, HoldsSmallSizesThresholdsAndTheLargest) {
  const spec::Order order =
      capture(factory(testing::sequential()), small_options(spec::Routine::sum, spec::Type::f64))
          .orders.at(0);
  const auto plan = plan_sizes(order, 20000, 500, 10'000'000, 1);
  std::int64_t vectors = 0;
  std::vector<std::int64_t> sizes;
  for (const SizePlan& size : plan) {
    vectors += size.rows;
    sizes.push_back(size.n);
  }
  EXPECT_GE(vectors, 400);
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
  for (std::int64_t n = 1; n <= 96; ++n)
    EXPECT_TRUE(std::binary_search(sizes.begin(), sizes.end(), n)) << n;
  EXPECT_EQ(sizes.back(), 20000);
}

TEST(Merge, OnlyProductsShareAnEntry) {
  spec::Spec spec;
  spec.orders.resize(1);
  CapturedContext context;
  context.certificate.outputs_checked = 5;
  std::vector<CapturedContext> contexts;
  for (const int threads : {1, 2})
    for (const std::int64_t incx : {1, 2}) {
      context.guard = spec::vector_guard({{incx, 1}}, {threads});
      if (threads == 1 || incx == 1) contexts.push_back(context);
    }
  const CapturedRules rules{{spec::regime_of_one_output(0, 100)}, {}};
  append_entries(spec::Routine::dot, spec::Type::f64, contexts, {rules}, spec);
  ASSERT_EQ(spec.entries.size(), 2u);  // ({1,2} x {1}) and ({1} x {2})
  EXPECT_EQ(
      spec.entries[0].certificate.outputs_checked + spec.entries[1].certificate.outputs_checked,
      15);
}

}  // namespace
}  // namespace reprosum::reveal
