// Planted updates are found with all their arithmetic.
#include "reveal/matrix/class_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "reveal/check/random_data.h"
#include "reveal/refused.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/reveal/matrix/planted_updates.h"
#include "tests/reveal/matrix/update_by_hand.h"

namespace reprosum::reveal {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kMax = 9000;

ClassOptions options_for_tests() {
  ClassOptions options;
  options.k_max = kMax;
  options.seed = kSeed;
  options.time_limit_s = 200;  // a sanitizer takes ten times as long
  return options;
}

double value(FastRandom& random, spec::Type type) {
  const double v = (random.unit() * 2 - 1) * std::ldexp(1, int(random.below(8)));
  return spec::is_f32(type) ? double(float(v)) : v;
}

class EveryUpdate : public testing::TestWithParam<test::PlantedUpdate> {};

TEST_P(EveryUpdate, IsFoundWithItsArithmetic) {
  const test::PlantedUpdate& planted = GetParam();
  test::PlantedProduct target(planted.element);
  const ClassOrder found =
      reveal_class(target, test::diagonal(planted.routine, planted.type, 12), options_for_tests());
  SCOPED_TRACE(spec::print(found.order));
  ASSERT_EQ(found.k_max, kMax) << found.stopped;
  EXPECT_NO_THROW(spec::validate(found.order));
  EXPECT_EQ(found.beta_zero, planted.beta_zero);
  EXPECT_EQ(found.alpha_zero, planted.alpha_zero);
  EXPECT_FALSE(found.alpha_one_only);
  EXPECT_FALSE(found.finite_only);
  RecordProperty("calls", std::to_string(found.calls));
  FastRandom random(kSeed + 5);
  for (int round = 0; round < 1500; ++round) {
    const std::int64_t k = round < 400
                               ? round / 2 + 1
                               : std::int64_t(std::exp(random.unit() * std::log(double(kMax))));
    std::vector<double> x(std::size_t(k), 0.0), y(x);
    fill(static_cast<Data>(round % kDataKinds), planted.type, random, x, y);
    if (round % 3 == 0) {  // a product that is left out gives no NaN
      const auto p = std::size_t(random.below(k));
      const bool swapped = random.bits() % 2 == 0;
      (swapped ? x : y)[p] = std::numeric_limits<double>::infinity();
      (swapped ? y : x)[p] = random.bits() % 2 == 0 ? 0.0 : -0.0;
    }
    Call call{.routine = spec::Routine::gemm};
    call.k = k;
    spec::Update<double> s{value(random, planted.type), value(random, planted.type),
                           value(random, planted.type), found.beta_zero, found.alpha_zero};
    if (round % 7 == 0) s.alpha = round % 2 == 0 ? 1 : 0;
    if (round % 5 == 0) s.beta = round % 2 == 0 ? 1 : 0;
    if (round % 11 == 0) s.c = std::numeric_limits<double>::infinity();
    const double expected = planted.element({call, 0, 0, x.data(), y.data(), s.alpha, s.beta, s.c});
    const double got = test::replay_by_hand(found.order, planted.type, k, x.data(), y.data(), s);
    if (std::isnan(got) && std::isnan(expected)) continue;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected))
        << "k = " << k << ", round " << round << ", seed " << kSeed;
  }
}

INSTANTIATE_TEST_SUITE_P(Planted, EveryUpdate, testing::ValuesIn(test::planted_updates()),
                         [](const auto& info) { return info.param.name; });

// Groups of eight and of four and single summands, scaled on their way into a buffer that starts at
// +0. Where the +0 stands shows in signs of zero only.
double buffered_groups(const test::Element& e) {
  const auto product = [&](double factor, std::int64_t p) {
    return static_cast<float>(factor * e.x[p]) * static_cast<float>(e.y[p]);
  };
  float sum = 0;
  std::int64_t p = 0;
  for (const std::int64_t size : {8, 4})
    for (; p + size <= e.k(); p += size) {
      float group = product(1, p);
      for (std::int64_t q = 1; q < size; ++q) group += product(1, p + q);
      sum += static_cast<float>(e.alpha) * group;
    }
  for (; p < e.k(); ++p) sum += product(e.alpha, p);
  const float out = e.beta == 0 ? 0 : static_cast<float>(e.beta) * static_cast<float>(e.c);
  return static_cast<double>(out + sum);
}

