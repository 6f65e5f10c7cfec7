// Arithmetic that changes with k is cut at the very k.
#include "reveal/matrix/class_by_k.h"

#include <gtest/gtest.h>

#include <cmath>

#include "spec/surface.h"
#include "tests/reveal/matrix/planted_product.h"
#include "tests/reveal/matrix/update_by_hand.h"

namespace reprosum::reveal {
namespace {

using BetaZero = spec::MatrixClass::BetaZero;
using AlphaZero = spec::MatrixClass::AlphaZero;

constexpr std::int64_t kMax = 700;

std::vector<KPiece> pieces_of(const test::ElementFunction& element, std::int64_t k_max = kMax) {
  test::PlantedProduct target(element);
  ClassOptions options;
  options.k_max = k_max;
  return reveal_class_by_k(target, test::diagonal(spec::Routine::gemm, spec::Type::f64, 12),
                           options);
}

double sum_of(const test::Element& e) {
  double sum = e.x[0] * e.y[0];
  for (std::int64_t p = 1; p < e.k(); ++p) sum = sum + e.x[p] * e.y[p];
  return sum;
}

// C := beta*C (a +0 for beta = 0), then alpha times the sum is added, or nothing for alpha = 0.
double stored_first(const test::Element& e) {
  const double c = e.beta == 0 ? 0.0 : e.beta * e.c;
  return e.alpha == 0 ? c : c + e.alpha * sum_of(e);
}

// C is dropped for beta = 0, and alpha = 0 is like any other.
double dropped(const test::Element& e) {
  const double sum = e.alpha * sum_of(e);
  return e.beta == 0 ? sum : e.beta * e.c + sum;
}

class EveryBorder : public testing::TestWithParam<std::int64_t> {};

TEST_P(EveryBorder, ZeroScalarsAreKnownOnBothSides) {
  const std::int64_t border = GetParam();
  const auto pieces = pieces_of(
      [&](const test::Element& e) { return e.k() <= border ? stored_first(e) : dropped(e); });
  ASSERT_EQ(pieces.size(), 2U) << pieces[0].why;
  EXPECT_EQ(pieces[0].lo, 1);
  EXPECT_EQ(pieces[0].hi, border);
  EXPECT_EQ(pieces[1].lo, border + 1);
  EXPECT_EQ(pieces[1].hi, kMax);
  ASSERT_TRUE(pieces[0].order) << pieces[0].why;
  ASSERT_TRUE(pieces[1].order) << pieces[1].why;
  EXPECT_EQ(pieces[0].order->beta_zero, BetaZero::store);
  EXPECT_EQ(pieces[0].order->alpha_zero, AlphaZero::skip);
  EXPECT_EQ(pieces[1].order->beta_zero, BetaZero::drop);
  EXPECT_EQ(pieces[1].order->alpha_zero, AlphaZero::compute);
}

INSTANTIATE_TEST_SUITE_P(Borders, EveryBorder, testing::Values(1, 2, 16, 31, 32, 150));

TEST(RevealClassByK, FindsSeveralBorders) {
  const auto pieces = pieces_of([](const test::Element& e) {
    return e.k() <= 5 || (e.k() > 48 && e.k() <= 120) ? stored_first(e) : dropped(e);
  });
  ASSERT_EQ(pieces.size(), 4U);
  const std::int64_t ends[] = {5, 48, 120, kMax};
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    EXPECT_EQ(pieces[at].hi, ends[at]);
    ASSERT_TRUE(pieces[at].order) << pieces[at].why;
    EXPECT_EQ(pieces[at].order->beta_zero, at % 2 == 0 ? BetaZero::store : BetaZero::drop);
  }
}

// Zeros in A are left out of a chain onto C; up to k = 3 the first product is stored if beta is 0,
// or +0 where it is left out.
double with_zeros_left_out(const test::Element& e) {
  const bool is_stored = e.k() <= 3 && e.beta == 0;
  double sum = e.beta == 0 ? 0 : e.beta * e.c;
  if (is_stored && e.x[0] != 0) sum = e.x[0] * e.y[0];
  for (std::int64_t p = is_stored ? 1 : 0; p < e.k(); ++p)
    if (e.x[p] != 0) sum += e.x[p] * e.y[p];
  return sum;
}

std::vector<KPiece> pieces_with_zeros_left_out(const CellsAt& cells) {
  test::PlantedProduct target(with_zeros_left_out);
  ClassOptions options;
  options.k_max = 64;
  options.alpha_one = true;
  return reveal_class_by_k(target, cells, options);
}

TEST(RevealClassByK, SaysWhatBetaZeroDoesWhereZeroFactorsAreLeftOut) {
  const auto pieces =
      pieces_with_zeros_left_out(test::diagonal(spec::Routine::gemv, spec::Type::f64, 12));
  for (const KPiece& piece : pieces) {
    ASSERT_TRUE(piece.order) << piece.lo << ".." << piece.hi << ": " << piece.why;
    EXPECT_FALSE(piece.order->finite_only) << piece.lo << ".." << piece.hi;
  }
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].order->beta_zero_up_to,
            (spec::MatrixClass::BetaZeroUpTo{{3, BetaZero::drop}}));
  EXPECT_EQ(pieces[0].order->beta_zero, BetaZero::store);
}

