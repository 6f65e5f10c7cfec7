// Which outputs a class is looked at in, where a guard leaves few.
#include "reveal/capture/matrix_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "reveal/capture/product_capture.h"
#include "reveal/check/matrix_check.h"

namespace reprosum::reveal {
namespace {

// gemv outputs in tiles of 16 (type 0) with a rest (type 1).
LearnedRegime tiles_of_sixteen(spec::Atom::Kind kind, std::int64_t limit) {
  LearnedRegime regime;
  spec::Segment rows{1, 2048, 16, 16, {}, {}};
  for (std::int64_t m = 1; m < 16; ++m) rows.words.push_back({{{1, 0}, {{1, {m, 0}}}}});
  for (std::int64_t r = 0; r < 16; ++r) {
    spec::WordItem item{{1, 0}, {{0, {16, 16}}}};
    if (r > 0) item.runs.push_back({1, {r, 0}});
    rows.schemas.push_back({item});
  }
  regime.rule.rows = {rows};
  regime.rule.columns = {{1, 1, 1, 1, {}, {{{{1, 0}, {{0, {1, 1}}}}}}}};
  regime.rule.table = {{0}, {1}};
  regime.rule.classes.resize(2);
  regime.rule.k_max = 2048;
  spec::Atom atom;
  atom.kind = kind;
  atom.use_m = atom.use_k = true;
  atom.limit = limit;
  regime.rule.guard = {atom};
  regime.witnesses = {{{40, 1, 37}, 0, 0}, {{40, 1, 37}, 39, 0}};
  spec::validate(regime.rule);
  return regime;
}

Call gemv() { return call_without_sizes(spec::Routine::gemv, spec::Type::f64); }

constexpr spec::Shape3 kLargest{2048, 2048, 2048};

TEST(ClassCells, ReachTheLastNumberOfSummandsOfAClass) {
  const LearnedRegime regime = tiles_of_sixteen(spec::Atom::Kind::at_most, 9215);
  EXPECT_EQ(ClassCells(gemv(), regime, 0, kLargest).k_max(), 9215 / 16);
  EXPECT_EQ(ClassCells(gemv(), regime, 1, kLargest).k_max(), 2048);
}

// With few summands, only long outputs lie above the bound, and not every one has a rest.
TEST(ClassCells, ReachTheFirstNumberOfSummandsAboveABound) {
  const LearnedRegime regime = tiles_of_sixteen(spec::Atom::Kind::above, 9215);
  for (const std::int32_t output_class : {0, 1}) {
    const ClassCells cells(gemv(), regime, output_class, kLargest);
    EXPECT_FALSE(cells.at(4).has_value());
    for (std::int64_t k = 5; k <= 64; ++k) {
      const auto found = cells.at(k);
      ASSERT_TRUE(found.has_value()) << "class " << output_class << ", k = " << k;
      EXPECT_GT(found->call.m * k, 9215);
      for (const auto& [i, j] : found->cells)
        EXPECT_EQ(i >= found->call.m / 16 * 16, output_class == 1);
    }
  }
}

// Small products that no rule covers are listed by a guard of their one k.
TEST(ClassCells, FindTheOnlyNumberOfSummandsOfAGuard) {
  for (std::int64_t k = 1; k <= 64; ++k) {
    LearnedRegime regime = tiles_of_sixteen(spec::Atom::Kind::at_most, 2048 * 64);
    regime.rule.guard.push_back(k_atom(spec::Atom::Kind::above, k - 1));
    regime.rule.guard.push_back(k_atom(spec::Atom::Kind::at_most, k));
    const ClassCells cells(gemv(), regime, 0, kLargest);
    EXPECT_EQ(cells.k_max(), k);
    EXPECT_TRUE(cells.at(k).has_value());
  }
}

// A guard may admit only two small products, whose sizes no other search would try.
TEST(ClassCells, FindTheOnlyShapesOfAGuard) {
  LearnedRegime regime = tiles_of_sixteen(spec::Atom::Kind::at_most, 64 * 64);
  regime.rule.columns = {{1, 2048, 1, 1, {}, {{{{1, 0}, {{0, {1, 1}}}}}}}};
  regime.rule.guard = {k_atom(spec::Atom::Kind::at_most, 64)};
  for (const bool rows : {true, false}) {
    spec::Atom atom = k_atom(spec::Atom::Kind::at_most, 64);
    atom.use_k = false;
    (rows ? atom.use_m : atom.use_n) = true;
    regime.rule.guard.push_back(atom);
  }
  for (const auto kind : {spec::Atom::Kind::at_most, spec::Atom::Kind::above}) {
    spec::Atom atom = k_atom(kind, kind == spec::Atom::Kind::above ? 2708 : 2709);
    atom.use_k = false;
    atom.use_m = atom.use_n = true;
    regime.rule.guard.push_back(atom);
  }
  spec::validate(regime.rule);
  const Call gemm = call_without_sizes(spec::Routine::gemm, spec::Type::f64);
  for (const std::int32_t output_class : {0, 1}) {
    const ClassCells cells(gemm, regime, output_class, kLargest);
    for (const std::int64_t k : {1, 2, 64}) {
      const auto found = cells.at(k);
      ASSERT_TRUE(found.has_value()) << k;
      EXPECT_EQ(found->call.m * found->call.n, 2709);
    }
  }
}

// Rows in tiles of 16 of a product above a bound, up to a number of rows: its edges decide.
TEST(ClassCells, ReachFewSummandsBelowALimitOnRows) {
  LearnedRegime regime = tiles_of_sixteen(spec::Atom::Kind::above, 1000000);
  regime.rule.guard[0].use_n = true;
  spec::Atom rows;
  rows.use_m = true;
  rows.limit = 300;
  regime.rule.guard.push_back(rows);
  regime.rule.columns = {{1, 2048, 1, 1, {}, {{{{1, 0}, {{0, {1, 1}}}}}}}};
  spec::validate(regime.rule);
  const Call gemm = call_without_sizes(spec::Routine::gemm, spec::Type::f64);
  for (const std::int32_t output_class : {0, 1}) {
    const ClassCells cells(gemm, regime, output_class, kLargest);
    EXPECT_EQ(cells.k_min(), 1);
    for (std::int64_t k = 2; k <= 64; ++k)
      EXPECT_TRUE(cells.at(k).has_value()) << "class " << output_class << ", k = " << k;
  }
}

// Where the class has no such shape that is looked at, its orders begin later.
TEST(ClassCells, SayFromWhereOnTheyAreKnown) {
  LearnedRegime regime = tiles_of_sixteen(spec::Atom::Kind::above, 9215);
  // The rest is special in outputs of fewer than a hundred rows only.
  regime.rule.rows[0].to = 99;
  spec::Segment others{100, 2048, 100, 1, {}, {{{{1, 0}, {{0, {100, 1}}}}}}};
  regime.rule.rows.push_back(others);
  const ClassCells cells(gemv(), regime, 1, kLargest);
  EXPECT_GE(cells.k_min(), 9216 / 99);
  EXPECT_FALSE(cells.at(cells.k_min() - 1).has_value());
  EXPECT_TRUE(cells.at(cells.k_min()).has_value());
}

// A shape on the very bound may follow what is below it: it stands for a class where no other does.
TEST(ClassCells, AvoidShapesOnABound) {
  LearnedRegime regime = tiles_of_sixteen(spec::Atom::Kind::above, 9215);
  regime.rule.rows[0].to = 16;
  const ClassCells cells(gemv(), regime, 0, kLargest);
  EXPECT_EQ(cells.k_min(), 9216 / 16 + 1);
  EXPECT_FALSE(cells.at(9216 / 16).has_value());
  regime.rule.guard[0].limit = 16 * 2048 - 1;
  EXPECT_TRUE(ClassCells(gemv(), regime, 0, kLargest).at(2048).has_value());
}

// A shape that an earlier regime decides stands for none of the classes of a later one.
TEST(ClassCells, LeaveOutWhatAnEarlierRegimeDecides) {
  const LearnedRegime first = tiles_of_sixteen(spec::Atom::Kind::at_most, 9215);
  LearnedRegime rest = first;
  rest.rule.guard.clear();
  for (const std::int32_t output_class : {0, 1}) {
    const ClassCells cells(gemv(), rest, output_class, kLargest, std::span(&first, 1));
    EXPECT_EQ(cells.k_min(), 9216 / kLargest.m + 1);
    for (std::int64_t k = cells.k_min(); k <= 64; ++k) {
      const auto found = cells.at(k);
      ASSERT_TRUE(found.has_value()) << "class " << output_class << ", k = " << k;
      EXPECT_GT(found->call.m * k, 9215);
    }
  }
}

// Random matrices have every small number of summands in every regime that leaves room for it.
TEST(ShapesInside, HoldFewSummandsOfEveryRegime) {
  LearnedRegime bounded = tiles_of_sixteen(spec::Atom::Kind::above, 1000000);
  bounded.rule.guard[0].use_n = true;
  LearnedRegime rest = bounded;
  rest.rule.guard.clear();
  const std::vector<spec::MatrixRegime> regimes{bounded.rule, rest.rule};
  const auto shapes = shapes_inside(regimes, false, kLargest, 1.2e7, 5);
  for (std::size_t regime = 0; regime < regimes.size(); ++regime) {
    for (std::int64_t k = 1; k <= 16; ++k) {
      const auto is_there = [&](const spec::Shape3& shape) {
        return shape.k == k && deciding_regime(regimes, shape) == regime;
      };
      EXPECT_TRUE(std::any_of(shapes.begin(), shapes.end(), is_there)) << regime << ", k = " << k;
    }
  }
}

// A regime of shapes with three large sizes costs more than the work of one, and is looked at.
TEST(ShapesInside, HoldTheCheapestWhereEveryShapeIsDear) {
  LearnedRegime rest = tiles_of_sixteen(spec::Atom::Kind::above, 1000000);
  rest.rule.guard.clear();
  LearnedRegime far = rest;
  for (int size = 0; size < 3; ++size)
    far.rule.guard.push_back({spec::Atom::Kind::above, size == 0, size == 1, size == 2, 200, 1, 1});
  const std::vector<spec::MatrixRegime> regimes{far.rule, rest.rule};
  for (const std::uint64_t salt : {1, 2, 3, 4, 5}) {
    const auto shapes = shapes_inside(regimes, false, kLargest, 1.25e7, salt);
    double work = 0;
    for (const spec::Shape3& shape : shapes)
      if (deciding_regime(regimes, shape) == std::size_t{0})
        work += static_cast<double>(shape.m * shape.n * shape.k);
    EXPECT_GT(work, 2 * 8e6) << salt;
    EXPECT_LE(work, 6 * 1.25e7) << salt;
  }
}

}  // namespace
}  // namespace reprosum::reveal
