// Orders of matrix updates: explicit trees, the walk of one output and blocks of outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "kernels/matrix.h"
#include "spec/evaluate/update_tree.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/kernels/orders.h"
#include "tests/kernels/update_orders.h"

namespace reprosum::kernels {
namespace {

using spec::MatrixClass;
using spec::Type;
using test::NamedUpdate;

template <class T>
spec::Update<T> random_scalars(std::mt19937_64& random) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const T values[] = {T(0),     T(-0.0), T(1),     T(-1),
                      T(0.7),   T(-1.3), T(1e-20), std::numeric_limits<T>::denorm_min(),
                      infinity, T(3)};
  spec::Update<T> update;
  update.alpha = values[random() % std::size(values)];
  update.beta = values[random() % std::size(values)];
  update.c = test::hostile_data<T>(random, 1, true)[0];
  update.beta_zero = static_cast<MatrixClass::BetaZero>(random() % 5);
  update.alpha_zero = static_cast<MatrixClass::AlphaZero>(random() % 2);
  return update;
}

template <class T>
void check_trees(const NamedUpdate& named, std::mt19937_64& random, int rounds) {
  const spec::Order order = spec::parse_order(named.text);
  for (int k = 0; k < rounds; ++k) {
    const auto n = static_cast<std::int64_t>(k < 40 ? k + 1 : 1 + random() % 600);
    const spec::Tree tree = spec::expand(order, n);
    const auto x = test::hostile_data<T>(random, n, k % 3 == 0);
    const auto y = test::hostile_data<T>(random, 3 * n, k % 3 == 0);
    const spec::Update<T> update = random_scalars<T>(random);
    const T wanted = spec::evaluate_update<T>(tree, x.data(), 1, y.data(), 3, update);
    const T got = spec::evaluate_update<T>(order, n, x.data(), 1, y.data(), 3, update);
    ASSERT_TRUE(test::same(wanted, got))
        << named.text << "\nn = " << n << ", alpha = " << update.alpha << ", beta = " << update.beta
        << ", c = " << update.c << ": tree " << wanted << ", walk " << got;
  }
}

TEST(Update, TreesAndTheWalkAgreeOnLibraryOrders) {
  std::mt19937_64 random(11);
  for (const NamedUpdate& named : test::library_updates()) {
    SCOPED_TRACE(named.name);
    is_f32(named.type) ? check_trees<float>(named, random, 80)
                       : check_trees<double>(named, random, 80);
    if (HasFatalFailure()) return;
  }
}

TEST(Update, TreesAndTheWalkAgreeOnRandomOrders) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int k = 0; k < 150; ++k) {
    const Type type = k % 2 == 0 ? Type::f32 : Type::f64;
    const NamedUpdate named = test::random_update(random, type);
    is_f32(type) ? check_trees<float>(named, random, 60) : check_trees<double>(named, random, 60);
    if (HasFatalFailure()) return;
  }
}

// Places of alpha and of the output, computed by hand.
TEST(Update, ScalarsEnterWhereTheOrderSays) {
  const double e = std::ldexp(1.0, -28), x[] = {1 + e, 0.5}, y[] = {1 + e, 3.0};
  const auto value = [&](const char* text, spec::Update<double> u) {
    return spec::evaluate_update<double>(spec::parse_order(text), 2, x, 1, y, 1, u);
  };
  const double product = x[0] * y[0], rest = std::fma(x[1], y[1], product);
  spec::Update<double> u{0.3, 0.7, 1.1};
  EXPECT_EQ(value("1..9: loop 1 { 0: a = [f@0 +1 x q]; [out *a@0]; }", u), 0.7 * 1.1 + 0.3 * rest);
  EXPECT_EQ(value("1..9: loop 1 { 0: a = [f@0 +1 x q]; [out &a@0]; }", u),
            std::fma(0.3, rest, 0.7 * 1.1));
  EXPECT_EQ(value("1..9: loop 1 { 0: a = [f@0 +1 x q]; [*a@0 outf]; }", u),
            std::fma(0.7, 1.1, 0.3 * rest));
  EXPECT_EQ(value("1..9: loop 1 { 0: [<.@0 >f@1]; }", u),
            std::fma(x[1], 0.3 * y[1], (0.3 * x[0]) * y[0]));
  EXPECT_EQ(value("sub 0 { 1..9: loop 1 { 0: [f@0 +1 x q]; } } 1..9: parts fixed(m = 1) onto scale "
                  "fused fold sub 0",
                  u),
            std::fma(0.3, x[1] * y[1], std::fma(0.3, product, 0.7 * 1.1)));
}