TEST(RevealClass, PlacesZeroStartsBesideAlphaForEverySeed) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::PlantedProduct target(buffered_groups);
    ClassOptions options = options_for_tests();
    options.k_max = 60;
    options.seed = seed;
    options.random_vectors = 40;  // what is placed must be right before it is certified
    const ClassOrder found =
        reveal_class(target, test::diagonal(spec::Routine::gemv, spec::Type::f32, 64), options);
    EXPECT_FALSE(found.alpha_one_only);
    for (std::int64_t k = 1; k <= 60; ++k)
      for (const double sign : {0.0, -0.0})
        for (std::int64_t turned = 0; turned < k; ++turned) {
          std::vector<double> x(std::size_t(k), sign), y(std::size_t(k), 1.0);
          std::fill(x.end() - turned, x.end(), -sign);
          Call call{.routine = spec::Routine::gemm};
          call.k = k;
          const spec::Update<double> s{-0.5, 1, -0.0, found.beta_zero, found.alpha_zero};
          const double expected = buffered_groups({call, 0, 0, x.data(), y.data(), -0.5, 1, -0.0});
          const double got =
              test::replay_by_hand(found.order, spec::Type::f32, k, x.data(), y.data(), s);
          ASSERT_EQ(std::signbit(got), std::signbit(expected)) << k << " " << turned;
        }
  }
}

// Groups of four fused summands, each from a +0 of its own, that alpha is fused with on their way
// into such a buffer; the remaining summands are scaled and added one by one. Where alpha makes a
// group vanish, its sign tells what it was fused with, and that of a group of zeros where it began.
double buffered_fused_groups(const test::Element& e) {
  const auto alpha = static_cast<float>(e.alpha);
  const auto factor = [](double value) { return static_cast<float>(value); };
  float sum = 0;
  std::int64_t p = 0;
  for (; p + 4 <= e.k(); p += 4) {
    float group = 0;
    for (std::int64_t q = p; q < p + 4; ++q)
      group = std::fma(factor(e.x[q]), factor(e.y[q]), group);
    sum = std::fma(alpha, group, sum);
  }
  for (; p < e.k(); ++p) sum += factor(alpha * factor(e.y[p])) * factor(e.x[p]);
  const float out = e.beta == 0 ? 0 : static_cast<float>(e.beta) * static_cast<float>(e.c);
  return static_cast<double>(out + sum);
}

TEST(RevealClass, PlacesFusedGroupsInABufferForEverySeed) {
  constexpr std::int64_t kLast = 40;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::PlantedProduct target(buffered_fused_groups);
    ClassOptions options = options_for_tests();
    options.k_max = kLast;
    options.seed = seed;
    const ClassOrder found =
        reveal_class(target, test::diagonal(spec::Routine::gemv, spec::Type::f32, 64), options);
    EXPECT_FALSE(found.alpha_one_only);
    FastRandom random(seed);
    for (std::int64_t k = 1; k <= kLast; ++k)
      for (int turn = 0; turn < 60; ++turn) {
        std::vector<double> x, y(std::size_t(k), 1.0);
        for (std::int64_t p = 0; p < k; ++p) x.push_back(value(random, spec::Type::f32));
        std::fill(x.end() - random.below(k + 1), x.end(), -0.0);
        Call call{.routine = spec::Routine::gemm};
        call.k = k;
        const double alpha = turn % 2 == 0 ? 0x1p-149 : -0x1p-149;
        const spec::Update<double> s{alpha, 1, -0.0, found.beta_zero, found.alpha_zero};
        const double expected =
            buffered_fused_groups({call, 0, 0, x.data(), y.data(), alpha, 1, -0.0});
        const double got =
            test::replay_by_hand(found.order, spec::Type::f32, k, x.data(), y.data(), s);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected)) << k;
      }
  }
}

// ---- what another class has already shown ----

