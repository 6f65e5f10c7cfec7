// What the emitted tiles look like, and how orders become folds.
#include <gtest/gtest.h>

#include <string>

#include "kernels/matrix/order_tiles.h"
#include "kernels/matrix/recorded_calls.h"
#include "spec/surface.h"
#include "tests/kernels/code_patterns.h"
#include "tests/kernels/update_orders.h"

namespace reprosum::kernels {
namespace {

using test::count;
using test::kFused;
using test::kMultiply;

class Tile : public testing::TestWithParam<std::tuple<Isa, spec::Type>> {
 protected:
  // Every piece of the order at n, as one text.
  static std::string code(const std::string& order, std::int64_t n, bool ir = false,
                          TileShape shape = {2, 3}) {
    const auto [isa, type] = GetParam();
    const auto tiles = order_tiles(spec::parse_order(order), OutputMode::value, type, isa, "");
    std::vector<FoldStep> steps;
    std::string why, text;
    EXPECT_TRUE(fold_of(tiles->order(), n, OutputMode::value, *tiles, steps, why)) << why;
    add_code(steps, *tiles, shape, ir, text);
    return text;
  }

 private:
  static void add_code(const std::vector<FoldStep>& steps, const OrderTiles& tiles,
                       const TileShape& shape, bool ir, std::string& text) {
    for (const FoldStep& step : steps) {
      add_code(step.steps, tiles, shape, ir, text);
      if (step.kind != FoldStep::Kind::piece) continue;
      PiecePlan plan;
      std::string why;
      EXPECT_TRUE(tiles.plan_of(*step.rule, step.n, plan, why)) << why;
      text += tiles.listing(plan, shape, ir);
    }
  }
};

TEST_P(Tile, RoundedProductsAreNeverFused) {
  const std::string text = code("1..999: loop 1 { 0: [out *.@0 +1 x q]; }", 40);
  EXPECT_EQ(count(text, kFused), 0u) << text;
  EXPECT_GT(count(text, kMultiply), 0u);
}

TEST_P(Tile, FusedLeavesAreFused) {
  const std::string text = code("1..999: loop 1 { 0: [0 f@0 +1 x q]; }", 40);
  EXPECT_EQ(count(text, kMultiply), 0u) << text;
  EXPECT_EQ(count(text, kFused), 6u * 5u) << text;  // four iterations at a time and the rest
}

TEST_P(Tile, EndingsFuseOnlyWhereToldTo) {
  const char* chain = "1..999: loop 1 { 0: [0 .@0 +1 x q]; }";
  const auto fused = [&](Ending ending) {
    TileShape shape{1, 1};
    shape.ending = ending;
    return count(code(chain, 40, false, shape), kFused);
  };
  for (const Ending ending : {Ending::store, Ending::scaled, Ending::add, Ending::add_scaled})
    EXPECT_EQ(fused(ending), 0u) << static_cast<int>(ending);
  for (const Ending ending : {Ending::fuse_output, Ending::scaled_fuse, Ending::fuse_scaled})
    EXPECT_EQ(fused(ending), 1u) << static_cast<int>(ending);
}

TEST_P(Tile, NoCallsAndNoFastMath) {
  const auto [isa, type] = GetParam();
  for (const auto& named : test::library_updates()) {
    if (named.type != type || !named.generated) continue;
    const std::string text = code(named.text, 75);
    EXPECT_GT(count(text, "\tret"), 0u) << named.name;
    EXPECT_EQ(count(text, "\tcall"), 0u) << named.name;
    EXPECT_EQ(count(code(named.text, 75, true),
                    "(fadd|fmul|@llvm.fma[^ ]*) (fast|reassoc|contract|nnan|ninf|nsz|arcp|afn) "),
              0u);
  }
}

TEST_P(Tile, UsesTheWidthOfItsInstructionSet) {
  const std::string text = code("1..999: loop 1 { 0: [0 f@0 +1 x q]; }", 40);
  EXPECT_EQ(count(text, "%zmm") > 0, std::get<0>(GetParam()) == Isa::avx512);
  EXPECT_GT(count(text, "%[yz]mm"), 0u);
}

TEST_P(Tile, IsReproducible) {
  const auto named = test::library_updates()[3];
  EXPECT_EQ(code(named.text, 75), code(named.text, 75));
}

INSTANTIATE_TEST_SUITE_P(All, Tile,
                         testing::Combine(testing::Values(Isa::avx2, Isa::avx512),
                                          testing::Values(spec::Type::f32, spec::Type::f64)));

std::vector<FoldStep> fold(const OrderTiles& tiles, std::int64_t n, OutputMode mode) {
  std::vector<FoldStep> steps;
  std::string why;
  EXPECT_TRUE(fold_of(tiles.order(), n, mode, tiles, steps, why)) << why;
  return steps;
}

TEST(Fold, BlocksStartAtTheOutputAndMeetAlpha) {
  using Kind = FoldStep::Kind;
  const spec::Order order = spec::parse_order(
      "sub 0 { 1..99: loop 1 { 0: [f@0 +1 x q]; } } 1..99: parts fixed(m = 10) onto scale fused "
      "fold sub 0");
  const auto tiles = order_tiles(order, OutputMode::value, spec::Type::f64, Isa::avx2, "");
  const auto value = fold(*tiles, 25, OutputMode::value);
  ASSERT_EQ(value.size(), 4u);
  EXPECT_EQ(value[0].kind, Kind::output);
  EXPECT_EQ(value[1].scale, spec::Scale::fused);
  EXPECT_EQ(value[3].n, 5);
  EXPECT_EQ(value[3].at, 20);
  const auto zero = fold(*tiles, 25, OutputMode::zero);
  ASSERT_EQ(zero.size(), 4u);
  EXPECT_EQ(zero[0].kind, Kind::zero);  // fma(alpha, v, +0) is not alpha*v: -0 becomes +0
  EXPECT_EQ(zero[1].scale, spec::Scale::fused);
}

TEST(Fold, DroppedOutputsStartWithARoundedProduct) {
  const spec::Order order = spec::parse_order(
      "sub 0 { 1..99: loop 1 { 0: [f@0 +1 x q]; } } 1..99: parts fixed(m = 10) onto scale fused "
      "fold sub 0");
  const auto tiles = order_tiles(order, OutputMode::dropped, spec::Type::f64, Isa::avx2, "");
  const auto steps = fold(*tiles, 25, OutputMode::dropped);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].scale, spec::Scale::rounded);
  EXPECT_EQ(steps[1].scale, spec::Scale::fused);
}