TEST(Update, ZeroFactorsLeaveOutWhatTheOrderSays) {
  const double inf = std::numeric_limits<double>::infinity();
  const double least = std::numeric_limits<double>::denorm_min();
  const auto value = [&](const char* text, std::vector<double> x, std::vector<double> y) {
    const spec::Order order = spec::parse_order(text);
    const spec::Update<double> u{0.25, 1, -0.0};
    const double walked = spec::evaluate_update<double>(order, 2, x.data(), 1, y.data(), 1, u);
    const double tree =
        spec::evaluate_update<double>(spec::expand(order, 2), x.data(), 1, y.data(), 1, u);
    EXPECT_TRUE(test::same(walked, tree)) << text;
    return walked;
  };
  const char* const plain = "1..9: loop 1 { 0: [out >f@0 +1 x q]; }";
  const char* const by_y = "1..9: loop 1 { 0: [out ^>f@0 +1 x q]; }";
  const char* const by_x = "1..9: loop 1 { 0: [out ~>f@0 +1 x q]; }";
  const char* const scaled = "1..9: loop 1 { 0: [out ?>f@0 +1 x q]; }";
  EXPECT_TRUE(std::isnan(value(plain, {8, inf}, {1, 0})));
  EXPECT_EQ(value(by_y, {8, inf}, {1, 0}), 2);
  EXPECT_EQ(value(by_y, {8, inf}, {1, -0.0}), 2);
  EXPECT_EQ(value(scaled, {8, inf}, {1, 0}), 2);
  EXPECT_TRUE(std::isnan(value(by_x, {8, inf}, {1, 0})));
  EXPECT_EQ(value(by_x, {8, 0}, {1, inf}), 2);
  // A quarter of the least subnormal is rounded to zero.
  EXPECT_TRUE(std::isnan(value(by_y, {8, inf}, {1, least})));
  EXPECT_EQ(value(scaled, {8, inf}, {1, least}), 2);
  // Signs of zero: nothing is added to -0.
  EXPECT_FALSE(std::signbit(value(plain, {1, 1}, {0, 0})));
  EXPECT_TRUE(std::signbit(value(by_y, {1, 1}, {0, 0})));
  EXPECT_TRUE(std::isnan(value(by_y, {8, 1}, {1, std::nan("")})));
}

TEST(Update, WhereADroppedOutputWasAProductThatIsLeftOutIsZero) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto value = [&](const char* text, std::vector<double> y, std::int64_t n, double beta = 0) {
    const spec::Order order = spec::parse_order(text);
    const std::vector<double> x = {y[0] == 0 ? inf : -0.0, -0.0, -0.0};
    const spec::Update<double> u{1, beta, -0.0, MatrixClass::BetaZero::drop};
    const double walked = spec::evaluate_update<double>(order, n, x.data(), 1, y.data(), 1, u);
    const double tree =
        spec::evaluate_update<double>(spec::expand(order, n), x.data(), 1, y.data(), 1, u);
    EXPECT_TRUE(test::same(walked, tree)) << text << ", n = " << n;
    EXPECT_EQ(walked, 0) << text << ", n = " << n;
    return walked;
  };
  // A run, single leaves, a chain of one leaf, one output in a chain of its own; rounded and fused.
  for (const char* const text :
       {"1..9: loop 1 { 0: [out ^.@0 +1 x q]; }", "1..9: loop 1 { 0: [out ^f@0 +1 x q]; }",
        "1..9: loop 1 { 0: [out ^.@0 .@1 +1 x (q-1)]; }",
        "1..9: loop 1 { 0: a = [^.@0]; [out a@0 .@1 +1 x (q-1)]; }",
        "1..9: loop 1 { 0: a = [out]; [a@0 ^.@0 .@1 +1 x (q-1)]; }"}) {
    for (const std::int64_t n : {1, 2, 3}) {
      EXPECT_FALSE(std::signbit(value(text, {0, 1, 1}, n)));
      EXPECT_TRUE(std::signbit(value(text, {1, 1, 1}, n)));
      EXPECT_TRUE(std::signbit(value(text, {0, 1, 1}, n, 1)));  // C is there, and -0
    }
    EXPECT_TRUE(std::signbit(value(text, {1, 0, 1}, 3)));  // only the one beside C
  }
}

// A sum whose first product is left out is a sum.
TEST(Update, WhereADroppedOutputWasASumStays) {
  const std::vector<double> x = {std::numeric_limits<double>::infinity(), 5, 7}, y = {0, 1, 1};
  const spec::Update<double> u{1, 0, 3, MatrixClass::BetaZero::drop};
  for (const char* const text :
       {"1..9: loop 1 { 0: a = [^.@0 .@1 +1 x (q-1)]; [out a@0]; }",
        "1..9: loop 1 { 0: a = [^.@0 f@1 +1 x (q-1)]; [out a@0]; }",
        "1..9: loop 1 { 0: a = [^.@0 ^.@1 +1 x (q-1)]; [out a@0]; }",
        "1..9: loop 1 { 0: a = [^.@0 ^f@1 +1 x (q-1)]; [out a@0]; }",
        "1..9: loop 1 { 0: a = [^.@0]; b = [.@0 +1 x (q-1)]; c = [a@0 b@1]; [out c@0]; }"}) {
    const spec::Order order = spec::parse_order(text);
    for (const std::int64_t n : {2, 3}) {
      const double wanted = n == 2 ? 5 : 12;
      EXPECT_EQ(spec::evaluate_update<double>(order, n, x.data(), 1, y.data(), 1, u), wanted)
          << text;
      EXPECT_EQ(spec::evaluate_update<double>(spec::expand(order, n), x.data(), 1, y.data(), 1, u),
                wanted)
          << text;
    }
  }
}

