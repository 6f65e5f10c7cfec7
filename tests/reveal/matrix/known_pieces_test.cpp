// Sums that threads share: pieces as a known class makes them, each in a buffer of its own.
#include "reveal/matrix/known_pieces.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reveal/check/random_data.h"
#include "spec/surface.h"
#include "tests/reveal/matrix/planted_product.h"
#include "tests/reveal/matrix/update_by_hand.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kMin = 300, kMax = 1500;

template <class T>
T stored(const test::Element& e) {
  return e.beta == 0 ? T(0) : static_cast<T>(e.beta) * static_cast<T>(e.c);
}

// Groups of four columns, scaled and added to what is there; then single ones with y scaled.
template <class T>
T add_columns(const test::Element& e, T alpha, std::int64_t from, std::int64_t to, T sum) {
  const auto x = [&](std::int64_t p) { return static_cast<T>(e.x[p]); };
  const auto y = [&](std::int64_t p) { return static_cast<T>(e.y[p]); };
  for (; from + 4 <= to; from += 4) {
    T group = x(from) * y(from);
    for (std::int64_t p = from + 1; p < from + 4; ++p) group = std::fma(x(p), y(p), group);
    sum = std::fma(alpha, group, sum);
  }
  for (; from < to; ++from) sum = std::fma(x(from), T(alpha * y(from)), sum);
  return sum;
}

template <class T>
double alone(const test::Element& e) {
  if (e.alpha == 0) return stored<T>(e);
  return add_columns<T>(e, static_cast<T>(e.alpha), 0, e.k(), stored<T>(e));
}

// `threads` pieces; alpha acts in them, or on each of them.
template <class T, int threads, bool scales_pieces>
double shared(const test::Element& e) {
  if (e.alpha == 0) return stored<T>(e);
  const T alpha = static_cast<T>(e.alpha);
  T sum = stored<T>(e);
  std::int64_t at = 0;
  for (int left = threads; left > 0; --left) {
    const std::int64_t end = at + (e.k() - at + left - 1) / left;
    const T piece = add_columns<T>(e, scales_pieces ? T(1) : alpha, at, end, T(0));
    sum = scales_pieces ? std::fma(alpha, piece, sum) : sum + piece;
    at = end;
  }
  return sum;
}

struct Planted {
  const char* name;
  spec::Type type;
  test::ElementFunction alone, shared;
};

class SharedSums : public testing::TestWithParam<Planted> {};

TEST_P(SharedSums, AreFoundFromWhatIsKnownOfOneThread) {
  const Planted& planted = GetParam();
  ClassOptions options;
  options.k_max = kMax;
  const CellsAt all = test::diagonal(spec::Routine::gemv, planted.type, 8);
  test::PlantedProduct one_thread(planted.alone);
  const ClassOrder one = reveal_class(one_thread, all, options);
  ASSERT_EQ(one.k_max, kMax) << one.stopped;
  options.known = {{one.order, one.beta_zero, one.alpha_zero, one.k_max, false, false}};
  test::PlantedProduct target(planted.shared);
  const CellsAt many = [&](std::int64_t k) { return k < kMin ? std::nullopt : all(k); };
  const ClassOrder found = reveal_class(target, many, options);
  SCOPED_TRACE(spec::print(found.order));
  ASSERT_EQ(found.k_max, kMax) << found.stopped;
  EXPECT_FALSE(found.alpha_one_only);
  EXPECT_FALSE(found.all_nodes.empty());
  EXPECT_NO_THROW(spec::validate(found.order));
  FastRandom random(7);
  for (int round = 0; round < 400; ++round) {
    const std::int64_t k = kMin + random.below(kMax - kMin + 1);
    std::vector<double> x(static_cast<std::size_t>(k), 0.0), y(x), c(1), one_value(1);
    fill(static_cast<Data>(round % kDataKinds), planted.type, random, x, y);
    fill(Data::wide, planted.type, random, c, one_value);
    Call call{.routine = spec::Routine::gemm};
    call.k = k;
    const spec::Update<double> s{round % 5 == 0 ? 1 : -0.75, round % 7 == 0 ? 0 : 1.25, c[0],
                                 found.beta_zero, found.alpha_zero};
    const double expected = planted.shared({call, 0, 0, x.data(), y.data(), s.alpha, s.beta, s.c});
    const double got = test::replay_by_hand(found.order, planted.type, k, x.data(), y.data(), s);
    if (std::isnan(got) && std::isnan(expected)) continue;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected))
        << "k = " << k << ", round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Planted, SharedSums,
                         testing::Values(Planted{"three_scaled_inside_f64", spec::Type::f64,
                                                 alone<double>, shared<double, 3, false>},
                                         Planted{"four_scaled_inside_f32", spec::Type::f32,
                                                 alone<float>, shared<float, 4, false>},
                                         Planted{"three_scaled_after_f32", spec::Type::f32,
                                                 alone<float>, shared<float, 3, true>},
                                         Planted{"two_scaled_after_f64", spec::Type::f64,
                                                 alone<double>, shared<double, 2, true>}),
                         [](const auto& info) { return info.param.name; });

// A rule that leaves few summands uncut is used from where it cuts on.
TEST(SumsOfKnownPieces, AreWholeWhereNothingIsCut) {
  spec::Parts even;
  even.kind = spec::Parts::Kind::even;
  even.count = 3;
  spec::Item all;
  all.shape.leaf = spec::Leaf::fused;
  all.times = {1, 0, 0};
  all.step = {0, 0, 1};
  spec::Item out;
  out.shape.leaf = spec::Leaf::out;
  spec::Loop loop;
  loop.cases = {{0, 0, {{{spec::NodeFormat::narrow, {out, all}}}}}};
  KnownClassOrder known;
  known.order = {false, {{1, spec::kMaxLeaves, loop}}, {}};
  for (const KnownClassOrder& sum : sums_of_known_pieces({even}, {known}, 100, false)) {
    EXPECT_NO_THROW(spec::validate(sum.order)) << spec::print(sum.order);
    for (std::int64_t n = 1; n < 20; ++n) EXPECT_EQ(spec::expand(sum.order, n).n, n);
  }
}

}  // namespace
}  // namespace reprosum::reveal
