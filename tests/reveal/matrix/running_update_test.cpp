// Blocks that go on from what those before them left in C are found from outputs alone.
#include "reveal/matrix/running_update.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/matrix.h"
#include "reveal/capture/random_data.h"
#include "reveal/matrix/cell_target.h"
#include "reveal/matrix/update_data.h"
#include "spec/running_sum.h"
#include "spec/surface.h"
#include "tests/reveal/matrix/planted_product.h"
#include "tests/reveal/matrix/update_by_hand.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kMax = 420;

double replay(const spec::Order& order, spec::Type, std::int64_t n, const double* x,
              const double* y, const UpdateScalars& s) {
  const kernels::Update<double> update{s.alpha, s.beta, s.c, s.beta_zero, s.alpha_zero};
  return kernels::evaluate_update<double>(order, n, x, 1, y, 1, update);
}

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

std::vector<KPiece> pieces_of(const test::ElementFunction& element) {
  test::PlantedProduct target(element);
  ClassOptions options;
  options.replay = replay;
  options.k_max = kMax;
  options.alpha_one = true;
  return reveal_class_by_k(target, test::diagonal(spec::Routine::gemm, spec::Type::f64, 12),
                           options);
}

// Every k is covered, and every piece gives the bits of data that no search has seen.
void expect_all_right(const test::ElementFunction& element, const std::vector<KPiece>& pieces) {
  test::PlantedProduct target(element);
  CellTarget cells(target, test::diagonal(spec::Routine::gemm, spec::Type::f64, 12));
  FastRandom random(4711);
  std::int64_t next = 1;
  for (const KPiece& piece : pieces) {
    EXPECT_EQ(piece.lo, next);
    next = piece.hi + 1;
    ASSERT_TRUE(piece.order) << piece.lo << ".." << piece.hi << ": " << piece.why;
    const ClassOrder& found = *piece.order;
    EXPECT_NO_THROW(spec::validate(found.order)) << spec::print(found.order);
    for (std::int64_t k = piece.lo; k <= piece.hi; ++k) {
      const Observation seen = observe(
          cells, random_update(cells, spec::Type::f64, k, 6, k % 5 == 0 ? Data::zeros : Data::wide,
                               1, k % 3 == 0 ? 0 : -0.75, random));
      ASSERT_EQ(
          first_difference(seen, found.order, spec::Type::f64, test::replay_by_hand,
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

// An order is not made up where blocks do not go on.
TEST(RunningUpdate, OtherSumsAreRefusedBeyondTheBorder) {
  const auto other = [](const test::Element& e) {
    return e.k() < 200 ? in_place(e) : in_place(e) + e.x[0] * e.y[e.k() - 1];
  };
  const auto pieces = pieces_of(other);
  EXPECT_FALSE(pieces.back().order);
  EXPECT_EQ(pieces.back().lo, 200);
}

}  // namespace
}  // namespace reprosum::reveal
