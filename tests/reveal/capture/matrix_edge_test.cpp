// Two limits at one product of sizes, one of which includes it.
#include "reveal/capture/matrix_edge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reveal/check/matrix_check.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kWork = 900;
constexpr spec::Shape3 kLargest{200, 1, 700};

// One class for all outputs of a shape: its order says which.
spec::MatrixRegime one_class(std::size_t order, std::vector<spec::Atom> guard) {
  spec::MatrixRegime regime;
  regime.guard = std::move(guard);
  regime.rows = {{1, 2048, 1, 1, {}, {{{{1, 0}, {{0, {1, 1}}}}}}}};
  regime.columns = {{1, 1, 1, 1, {}, {{{{1, 0}, {{0, {1, 1}}}}}}}};
  regime.table = {{0}};
  regime.classes.resize(1);
  regime.classes[0].order = order;
  regime.k_max = 2048;
  return regime;
}

spec::Atom products(spec::Atom::Kind kind, std::int64_t limit) {
  spec::Atom atom;
  atom.kind = kind;
  atom.use_m = atom.use_k = true;
  atom.limit = limit;
  return atom;
}

const spec::Atom kBelow = products(spec::Atom::Kind::at_most, kWork - 1);
const spec::Atom kAbove = products(spec::Atom::Kind::above, kWork - 1);

// Order 0 below; above, order 1 of many rows and order 2 of few, which begins one product later.
std::size_t true_order(const spec::Shape3& shape, bool is_other_on_edge = false) {
  const std::int64_t work = shape.m * shape.k;
  if (work < kWork) return 0;
  if (shape.m > 8) return 1;
  return work > kWork ? 2 : is_other_on_edge ? 9 : 0;
}

std::vector<spec::MatrixRegime> learned() {
  spec::MatrixRegime above = one_class(1, {kAbove});
  above.classes.resize(2);
  above.classes[1].order = 2;
  above.table = {{0}, {1}};
  above.rows = {{1, 8, 1, 1, {}, {{{{1, 0}, {{1, {1, 1}}}}}}},
                {9, 2048, 9, 1, {}, {{{{1, 0}, {{0, {9, 1}}}}}}}};
  spec::validate(above);
  return {one_class(0, {kBelow}), above};
}

bool follows(const std::vector<spec::MatrixRegime>& rules, const spec::Shape3& shape,
             bool is_other_on_edge = false) {
  const auto map = spec::regions(rules, shape);
  if (!map) return false;
  const auto output = static_cast<std::size_t>(map->class_at(0, 0));
  return map->regime->classes[output].order == true_order(shape, is_other_on_edge);
}

TEST(OnTheEdge, TakesTheRuleFromBelowForTheRowsThatNeedIt) {
  auto rules = learned();
  const spec::Shape3 wrong{6, 1, kWork / 6};
  ASSERT_FALSE(follows(rules, wrong));
  const auto edge =
      on_the_edge(rules, 1, wrong, kLargest, true,
                  [](const auto& tried, const auto& at) { return follows(tried, at); });
  ASSERT_TRUE(edge);
  rules.insert(rules.begin() + 1, *edge);
  for (std::int64_t m = 1; m <= kLargest.m; ++m)
    for (std::int64_t k = 1; k <= kLargest.k; ++k)
      ASSERT_TRUE(follows(rules, {m, 1, k})) << m << " x " << k;
}

TEST(OnTheEdge, CoversNothingWhereNoRuleIsRight) {
  auto rules = learned();
  const spec::Shape3 wrong{4, 1, kWork / 4};
  const auto edge =
      on_the_edge(rules, 1, wrong, kLargest, true,
                  [](const auto& tried, const auto& at) { return follows(tried, at, true); });
  ASSERT_TRUE(edge);
  rules.insert(rules.begin() + 1, *edge);
  for (std::int64_t m = 1; m <= kLargest.m; ++m)
    for (std::int64_t k = 1; k <= kLargest.k; ++k)
      ASSERT_NE(spec::regions(rules, {m, 1, k}).has_value(), m <= 8 && m * k == kWork)
          << m << " x " << k;
}

TEST(OnTheEdge, IsNotBlamedForARuleThatIsWrongBeyond) {
  const auto wrong_beyond = [](const auto& tried, const spec::Shape3& at) {
    return follows(tried, at) && (at.m > 8 || at.m * at.k < kWork);
  };
  EXPECT_FALSE(
      on_the_edge(learned(), 1, {6, 1, kWork / 6}, kLargest, true, wrong_beyond).has_value());
  EXPECT_FALSE(on_the_edge(learned(), 1, {6, 1, kWork / 6 + 1}, kLargest, true,
                           [](const auto& tried, const auto& at) { return follows(tried, at); })
                   .has_value());
}

TEST(PlanShapes, HoldsEveryShapeOfAGemvOnALimit) {
  const auto shapes = plan_shapes(learned(), std::vector<spec::Order>(3), true, kLargest, 1e7, 3);
  for (std::int64_t m = 1; m <= kLargest.m; ++m)
    for (const std::int64_t product : {kWork - 1, kWork}) {
      const spec::Shape3 shape{m, 1, product / m};
      if (product % m != 0 || shape.k > kLargest.k) continue;
      EXPECT_GE(std::count(shapes.begin(), shapes.end(), shape), 4) << m;
    }
}

TEST(ShapesOn, HaveTheProductOfThreeSizes) {
  spec::Atom atom = kAbove;
  atom.use_n = true;
  const auto shapes = shapes_on(atom, 720, {64, 64, 64}, false);
  EXPECT_GT(shapes.size(), 20U);
  for (const spec::Shape3& shape : shapes) EXPECT_EQ(shape.m * shape.n * shape.k, 720);
}

}  // namespace
}  // namespace reprosum::reveal