TEST(RevealClass, RecognisesAKnownOrder) {
  const auto updates = test::planted_updates();
  const test::PlantedUpdate& planted = updates[0];
  test::PlantedProduct target(planted.element);
  ClassOptions options = options_for_tests();
  const auto cells = test::diagonal(planted.routine, planted.type, 12);
  const ClassOrder first = reveal_class(target, cells, options);
  // A wrong order stands before it, and the right one was certified to fewer k.
  test::PlantedProduct other(updates[2].element);
  const ClassOrder wrong = reveal_class(other, cells, options);
  options.known = {{wrong.order, wrong.beta_zero, wrong.alpha_zero, kMax},
                   {first.order, first.beta_zero, first.alpha_zero, 700}};
  const ClassOrder second = reveal_class(target, cells, options);
  ASSERT_TRUE(second.known.has_value());
  EXPECT_EQ(*second.known, 1U);
  EXPECT_EQ(second.k_max, kMax);
  EXPECT_LT(second.calls * 5, first.calls);  // looking at scalars that underflow costs the same
}

// Blocks of 128 that are eight lanes each; no shape of the class has fewer than 129 summands.
TEST(RevealClass, RecognisesTheBlocksOfOneOrderWithTheSumsOfAnother) {
  const auto element = [](const test::Element& e) {
    double sum = e.beta == 0 ? 0 : e.beta * e.c;
    for (std::int64_t at = 0; at < e.k(); at += 128) {
      const std::int64_t end = std::min(e.k(), at + 128);
      double lanes[8] = {};
      for (std::int64_t p = at; p < end; ++p)
        lanes[p < end - (end - at) % 8 ? (p - at) % 8 : 0] += e.x[p] * e.y[p];
      for (const int half : {4, 2, 1})
        for (int lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
      sum += e.alpha * lanes[0];
    }
    return e.alpha == 0 ? (e.beta == 0 ? 0 : e.beta * e.c) : sum;
  };
  test::PlantedProduct target(element);
  ClassOptions options = options_for_tests();
  options.k_max = 128;
  const auto cells = test::diagonal(spec::Routine::gemm, spec::Type::f64, 12);
  const ClassOrder few = reveal_class(target, cells, options);
  options.k_max = 2000;
  const spec::Order chains = spec::parse_order(
      "sub 0 { 1..128: loop 1 { 0: [0 .@0 +1 x q]; } } 1..99999: parts fixed(m=128) onto scale "
      "rounded fold sub 0");
  options.known = {{chains, few.beta_zero, few.alpha_zero, 2000},
                   {few.order, few.beta_zero, few.alpha_zero, 128}};
  const CellsAt many = [&](std::int64_t k) { return k < 129 ? std::nullopt : cells(k); };
  const ClassOrder found = reveal_class(target, many, options);
  EXPECT_EQ(found.k_max, 2000);
  EXPECT_FALSE(found.known.has_value());
  EXPECT_TRUE(found.revealed.empty());  // nothing was looked for
  ASSERT_EQ(found.order.regimes.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<spec::Parts>(found.order.regimes[0].rule));
}

// No shape of the class has fewer than 40 summands.
TEST(RevealClass, LooksForZeroFactorsWhereTheClassBegins) {
  const std::vector<test::PlantedUpdate> all = test::planted_updates();
  const auto planted = std::find_if(all.begin(), all.end(), [](const test::PlantedUpdate& update) {
    return update.name == "first_one_stored_f64";
  });
  ASSERT_NE(planted, all.end());
  test::PlantedProduct target(planted->element);
  const auto cells = test::diagonal(planted->routine, planted->type, 12);
  const CellsAt many = [&](std::int64_t k) { return k < 40 ? std::nullopt : cells(k); };
  const ClassOrder found = reveal_class(target, many, options_for_tests());
  EXPECT_EQ(found.k_max, kMax) << found.stopped;
  EXPECT_FALSE(found.finite_only);
  EXPECT_FALSE(found.alpha_one_only);
  EXPECT_TRUE(spec::leaves_products_out(found.order)) << spec::print(found.order);
}

// Two lanes from +0: whether zero factors are left out of them shows beside infinities alone.
test::ElementFunction in_lanes(bool leaves_out) {
  return [leaves_out](const test::Element& e) {
    if (e.alpha == 0) return e.beta == 0 ? 0 : e.beta * e.c;
    double lanes[2] = {0, 0};
    for (std::int64_t p = 0; p < e.k(); ++p)
      if (!leaves_out || e.x[p] != 0) lanes[p % 2] += e.x[p] * e.y[p];
    const double sum = e.alpha * (lanes[0] + lanes[1]);
    return e.beta == 0 ? sum : sum + e.beta * e.c;
  };
}

TEST(RevealClass, FindsAnOrderOfAllDataWhereOneOfFiniteDataIsKnown) {
  test::PlantedProduct plain(in_lanes(false)), target(in_lanes(true));
  const auto cells = test::diagonal(spec::Routine::gemv, spec::Type::f64, 12);
  ClassOptions options = options_for_tests();
  options.k_max = 300;
  const ClassOrder known = reveal_class(plain, cells, options);
  options.known = {{known.order, known.beta_zero, known.alpha_zero, 300, false, true}};
  const ClassOrder found = reveal_class(target, cells, options);
  EXPECT_FALSE(found.known.has_value());
  EXPECT_FALSE(found.finite_only);
  EXPECT_TRUE(spec::leaves_products_out(found.order)) << spec::print(found.order);
}

// ---- what has no order ----

std::string reason_of(const test::ElementFunction& element) {
  test::PlantedProduct target(element);
  ClassOptions options = options_for_tests();
  options.k_max = 600;
  options.time_limit_s = 5;
  try {
    reveal_class(target, test::diagonal(spec::Routine::gemm, spec::Type::f64, 8), options);
  } catch (const Refused& refused) {
    return refused.reason;
  }
  return "";
}

TEST(RevealClass, RefusesAnOrderThatDependsOnTheValues) {
  EXPECT_EQ(reason_of([](const test::Element& e) {
              std::vector<double> products;
              for (std::int64_t p = 0; p < e.k(); ++p) products.push_back(e.x[p] * e.y[p]);
              std::sort(products.begin(), products.end());
              double sum = 0;
              for (const double product : products) sum += product;
              return sum + e.beta * e.c;
            }),
            "input_dependent");
}

TEST(RevealClass, RefusesAShuffledOrder) {
  std::mt19937_64 random(3);
  EXPECT_EQ(reason_of([&](const test::Element& e) {
              std::vector<std::int64_t> order(std::size_t(e.k()));
              std::iota(order.begin(), order.end(), 0);
              std::shuffle(order.begin(), order.end(), random);
              double sum = 0;
              for (const std::int64_t p : order) sum += e.x[p] * e.y[p];
              return sum + e.beta * e.c;
            }),
            "not_deterministic");
}

// What beta = 0 does is no multiplication, but C is read.
TEST(RevealClass, RefusesAnOutputThatIsAddedAlthoughBetaIsZero) {
  EXPECT_EQ(reason_of([](const test::Element& e) {
              double sum = 0;
              for (std::int64_t p = 0; p < e.k(); ++p) sum += e.x[p] * e.y[p];
              return e.alpha * sum + (e.beta == 0 ? 1 : e.beta) * e.c;
            }),
            "unknown_arithmetic");
}

// alpha is applied in a wider format: no order says so, but alpha = 1 has one.
TEST(RevealClass, RestrictsToAlphaOneWhatAlphaDoesNotExplain) {
  test::PlantedProduct target([](const test::Element& e) {
    float sum = 0;
    for (std::int64_t p = 0; p < e.k(); ++p) sum += float(e.x[p]) * float(e.y[p]);
    const float c = e.beta == 0 ? 0 : float(e.beta) * float(e.c);
    return double(float(e.alpha * double(sum) * (1 + 0x1p-23 * (e.alpha != 1)) + double(c)));
  });
  ClassOptions options = options_for_tests();
  options.k_max = 600;
  const ClassOrder found =
      reveal_class(target, test::diagonal(spec::Routine::gemm, spec::Type::f32, 12), options);
  EXPECT_TRUE(found.alpha_one_only);
  EXPECT_EQ(found.k_max, 600);
  EXPECT_FALSE(found.not_checked.empty());
}

}  // namespace
}  // namespace reprosum::reveal
