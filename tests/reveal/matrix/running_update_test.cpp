// Blocks that go on from what those before them left in C are found from outputs alone.
#include "reveal/matrix/running_update.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "reveal/check/random_data.h"
#include "reveal/matrix/cell_target.h"
#include "reveal/matrix/update_data.h"
#include "spec/running_sum.h"
#include "spec/surface.h"
#include "tests/reveal/matrix/planted_product.h"
#include "tests/reveal/matrix/update_by_hand.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kMax = 420;

// Four lanes over x[from..to), the first of which begins with `start`, and a tail.
double block(const test::Element& e, std::int64_t from, std::int64_t to, double start) {
  const std::int64_t n = to - from, whole = n / 4 * 4;
  double lanes[4] = {start, 0, 0, 0};
  for (std::int64_t p = 0; p < whole; ++p) {
    const double product = e.x[from + p] * e.y[from + p];
    double& lane = lanes[p % 4];
    lane = p > 0 && p < 4 ? product : lane + product;
  }
  double sum = whole > 0 ? (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]) : start;
  for (std::int64_t p = whole; p < n; ++p) sum += e.x[from + p] * e.y[from + p];
  return sum;
}

double blocks(const test::Element& e, std::int64_t from, std::int64_t to, double start) {
  constexpr std::int64_t kLength = 40;
  for (; from < to; from += kLength) start = block(e, from, std::min(to, from + kLength), start);
  return start;
}

double output_of(const test::Element& e) { return e.beta == 0 ? 0.0 : e.beta * e.c; }

double in_place(const test::Element& e) { return blocks(e, 0, e.k(), output_of(e)); }

// Up to 9 summands alone are one chain, which as many behind a block are not.
double few_apart(const test::Element& e) {
  double sum = output_of(e);
  if (e.k() > 9) return blocks(e, 0, e.k(), sum);
  for (std::int64_t p = 0; p < e.k(); ++p) sum += e.x[p] * e.y[p];
  return sum;
}

// Long sums are made from -0, which is nothing, and added to C.
double buffered_from_130(const test::Element& e) {
  return e.k() < 130 ? in_place(e) : output_of(e) + blocks(e, 0, e.k(), -0.0);
}

// In panels of 200, long ones buffered.
double in_panels(const test::Element& e) {
  double sum = output_of(e);
  for (std::int64_t from = 0; from < e.k(); from += 200) {
    const std::int64_t to = std::min(e.k(), from + 200);
    sum = to - from < 130 ? blocks(e, from, to, sum) : sum + blocks(e, from, to, -0.0);
  }
  return sum;
}

// Fives are added to C in f64, and the sum is rounded; single summands behind them are left out
// where alpha*y is zero. So does saxpyf of BLIS, whose Zen kernels say `double y0c = *y0`.
double wide_fives(const test::Element& e) {
  const auto alpha = static_cast<float>(e.alpha);
  auto sum = e.beta == 0 ? 0.0F : static_cast<float>(e.beta) * static_cast<float>(e.c);
  const auto scaled = [&](std::int64_t p) { return alpha * static_cast<float>(e.y[p]); };
  const auto product = [&](std::int64_t p) { return static_cast<float>(e.x[p]) * scaled(p); };
  std::int64_t p = 0;
  for (; p + 5 <= e.k(); p += 5) {
    auto wide = static_cast<double>(sum);
    for (std::int64_t one = p; one < p + 5; ++one) wide += static_cast<double>(product(one));
    sum = static_cast<float>(wide);
  }
  for (; p < e.k(); ++p)
    if (scaled(p) != 0) sum += product(p);
  return static_cast<double>(sum);
}

std::vector<KPiece> pieces_of(const test::ElementFunction& element,
                              spec::Type type = spec::Type::f64) {
  test::PlantedProduct target(element);
  ClassOptions options;
  options.k_max = kMax;
  options.alpha_one = spec::is_f64(type);
  return reveal_class_by_k(target, test::diagonal(spec::Routine::gemm, type, 12), options);
}

