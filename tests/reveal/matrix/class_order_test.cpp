// Planted updates are found with all their arithmetic.
#include "reveal/matrix/class_order.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reveal/capture/random_data.h"
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
  options.replay = test::replay_by_hand;
  options.k_max = kMax;
  options.seed = kSeed;
  return options;
}

double value(FastRandom& random, spec::Type type) {
  const double v = (random.unit() * 2 - 1) * std::ldexp(1, int(random.below(8)));
  return type == spec::Type::f32 ? double(float(v)) : v;
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
    fill(static_cast<Data>(round % 4), planted.type, random, x, y);
    MatrixCall call;
    call.k = k;
    UpdateScalars s{value(random, planted.type), value(random, planted.type),
                    value(random, planted.type), found.beta_zero, found.alpha_zero};
    if (round % 7 == 0) s.alpha = round % 2 == 0 ? 1 : 0;
    if (round % 5 == 0) s.beta = round % 2 == 0 ? 1 : 0;
    const double expected = planted.element({call, 0, 0, x.data(), y.data(), s.alpha, s.beta, s.c});
    const double got = test::replay_by_hand(found.order, planted.type, k, x.data(), y.data(), s);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected))
        << "k = " << k << ", round " << round << ", seed " << kSeed;
  }
}

INSTANTIATE_TEST_SUITE_P(Planted, EveryUpdate, testing::ValuesIn(test::planted_updates()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace reprosum::reveal