TEST(Update, ZeroScalarsFollowTheClass) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const spec::Order order = spec::parse_order("1..9: loop 1 { 0: [out f@0 +1 x q]; }");
  const double x[] = {-0.0, inf}, y[] = {1.0, 0.0};
  spec::Update<double> u{1, 0, nan, MatrixClass::BetaZero::store, MatrixClass::AlphaZero::skip};
  EXPECT_FALSE(std::signbit(spec::evaluate_update<double>(order, 1, x, 1, y, 1, u)));
  u.beta_zero = MatrixClass::BetaZero::drop;
  EXPECT_TRUE(std::signbit(spec::evaluate_update<double>(order, 1, x, 1, y, 1, u)));
  const spec::Order lanes = spec::parse_order(
      "1..9: loop 2 { 0..1: a = [out .@0 +2 x (q+r)]; b = [0 .@1 +2 x q]; [a@0 b@0]; }");
  const double zeros[] = {-0.0, -0.0};
  const double ones[] = {1.0, 1.0};
  EXPECT_FALSE(std::signbit(spec::evaluate_update<double>(lanes, 2, zeros, 1, ones, 1, u)));
  u.beta_zero = MatrixClass::BetaZero::drop_zeros;
  EXPECT_TRUE(std::signbit(spec::evaluate_update<double>(lanes, 2, zeros, 1, ones, 1, u)));
  EXPECT_TRUE(std::signbit(spec::evaluate_update<double>(lanes, 1, zeros, 1, ones, 1, u)));
  u.alpha = 0;
  EXPECT_EQ(spec::evaluate_update<double>(order, 2, x, 1, y, 1, u), 0.0);
  u.alpha_zero = MatrixClass::AlphaZero::compute;
  EXPECT_TRUE(std::isnan(spec::evaluate_update<double>(order, 2, x, 1, y, 1, u)));
}

template <class T>
void check_matrix(std::mt19937_64& random) {
  const Type type = spec::type_of<T>();
  std::vector<spec::Order> orders;
  for (int k = 0; k < 3; ++k)
    orders.push_back(spec::parse_order(test::random_update(random, type).text));
  const spec::MatrixRegime regime = test::random_regime(random, orders.size(), 60);
  for (int round = 0; round < 6; ++round) {
    spec::MatrixArguments<T> call;
    const bool gemv = round % 3 == 2;
    call.routine = gemv ? spec::Routine::gemv : spec::Routine::gemm;
    call.trans_a = static_cast<spec::Trans>(random() % 2);
    if (!gemv) call.trans_b = static_cast<spec::Trans>(random() % 2);
    call.m = static_cast<std::int64_t>(1 + random() % 60);
    call.n = gemv ? 1 : static_cast<std::int64_t>(1 + random() % 60);
    call.k = static_cast<std::int64_t>(1 + random() % 70);
    const auto scalars = random_scalars<T>(random);
    call.alpha = scalars.alpha;
    call.beta = scalars.beta;
    call.lda = std::max(call.m, call.k) + 2;
    call.ldb = std::max(call.n, call.k) + 1;
    call.ldc = call.m + 3;
    call.incb = gemv ? 2 : 1;
    call.incc = gemv ? 3 : 1;
    const auto a = test::hostile_data<T>(random, call.lda * 70, false);
    const auto b = test::hostile_data<T>(random, call.ldb * 75, false);
    const auto before = test::hostile_data<T>(random, call.ldc * 60, true);
    auto c = before;
    call.a = a.data();
    call.b = b.data();
    call.c = c.data();
    spec::RegionMap map{&regime, *spec::stretches(regime.rows, call.m),
                        *spec::stretches(regime.columns, call.n)};
    spec::interpret_matrix(map, orders, call);
    const std::int64_t incx = call.at_a(0, 1) - call.at_a(0, 0);
    const std::int64_t incy = call.at_b(1, 0) - call.at_b(0, 0);
    auto expected = before;
    for (std::int64_t j = 0; j < call.n; ++j) {
      for (std::int64_t i = 0; i < call.m; ++i) {
        const auto& kind = regime.classes[static_cast<std::size_t>(map.class_at(i, j))];
        T& out = expected[static_cast<std::size_t>(call.at_c(i, j) - call.c)];
        const spec::Update<T> update{call.alpha, call.beta, out, kind.beta_zero_at(call.k),
                                     kind.alpha_zero};
        out = spec::evaluate_update<T>(orders[kind.order], call.k, call.at_a(i, 0), incx,
                                       call.at_b(0, j), incy, update);
      }
    }
    for (std::size_t k = 0; k < c.size(); ++k)  // what is between the outputs stays as it was
      ASSERT_TRUE(test::same(expected[k], c[k])) << k << ": " << expected[k] << ", " << c[k];
  }
}

TEST(Update, BlocksOfOutputsAgreeWithSingleOnes) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int k = 0; k < 60; ++k) {
    check_matrix<float>(random);
    check_matrix<double>(random);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace reprosum::kernels