// Every k is covered, and every piece gives the bits of data that no search has seen.
void expect_all_right(const test::ElementFunction& element, const std::vector<KPiece>& pieces,
                      spec::Type type = spec::Type::f64) {
  test::PlantedProduct target(element);
  CellTarget cells(target, test::diagonal(spec::Routine::gemm, type, 12));
  const double alpha = spec::is_f64(type) ? 1 : 1.375;
  FastRandom random(4711);
  std::int64_t next = 1;
  for (const KPiece& piece : pieces) {
    EXPECT_EQ(piece.lo, next);
    next = piece.hi + 1;
    ASSERT_TRUE(piece.order) << piece.lo << ".." << piece.hi << ": " << piece.why;
    const ClassOrder& found = *piece.order;
    EXPECT_NO_THROW(spec::validate(found.order)) << spec::print(found.order);
    for (std::int64_t k = piece.lo; k <= piece.hi; ++k) {
      const Observation seen =
          observe(cells, random_update(cells, type, k, 6, k % 4 == 0 ? Data::zeros : Data::wide,
                                       alpha, k % 3 == 0 ? 0 : -0.75, random));
      ASSERT_EQ(
          first_difference(seen, found.order, type,
                           spec::MatrixClass::rule_at(found.beta_zero_up_to, found.beta_zero, k),
                           found.alpha_zero),
          -1)
          << "k = " << k << "\n"
          << spec::print(found.order);
    }
  }
  EXPECT_EQ(next, kMax + 1);
}

TEST(RunningUpdate, BlocksGoOnInALane) {
  const auto pieces = pieces_of(in_place);
  expect_all_right(in_place, pieces);
  EXPECT_TRUE(spec::has_running_sum(pieces.back().order->order));
}

TEST(RunningUpdate, WhatIsLeftOverIsNotSummedAsFewSummandsAlone) {
  const auto pieces = pieces_of(few_apart);
  expect_all_right(few_apart, pieces);
  EXPECT_TRUE(spec::has_running_sum(pieces.back().order->order));
}

TEST(RunningUpdate, LongSumsAreMadeTheSameWayAndAddedToC) {
  expect_all_right(buffered_from_130, pieces_of(buffered_from_130));
}

TEST(RunningUpdate, PanelsGoOnAsWell) { expect_all_right(in_panels, pieces_of(in_panels)); }

TEST(RunningUpdate, WideSumsAreRoundedBeforeTheyGoOn) {
  const auto pieces = pieces_of(wide_fives, spec::Type::f32);
  expect_all_right(wide_fives, pieces, spec::Type::f32);
  ASSERT_TRUE(pieces.back().order);
  EXPECT_TRUE(spec::has_running_sum(pieces.back().order->order));
}

// The joined order names no size twice: the second piece lists sizes that the first one covers.
TEST(RunningUpdate, PiecesAreJoinedWithTheSizesThatAreTheirs) {
  const auto listed = [](std::int64_t lo, std::int64_t hi, const char* trees) {
    KPiece piece{lo, hi, ClassOrder{}, {}, {}};
    piece.order->order = spec::parse_order(trees);
    piece.order->k_max = hi;
    return piece;
  };
  const std::vector<KPiece> pieces{
      listed(1, 2, "1..2: trees { 1: [out .@0]; 2: [out .@0 .@1]; }"),
      listed(3, 4, "1..4: trees { 1: [out f@0]; 3: [out f@0 +1 x 3]; 4: [out f@0 +1 x 4]; }")};
  const auto all = joined(pieces);
  ASSERT_TRUE(all);
  EXPECT_NO_THROW(spec::validate(all->order));
  EXPECT_EQ(
      spec::print(all->order),
      spec::print(spec::parse_order("1..2: trees { 1: [out .@0]; 2: [out .@0 .@1]; } "
                                    "3..4: trees { 3: [out f@0 +1 x 3]; 4: [out f@0 +1 x 4]; }")));
}

// An order is not made up where blocks do not go on.
TEST(RunningUpdate, OtherSumsAreRefusedBeyondTheBorder) {
  const auto other = [](const test::Element& e) {
    return e.k() < 200 ? in_place(e) : in_place(e) + e.x[0] * e.y[e.k() - 1];
  };
  const auto pieces = pieces_of(other);
  EXPECT_FALSE(pieces.back().order);
  EXPECT_EQ(pieces.back().lo, 200) << pieces.back().why;
}

}  // namespace
}  // namespace reprosum::reveal
