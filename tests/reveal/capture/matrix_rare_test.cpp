// Classes of outputs that few shapes have.
#include <gtest/gtest.h>

#include <algorithm>

#include "reveal/capture/product_capture.h"
#include "reveal/check/matrix_check.h"
#include "tests/spec/sample_regions.h"

namespace reprosum::reveal {
namespace {

using spec::Shape3;

constexpr Shape3 kLargest{2048, 2048, 2048};

// One kind of rows up to 23, another one in 24; of columns up to `usual`, another one in the next
// seven: the second kinds meet in a class of their own.
spec::MatrixRegime listed(std::int64_t usual = 32) {
  const auto axis = [](std::int64_t last_usual, std::int64_t last) {
    spec::Axis sizes;
    for (const bool is_usual : {true, false}) {
      spec::Segment segment = spec::samples::uniform(is_usual ? last_usual : last);
      segment.from = segment.base = is_usual ? 1 : last_usual + 1;
      const std::int64_t base = segment.base;
      segment.schemas = {{{{1, 0}, {{is_usual ? 0 : 1, {base, 1}}}}}};
      sizes.push_back(segment);
    }
    return sizes;
  };
  spec::MatrixRegime regime;
  regime.rows = axis(23, 24);
  regime.columns = axis(usual, usual + 7);
  regime.table = {{0, 0}, {0, 1}};
  regime.classes = {{0, {}, {}}, {1, {}, {}}};
  regime.k_max = kLargest.k;
  return regime;
}

bool is_rare(const Shape3& shape) { return shape.m == 24 && shape.n >= 33; }

TEST(RareClasses, AreLookedForUntilSixShapesHaveThem) {
  const std::vector<spec::MatrixRegime> regimes{listed()};
  ASSERT_TRUE(spec::regions(regimes, {24, 35, 9}) && spec::regions(regimes, {3, 35, 9}));
  const std::vector<Shape3> usual(20, {5, 6, 7});
  for (std::uint64_t salt = 1; salt <= 20; ++salt) {
    SCOPED_TRACE(salt);
    const auto rare = shapes_of_rare(regimes, false, kLargest, usual, salt);
    EXPECT_EQ(rare.size(), 6u);
    EXPECT_EQ(std::count_if(rare.begin(), rare.end(), is_rare), 6);
    auto all = usual;
    all.insert(all.end(), rare.begin(), rare.end());
    EXPECT_TRUE(shapes_of_rare(regimes, false, kLargest, all, salt + 100).empty());
    auto kept = regimes;
    cover_only_tried(kept, all);
    EXPECT_EQ(kept, regimes);
    cover_only_tried(kept, usual);
    EXPECT_FALSE(spec::regions(kept, {24, 35, 9}));
    EXPECT_TRUE(spec::regions(kept, {3, 35, 9}));
  }
}

TEST(RareClasses, AreLookedForWhereRegimesAreListed) {
  const auto rare = shapes_of_rare({listed(73)}, false, kLargest, {{5, 6, 7}}, 5);
  EXPECT_EQ(std::count_if(rare.begin(), rare.end(),
                          [](const Shape3& shape) { return shape.m == 24 && shape.n > 73; }),
            6);
}

// Those that only large k have, or one k: conditions on k cut regimes.
TEST(RareClasses, AreLookedForAtFewAndAtManySummands) {
  for (const bool is_one : {true, false}) {
    spec::MatrixRegime cut = listed();
    cut.guard = {is_one ? k_atom(spec::Atom::Kind::at_most, 1)
                        : k_atom(spec::Atom::Kind::above, 200)};
    const auto rare = shapes_of_rare({cut}, false, kLargest, {}, 3);
    EXPECT_GE(std::count_if(rare.begin(), rare.end(), is_rare), 1);
    for (const Shape3& shape : rare) EXPECT_EQ(shape.k == 1, is_one);
  }
}

// A library may run other code for one row of one summand: the certificate of gemm has as many
// small shapes as here, and one of four products there may show it.
TEST(PlanSmall, HasManyProductsOfOneRowAndOneSummand) {
  for (std::uint64_t salt = 1; salt <= 20; ++salt) {
    const auto shapes = plan_small(false, kLargest, 4000, salt);
    const auto count = [&](auto is_one) {
      return std::count_if(shapes.begin(), shapes.end(), is_one);
    };
    EXPECT_GE(count([](const Shape3& s) { return s.m == 1 && s.k == 1 && s.n > 1; }), 30);
    EXPECT_GE(count([](const Shape3& s) { return s.n == 1 && s.k == 1 && s.m > 1; }), 30);
    EXPECT_GE(count([](const Shape3& s) { return s.m > 1 && s.n > 1 && s.k > 1; }), 2000);
  }
}

}  // namespace
}  // namespace reprosum::reveal
