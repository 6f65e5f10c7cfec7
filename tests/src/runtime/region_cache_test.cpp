// The regions that a thread keeps belong to one replayer: another spec's are never taken for them.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/runtime/errors.h"
#include "src/runtime/replayer.h"
#include "tests/spec/sample_regions.h"

namespace reprosum::runtime {
namespace {

// One order for every output of dgemm NN.
spec::Spec product_of(const char* order) {
  spec::Spec spec;
  spec.orders = {spec::parse_order(order)};
  spec::Entry entry =
      spec::samples::entry(spec::Routine::gemm, spec::Type::f64, spec::Trans::no, spec::Trans::no);
  spec::MatrixRegime regime;
  regime.rows = regime.columns = {spec::samples::uniform(2048)};
  regime.table = {{0}};
  regime.classes = {{0, {}, {}}};
  regime.k_max = 2048;
  entry.regimes = {regime};
  spec.entries = {entry};
  spec::canonicalize(spec);
  return spec;
}

std::unique_ptr<Replayer> replayer_of(const char* order) {
  return std::make_unique<Replayer>(product_of(order), "", kernels::Isa::interpreter);
}

std::vector<double> product(const Replayer& replayer, std::int64_t m, std::int64_t n,
                            std::int64_t k) {
  std::vector<double> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)),
      c(static_cast<std::size_t>(m * n));
  double value = 0.1;
  for (auto* matrix : {&a, &b})
    for (double& element : *matrix) element = value = 3.9 * value * (1 - value);  // no two alike
  MatrixCall<double> call;
  call.m = m;
  call.n = n;
  call.k = k;
  call.a = a.data();
  call.lda = m;
  call.b = b.data();
  call.ldb = k;
  call.c = c.data();
  call.ldc = m;
  replayer.product(call);
  return c;
}

TEST(RegionCache, EachReplayerHasItsOwn) {
  const auto one = replayer_of(spec::samples::kOneAccumulator);
  auto two = replayer_of(spec::samples::kTwoAccumulators);
  const auto first = product(*one, 7, 5, 40), second = product(*two, 7, 5, 40);
  EXPECT_NE(first, second);
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(product(*one, 7, 5, 40), first);
    EXPECT_EQ(product(*two, 7, 5, 40), second);
  }
  // A new replayer may get the address of an old one.
  for (int turn = 0; turn < 20; ++turn) {
    two.reset();
    two = replayer_of(turn % 2 == 0 ? spec::samples::kOneAccumulator
                                    : spec::samples::kTwoAccumulators);
    EXPECT_EQ(product(*two, 7, 5, 40), turn % 2 == 0 ? first : second);
  }
}

TEST(RegionCache, ShapesThatShareASlotStayApart) {
  const auto replayer = replayer_of(spec::samples::kOneAccumulator);
  std::vector<std::vector<double>> seen;
  for (int turn = 0; turn < 2; ++turn) {
    std::size_t at = 0;
    for (std::int64_t m = 1; m <= 12; ++m)
      for (std::int64_t n = 1; n <= 6; ++n)
        for (std::int64_t k = 1; k <= 4; ++k, ++at) {
          auto c = product(*replayer, m, n, k);
          if (turn == 0)
            seen.push_back(std::move(c));
          else
            EXPECT_EQ(c, seen[at]) << m << " x " << n << " x " << k;
        }
  }
}

// A program may have a thousand leading dimensions, and each of them as an increment.
TEST(RegionCache, IncrementsOfOneGuardShareTheirRegions) {
  spec::Spec spec = product_of(spec::samples::kOneAccumulator);
  spec::Entry& entry = spec.entries[0];
  entry.routine = spec::Routine::gemv;
  entry.n_max = 1;
  entry.regimes[0].columns = {spec::samples::uniform(1)};
  entry.guard.increments = {{{2, spec::IncrementRange::kGreatest}, {-9, 1}}};
  spec::canonicalize(spec);
  const Replayer replayer(spec, "", kernels::Isa::interpreter);
  constexpr std::int64_t m = 5, k = 7;
  std::vector<double> a(m * k), x(k);
  double value = 0.1;
  for (auto* matrix : {&a, &x})
    for (double& element : *matrix) element = value = 3.9 * value * (1 - value);
  const auto product = [&](std::int64_t incx, std::int64_t incy) {
    std::vector<double> strided(static_cast<std::size_t>(k * incx)), y(m * 10);
    for (std::size_t p = 0; p < k; ++p) strided[p * static_cast<std::size_t>(incx)] = x[p];
    MatrixCall<double> call;
    call.routine = spec::Routine::gemv;
    call.m = m;
    call.n = k;
    call.a = a.data();
    call.lda = m;
    call.b = strided.data();
    call.ldb = incx;
    call.c = y.data();
    call.ldc = incy;
    replayer.product(call);
    std::vector<double> out;
    for (std::int64_t i = 0; i < m; ++i)
      out.push_back(y[static_cast<std::size_t>(incy < 0 ? (i + 1 - m) * incy : i * incy)]);
    return out;
  };
  const auto expected = product(2, 1);
  EXPECT_NE(expected[4], 0);
  for (std::int64_t incx = 2; incx < 1000; ++incx)
    ASSERT_EQ(product(incx, incx % 2 == 0 ? 1 : -1 - incx % 9), expected) << incx;
  // Those beside the interval are refused by their own names, whatever was called before.
  for (const auto& [incx, incy] : {std::pair{1, 1}, {3, 2}, {3, -10}}) try {
      product(incx, incy);
      ADD_FAILURE() << incx << ":" << incy;
    } catch (const NotCovered& refused) {
      const std::string named =
          "incx = " + std::to_string(incx) + ", incy = " + std::to_string(incy);
      EXPECT_NE(std::string(refused.what()).find(named), std::string::npos) << refused.what();
    }
}

TEST(RegionCache, WhatIsRefusedIsNotKept) {
  const auto replayer = replayer_of(spec::samples::kOneAccumulator);
  for (int turn = 0; turn < 2; ++turn) EXPECT_THROW(product(*replayer, 3, 3, 3000), NotCovered);
  EXPECT_NO_THROW(product(*replayer, 3, 3, 30));
}

}  // namespace
}  // namespace reprosum::runtime
