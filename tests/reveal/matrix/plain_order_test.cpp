// The order over k of planted products, seen through alpha = beta = 1 and C = -0.
#include "reveal/matrix/plain_order.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reveal/check/random_data.h"
#include "reveal/matrix/skipped_factors.h"
#include "reveal/refused.h"
#include "spec/surface.h"
#include "tests/reveal/matrix/planted_updates.h"
#include "tests/reveal/matrix/update_by_hand.h"

namespace reprosum::reveal {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kMax = 9000;

class EveryPlainOrder : public testing::TestWithParam<test::PlantedUpdate> {};

TEST_P(EveryPlainOrder, HasItsPlainOrderFound) {
  const test::PlantedUpdate& planted = GetParam();
  test::PlantedProduct target(planted.element);
  CellTarget cells(target, test::diagonal(planted.routine, planted.type, 12));
  ClassOptions options;
  options.seed = kSeed;
  options.time_limit_s = 200;  // a sanitizer takes ten times as long
  const PlainOrder plain = reveal_plain_order(cells, planted.type, kMax, options,
                                              SkippedFactors(cells, planted.type).look(1, kMax));
  ASSERT_EQ(plain.k_max, kMax) << plain.stopped << "\n" << spec::print(plain.order);
  SCOPED_TRACE(spec::print(plain.order));
  RecordProperty("calls", std::to_string(target.calls()));
  EXPECT_NO_THROW(check_plain_nodes(cells, planted.type, plain.order, 1, kMax, kSeed));
  // Held-out sizes, compared with the planted function itself.
  FastRandom random(kSeed + 5);
  for (int round = 0; round < 300; ++round) {
    const std::int64_t k =
        round < 100 ? round + 1 : std::int64_t(std::exp(random.unit() * std::log(double(kMax))));
    std::vector<double> x(std::size_t(k), 0.0), y(x);
    fill(static_cast<Data>(round % 4), planted.type, random, x, y);
    Call call{.routine = spec::Routine::gemm};
    call.k = k;
    const double expected = planted.element({call, 0, 0, x.data(), y.data(), 1, 1, -0.0});
    const double got = test::replay_by_hand(plain.order, planted.type, k, x.data(), y.data(),
                                            spec::Update<double>{});
    ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected))
        << "k = " << k << ", round " << round << ", seed " << kSeed;
  }
}

INSTANTIATE_TEST_SUITE_P(Planted, EveryPlainOrder, testing::ValuesIn(test::planted_updates()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace reprosum::reveal