// Probes of x take the places of y where a class has more columns than rows, but zeros of the two
// do not do the same.
TEST(RevealClassByK, ZerosAreLeftOutWhereAClassHasMoreColumnsThanRows) {
  const CellsAt row = [](std::int64_t k) {
    Cells here;
    here.call.m = 2;
    here.call.n = 12;
    here.call.k = k;
    for (std::int64_t j = 0; j < 12; ++j) here.cells.emplace_back(1, j);
    return std::optional(std::move(here));
  };
  const auto pieces = pieces_with_zeros_left_out(row);
  ASSERT_EQ(pieces.size(), 1U) << pieces[0].why;
  ASSERT_TRUE(pieces[0].order) << pieces[0].why;
  EXPECT_FALSE(pieces[0].order->finite_only);
}

// For beta = 0 the sum is added to a stored +0 at these k, and stored itself at others.
bool stores_zero(std::int64_t k) {
  return (20 < k && k < 45 && k % 2 == 0) || (150 < k && k < 400);
}
double storing_at_some_k(const test::Element& e) {
  const bool drops = e.beta == 0 && e.alpha != 0 && !stores_zero(e.k());
  return drops ? e.alpha * sum_of(e) : stored_first(e);
}

void expect_rules_at_every_k(const ClassOrder& found) {
  ASSERT_EQ(found.k_max, kMax) << found.stopped;
  for (std::int64_t k = 1; k <= kMax; ++k)
    EXPECT_EQ(spec::MatrixClass::rule_at(found.beta_zero_up_to, found.beta_zero, k),
              stores_zero(k) ? BetaZero::store : BetaZero::drop)
        << k;
}

TEST(RevealClassByK, SaysWhatBetaZeroDoesAtEveryK) {
  const auto pieces = pieces_of(storing_at_some_k);
  ASSERT_EQ(pieces.size(), 1U) << pieces[0].why;
  ASSERT_TRUE(pieces[0].order) << pieces[0].why;
  expect_rules_at_every_k(*pieces[0].order);
}

// An order that is known from another class, which stores +0 at all k.
TEST(RevealClassByK, ItsRulesForBetaZeroAreNotThoseOfAnotherClass) {
  test::PlantedProduct other(stored_first), target(storing_at_some_k);
  const auto cells = test::diagonal(spec::Routine::gemm, spec::Type::f64, 12);
  ClassOptions options;
  options.k_max = kMax;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    options.seed = seed;
    options.known.clear();
    const ClassOrder one = reveal_class(other, cells, options);
    options.known = {{one.order, one.beta_zero, one.alpha_zero, one.k_max}};
    const ClassOrder found = reveal_class(target, cells, options);
    EXPECT_TRUE(found.known);
    expect_rules_at_every_k(found);
  }
}

// The sums are the same at every k; C is their first summand up to the border, and the last beyond.
TEST(RevealClassByK, GoesOnWhereTheOutputEntersElsewhere) {
  for (const std::int64_t border : {120, 151, 333}) {
    const auto planted = [&](const test::Element& e) {
      const double c = e.beta == 0 ? 0.0 : e.beta * e.c;
      if (e.alpha == 0) return c;
      const bool is_first = e.k() <= border;
      double sum = is_first ? c + e.alpha * e.x[0] * e.y[0] : e.alpha * e.x[0] * e.y[0];
      for (std::int64_t p = 1; p < e.k(); ++p) sum = sum + e.alpha * e.x[p] * e.y[p];
      return is_first ? sum : sum + c;
    };
    const auto pieces = pieces_of(planted);
    ASSERT_EQ(pieces.size(), 2U) << border;
    EXPECT_EQ(pieces[0].hi, border);
    EXPECT_EQ(pieces[1].lo, border + 1);
    EXPECT_EQ(pieces[1].hi, kMax);
    for (const KPiece& piece : pieces) {
      ASSERT_TRUE(piece.order) << piece.why;
      EXPECT_EQ(piece.order->stopped.empty(), piece.hi == kMax);
    }
    EXPECT_NE(pieces[0].order->order, pieces[1].order->order);
  }
}

