// Which outputs a class is looked at in, where a guard leaves few.
#include "reveal/capture/matrix_cells.h"

#include <gtest/gtest.h>

#include "reveal/capture/matrix_routine.h"

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

MatrixCall gemv() {
  MatrixCall call;
  call.routine = spec::Routine::gemv;
  return call;
}

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

}  // namespace
}  // namespace reprosum::reveal