TEST(Fold, MakesSumsOfPiecesApartButNoSumsOfThose) {
  const spec::Order order = spec::parse_order(
      "1..4: loop 1 { 0: [f@0 +1 x q]; } 5..99: split half_down(1) { self, self }");
  const auto tiles = order_tiles(order, OutputMode::value, spec::Type::f64, Isa::avx2, "");
  std::vector<FoldStep> steps;
  std::string why;
  EXPECT_TRUE(fold_of(tiles->order(), 8, OutputMode::value, *tiles, steps, why));
  EXPECT_TRUE(fold_of(tiles->order(), 16, OutputMode::value, *tiles, steps, why));
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[2].kind, FoldStep::Kind::sum);
  ASSERT_EQ(steps[2].steps.size(), 2U);
  EXPECT_EQ(steps[2].steps[1].at, 12);
  EXPECT_FALSE(fold_of(tiles->order(), 32, OutputMode::value, *tiles, steps, why));
  EXPECT_EQ(why, "sums of sums of sums of pieces");
}

TEST(Fold, PiecesThatGoOnFollowInPlace) {
  const spec::Order order = spec::parse_order(
      "sub 0 { 1..8: loop 1 { 0: [out f@0 +1 x q]; } } 1..8: loop 1 { 0: [out f@0 +1 x q]; } "
      "9..99: split last(8) through { self, sub 0 }");
  for (const OutputMode mode : {OutputMode::value, OutputMode::dropped}) {
    const auto tiles = order_tiles(order, mode, spec::Type::f64, Isa::avx2, "");
    const auto steps = fold(*tiles, 20, mode);
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_FALSE(steps[0].goes_on);
    EXPECT_TRUE(steps[1].goes_on && steps[2].goes_on);
    EXPECT_EQ(steps[2].at, 16);
    EXPECT_EQ(steps[2].n, 4);
  }
}

// A product that an exception ended would be repeated up to there, and the rest of C be left as it
// was.
TEST(RecordedCalls, AreThoseOfAWholeProduct) {
  double c[4] = {1, 2, 3, 4};
  spec::MatrixArguments<double> call;
  call.m = call.n = call.ldc = 2;
  call.c = c;
  RecordedCalls<double> recorded;
  EXPECT_FALSE(recorded.fits(call));
  recorded.begin(call);
  recorded.add_constant(FoldStep::Kind::zero, true, c, 2, 1, 1, 2);
  EXPECT_FALSE(recorded.fits(call));
  recorded.begin(call);
  recorded.add_constant(FoldStep::Kind::zero, true, c, 2, 1, 2, 2);
  EXPECT_TRUE(recorded.end());
  EXPECT_TRUE(recorded.fits(call));
  recorded.run(call);
  EXPECT_EQ(std::vector<double>(c, c + 4), std::vector<double>(4));
  recorded.begin(call);
  recorded.give_up();
  EXPECT_FALSE(recorded.end());
  EXPECT_FALSE(recorded.fits(call));
}

}  // namespace
}  // namespace reprosum::kernels