// At one of few summands C is added last where beta is 1, and elsewhere first.
TEST(RevealClassByK, SeesWhatOneBetaDoesAtOneOfFewSummands) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::int64_t odd_one = 25 + static_cast<std::int64_t>(seed);
    test::PlantedProduct target([&](const test::Element& e) {
      if (e.alpha == 0 || e.beta != 1 || e.k() != odd_one) return stored_first(e);
      double sum = e.c + e.alpha * e.x[0] * e.y[0];
      for (std::int64_t p = 1; p < e.k(); ++p) sum = sum + e.alpha * e.x[p] * e.y[p];
      return sum;
    });
    ClassOptions options;
    options.k_max = 64;
    options.seed = seed;
    const auto cells = test::diagonal(spec::Routine::gemm, spec::Type::f64, 12);
    for (const KPiece& piece : reveal_class_by_k(target, cells, options)) {
      const bool holds_odd_one = piece.lo <= odd_one && odd_one <= piece.hi;
      EXPECT_EQ(piece.order.has_value(), !holds_odd_one) << "seed " << seed << " " << piece.why;
    }
  }
}

TEST(RevealClassByK, DoesNotCutWhatHasOneRule) {
  const auto pieces = pieces_of(stored_first);
  ASSERT_EQ(pieces.size(), 1U);
  ASSERT_TRUE(pieces[0].order) << pieces[0].why;
  EXPECT_EQ(pieces[0].order->k_max, kMax);
}

// Up to k = 4 no place of alpha and C gives the bits: only those k are refused.
TEST(RevealClassByK, RefusesSmallSizesAlone) {
  const auto pieces = pieces_of([](const test::Element& e) {
    const double whole = stored_first(e);
    return e.k() > 4 || e.alpha == 0 ? whole : whole * (1 + 0x1p-50 * (e.beta != 1));
  });
  ASSERT_GE(pieces.size(), 2U) << pieces[0].why;
  EXPECT_FALSE(pieces[0].order);
  EXPECT_EQ(pieces[pieces.size() - 2].hi, 4);
  ASSERT_TRUE(pieces.back().order) << pieces.back().why;
  EXPECT_EQ(pieces.back().hi, kMax);
}

// With few summands, each number of them may go through code of its own.
TEST(RevealClassByK, CutsAtEveryOneOfFewSummands) {
  constexpr std::int64_t kFew = 40;
  const auto pieces = pieces_of(
      [](const test::Element& e) {
        return e.k() > 20 && e.k() % 2 == 0 ? stored_first(e) : dropped(e);
      },
      kFew);
  std::int64_t covered = 0;
  for (const KPiece& piece : pieces) {
    ASSERT_TRUE(piece.order) << piece.lo << ".." << piece.hi << ": " << piece.why;
    EXPECT_EQ(piece.lo, covered + 1);
    covered = piece.hi;
    const bool is_stored = piece.hi > 20 && piece.hi % 2 == 0;
    EXPECT_EQ(piece.order->beta_zero, is_stored ? BetaZero::store : BetaZero::drop) << piece.hi;
    EXPECT_TRUE(piece.hi <= 21 || piece.lo == piece.hi) << piece.lo << ".." << piece.hi;
  }
  EXPECT_EQ(covered, kFew);
}

// What comes before and after one that no place of alpha and C explains is covered.
TEST(RevealClassByK, RefusesSomeOfFewSummandsAlone) {
  constexpr std::int64_t kFew = 40;
  const auto is_odd_one = [](std::int64_t k) { return k == 17 || k == 18 || k == 33; };
  const auto pieces = pieces_of(
      [&](const test::Element& e) {
        const double whole = stored_first(e);
        return is_odd_one(e.k()) && e.alpha != 0 ? whole * (1 + 0x1p-50 * (e.beta != 1)) : whole;
      },
      kFew);
  std::int64_t covered = 0;
  for (const KPiece& piece : pieces) {
    EXPECT_EQ(piece.lo, covered + 1);
    covered = piece.hi;
    for (std::int64_t k = piece.lo; k <= piece.hi; ++k)
      EXPECT_EQ(piece.order.has_value(), !is_odd_one(k)) << k << " " << piece.why;
  }
  EXPECT_EQ(covered, kFew);
  EXPECT_EQ(pieces.size(), 5U);
}

TEST(RevealClassByK, SaysWhyNothingIsKnown) {
  const auto pieces = pieces_of(
      [](const test::Element& e) { return e.alpha * sum_of(e) + e.beta * std::abs(e.c); });
  for (const KPiece& piece : pieces) {
    EXPECT_FALSE(piece.order);
    EXPECT_EQ(piece.reason, "unknown_arithmetic");
    EXPECT_FALSE(piece.why.empty());
  }
  EXPECT_EQ(pieces.back().hi, kMax);
}

}  // namespace
}  // namespace reprosum::reveal
