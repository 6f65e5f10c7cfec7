// Classes of increments: found by their bits, certified with increments drawn from them, and parted
// or refused where a library tells more of them apart.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "reveal/capture/increment_classes.h"
#include "reveal/check/replay_check.h"
#include "tests/reveal/capture/planted_captures.h"

namespace reprosum::reveal {
namespace {

using spec::IncrementRange;
using Function = FunctionTarget::Function;
using Differs = std::function<bool(const Call& call)>;  // of sum, y is 0

const std::vector<spec::Increments> kAny = CaptureOptions{}.increments;

// One after the other; where `differs` holds, from the last summand to the first.
Function backwards_where(const Differs& differs) {
  return [differs](const Call& call, const double* x, const double* y) {
    const bool sum = call.routine == spec::Routine::sum;
    Call asked = call;
    if (sum) asked.incy = asked.align_b = 0;
    const bool back = differs(asked);
    double total = 0;
    for (std::int64_t k = 0; k < call.k; ++k) {
      const std::int64_t at = back ? call.k - 1 - k : k;
      total += sum ? x[at] : x[at] * y[at];
    }
    return total;
  };
}

struct Planted {
  const char* name;
  Differs differs;
  bool whole;             // every increment is covered
  bool of_pairs = false;  // of dot alone
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

// A habit that depends on increments alone.
Planted of_increments(const char* name, std::function<bool(std::int64_t x, std::int64_t y)> differs,
                      bool whole) {
  return {name, [differs](const Call& call) { return differs(call.incx, call.incy); }, whole};
}

class IncrementsTest : public ::testing::TestWithParam<Planted> {};

CaptureOptions options_for(spec::Routine routine) {
  CaptureOptions options = testing::options_with_replay();
  options.routines = {{routine, spec::Type::f64}};
  options.n_max = 3000;
  options.random_vectors = 200;
  options.every_size_to = 600;
  return options;
}

// What is covered is right at increments that no capture has seen; what is not is named.
TEST_P(IncrementsTest, AreCertifiedRightlyOrRefused) {
  const Planted& planted = GetParam();
  for (const spec::Routine routine : {spec::Routine::dot, spec::Routine::sum}) {
    if (planted.of_pairs && routine == spec::Routine::sum) continue;
    const Function function = backwards_where(planted.differs);
    const spec::Spec spec = capture([&](int) { return std::make_unique<FunctionTarget>(function); },
                                    options_for(routine));
    FunctionTarget target(function);
    std::int64_t covered = 0, asked = 0;
    FastRandom random(77);
    const auto increment = [&] {
      constexpr std::int64_t kSome[] = {1,  2,   3,   4,    5,    63,   64,
                                        65, 128, 999, 1000, 1001, 4096, 9973};
      const std::int64_t size =
          random.below(2) == 0 ? 1 + random.below(9999) : kSome[random.below(std::ssize(kSome))];
      return random.below(3) == 0 ? -size : size;
    };
    for (int turn = 0; turn < 6000; ++turn) {
      Call call{routine, spec::Type::f64};
      call.k = random.below(4) > 0 ? 2 + random.below(200) : 200 + random.below(2800);
      call.incx = increment();
      const std::int64_t x = call.incx, related[] = {x, x + 1, -x, x / 2, increment(), increment()};
      call.incy = related[random.below(std::ssize(related))];
      if (call.incy == 0) call.incy = 1;
      call.align_a = static_cast<int>(8 * random.below(8));
      call.align_b = static_cast<int>(8 * random.below(8));
      const spec::Context context = spec::vector_call(call.routine, call.type, call.k, call.incx,
                                                      call.incy, 1, call.align_a, call.align_b);
      ++asked;
      const spec::Entry* entry = spec::find(spec, context);
      if (entry == nullptr) continue;
      ++covered;
      const Vectors data = random_vectors(call, 1, Data::wide, random);
      ASSERT_EQ(run(target, call, data, 1)[0],
                spec::replay(spec.orders[spec::order_of(*entry)], call.type, call.k, data.x.data(),
                             data.y.empty() ? nullptr : data.y.data()))
          << describe(call);
    }
    EXPECT_EQ(covered == asked, planted.whole) << covered << " of " << asked << "\n"
                                               << testing::refusals(spec);
    EXPECT_EQ(spec.refusals.empty(), planted.whole) << testing::refusals(spec);
    EXPECT_GT(covered, 0);
    for (const spec::Entry& entry : spec.entries)
      if (!entry.guard.increments.front().x.is_single()) {
        EXPECT_FALSE(entry.certificate.not_checked.empty());
      }
  }
}

const auto kName = [](const auto& test) { return std::string(test.param.name); };

INSTANTIATE_TEST_SUITE_P(
    Habits, IncrementsTest,
    ::testing::Values(
        of_increments(
            "none", [](auto, auto) { return false; }, true),
        of_increments(
            "unit", [](auto x, auto y) { return x == 1 && (y == 1 || y == 0); }, true),
        of_increments(
            "one_of_them_unit", [](auto x, auto y) { return x == 1 || y == 1; }, true),
        of_increments(
            "negative", [](auto x, auto y) { return x < 0 || y < 0; }, true),
        of_increments(
            "minus_one", [](auto x, auto y) { return x == -1 || y == -1; }, true),
        of_increments(
            "four", [](auto x, auto) { return x == 4; }, true),
        of_increments(
            "above_1000", [](auto x, auto) { return x > 1000; }, true),
        of_increments(
            "far_below_0", [](auto x, auto) { return x < -3000; }, true),
        of_increments(
            "y_above_1000", [](auto, auto y) { return y > 1000; }, true)),
    kName);

// No few intervals tell these apart: a part is covered, and the rest is refused.
INSTANTIATE_TEST_SUITE_P(
    Odd, IncrementsTest,
    ::testing::Values(of_increments(
                          "multiples_of_64", [](auto x, auto) { return x % 64 == 0; }, false),
                      of_increments(
                          "even", [](auto x, auto) { return x % 2 == 0; }, false)),
    kName);

// Increments matter together, with the size or with the addresses.
bool is_far(const Call& call, std::int64_t elements) {
  return call.k * std::abs(call.incx) > elements;
}

INSTANTIATE_TEST_SUITE_P(
    Together, IncrementsTest,
    ::testing::Values(
        Planted{"beyond_64k", [](const Call& c) { return is_far(c, 65536); }, false},
        Planted{"strides_of_long_ones", [](const Call& c) { return c.incx >= 100 && c.k >= 1000; },
                false},
        Planted{"pages_of_long_ones",
                [](const Call& c) { return c.incx > 0 && c.incx % 128 == 0 && c.k >= 150; }, false},
        Planted{"strides_off_16_bytes",
                [](const Call& c) { return c.incx >= 3 && c.align_a % 16 == 8; }, true}),
    kName);

Planted of_pairs(const char* name, std::function<bool(std::int64_t x, std::int64_t y)> differs,
                 bool whole = false) {
  Planted planted = of_increments(name, std::move(differs), whole);
  planted.of_pairs = true;
  return planted;
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, IncrementsTest,
    ::testing::Values(of_pairs("neighbours", [](auto x, auto y) { return x + 1 == y && x > 1; }),
                      of_pairs("twice", [](auto x, auto y) { return x == 2 * y && y > 1; }),
                      of_pairs("opposite", [](auto x, auto y) { return x == -y && x > 1; }),
                      of_pairs(
                          "two_and_three", [](auto x, auto y) { return x == 2 && y == 3; }, true)),
    kName);

TEST(Increments, EqualOnesThatDifferAreRefusedOrApart) {
  const Function function =
      backwards_where([](const Call& call) { return call.incx == call.incy && call.incx > 1; });
  const spec::Spec spec = capture([&](int) { return std::make_unique<FunctionTarget>(function); },
                                  options_for(spec::Routine::dot));
  FunctionTarget target(function);
  FastRandom random(5);
  for (std::int64_t x = 1; x < 3000; ++x)
    for (const std::int64_t y : {x, x + 1, std::int64_t{1}, -x}) {
      const spec::Context context =
          spec::vector_call(spec::Routine::dot, spec::Type::f64, 30, x, y, 1, 0, 0);
      const spec::Entry* entry = spec::find(spec, context);
      if (entry == nullptr) continue;
      const Call call = call_of_vectors(context.routine, context.type, 30, x, y, 0, 0);
      const Vectors data = random_vectors(call, 1, Data::wide, random);
      ASSERT_EQ(run(target, call, data, 1)[0],
                spec::replay(spec.orders[spec::order_of(*entry)], call.type, 30, data.x.data(),
                             data.y.data()))
          << describe(call);
    }
  EXPECT_FALSE(spec.refusals.empty());
}

// Strided vectors have an order of their own from 500 summands on: the classes are told apart where
// no sample shows it, for orders are compared with drawn increments.
TEST(Increments, ThatDifferInLongVectorsAloneAreApart) {
  const Function function = [](const Call& call, const double* x, const double* y) {
    const bool back = call.k >= 2100 && call.incx < -1;
    return backwards_where([back](const Call&) { return back; })(call, x, y);
  };
  CaptureOptions options = options_for(spec::Routine::sum);
  options.n_max = 4000;
  const spec::Spec spec =
      capture([&](int) { return std::make_unique<FunctionTarget>(function); }, options);
  FunctionTarget target(function);
  FastRandom random(9);
  std::set<std::int64_t> covered;
  for (const std::int64_t x : {1, -1, 2, -2, 777, -777})
    for (const std::int64_t n : {30, 2050, 2099, 2100, 3000}) {
      const spec::Context context =
          spec::vector_call(spec::Routine::sum, spec::Type::f64, n, x, 0, 1, 0, 0);
      const spec::Entry* entry = spec::find(spec, context);
      if (entry == nullptr) continue;
      covered.insert(x);
      const Call call = call_of_vectors(context.routine, context.type, n, x, 0, 0, 0);
      const Vectors data = random_vectors(call, 1, Data::wide, random);
      EXPECT_EQ(run(target, call, data, 1)[0], spec::replay(spec.orders[spec::order_of(*entry)],
                                                            call.type, n, data.x.data(), nullptr))
          << describe(call);
    }
  EXPECT_EQ(covered.size(), 6u) << testing::refusals(spec);
}

// The pair that comes first may read one element over and over: such data would show no order.
TEST(Increments, AreSortedByVectorsThatVaryWhateverComesFirst) {
  FunctionTarget target(backwards_where([](const Call& call) { return call.incx < 0; }));
  for (const std::int64_t first : {0, 1}) {
    const Call context = call_of_vectors(spec::Routine::sum, spec::Type::f64, 0, first, 0);
    const IncrementClasses found = increment_classes(target, context, {{{1}, {0}}, {{-3}, {0}}}, 5);
    EXPECT_EQ(found.classes.size(), 2u) << "first increment " << first;
  }
}

// gemv: the order of a row hangs on incx or incy as planted.
TEST(Increments, OfProductsAreSortedByTheirOutputs) {
  using Trans = spec::Trans;
  const auto planted = [](const Call& call, std::int64_t, std::int64_t, const double* a,
                          const double* b, double alpha, double beta, double c) {
    const bool back = call.incx > 1000 || call.incy < 0;
    double sum = 0;
    for (std::int64_t p = 0; p < call.k; ++p) {
      const std::int64_t at = back ? call.k - 1 - p : p;
      sum += a[at] * b[at];
    }
    return beta == 0 ? alpha * sum : beta * c + alpha * sum;
  };
  CaptureOptions options = testing::small_options(spec::Routine::gemv, spec::Type::f64);
  options.increments = kAny;
  options.transposes = {{Trans::no, Trans::no}};
  const spec::Spec spec = capture(testing::factory_of(planted), options);
  EXPECT_TRUE(spec.refusals.empty()) << testing::refusals(spec);
  const auto rules = [&](std::int64_t incx, std::int64_t incy) -> const spec::Entry* {
    spec::Context context;
    context.routine = spec::Routine::gemv;
    context.type = spec::Type::f64;
    context.shape = {40, 1, 50};
    context.incx = incx;
    context.incy = incy;
    std::string why;
    const spec::Entry* entry = spec::find(spec, context, &why);
    EXPECT_NE(entry, nullptr) << incx << ":" << incy << " " << why;
    return entry;
  };
  const auto* plain = rules(1, 1);
  for (const auto& [x, y] : {std::pair{1, 5000}, {1000, 3}, {-7, 64}, {-4096, 1}})
    EXPECT_EQ(rules(x, y)->regimes, plain->regimes) << x << ":" << y;
  for (const auto& [x, y] : {std::pair{1, -1}, {1001, 3}, {-7, -64}, {9999, 1}})
    EXPECT_NE(rules(x, y)->regimes, plain->regimes) << x << ":" << y;
}

}  // namespace
}  // namespace reprosum::reveal
