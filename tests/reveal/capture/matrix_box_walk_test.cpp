// A box of products is compared from where it was wrong, and once more when all of it is right.
#include "reveal/capture/matrix_box_walk.h"

#include <gtest/gtest.h>

#include <set>

namespace reprosum::reveal {
namespace {

const std::vector<spec::Shape3> kShapes{{4, 1, 1}, {2, 1, 1}, {3, 1, 1}, {1, 1, 1}, {5, 1, 1}};

// Right but for some numbers of rows; keeps how many shapes each comparison was asked for.
struct Rules {
  std::set<std::int64_t> wrong;
  std::vector<std::size_t> asked{};

  MatrixReplayResult compare(std::span<const spec::Shape3> shapes) {
    asked.push_back(shapes.size());
    MatrixReplayResult result;
    for (const spec::Shape3& shape : shapes) {
      if (wrong.count(shape.m) > 0) {
        result.wrong.emplace();
        result.wrong->shape = shape;
        return result;
      }
      ++result.shapes;
    }
    return result;
  }
  BoxWalk::Compare comparison() {
    return [this](std::span<const spec::Shape3> shapes) { return compare(shapes); };
  }
};

TEST(BoxWalk, LooksOnceAtWhatIsRight) {
  Rules rules{{}};
  BoxWalk box(kShapes);
  EXPECT_EQ(box.go_on(rules.comparison()).shapes, 5);
  EXPECT_EQ(rules.asked, (std::vector<std::size_t>{5}));
}

TEST(BoxWalk, GoesOnWhereItWasWrongAndEndsWithAllShapes) {
  Rules rules{{2, 1}};
  BoxWalk box(kShapes);
  EXPECT_EQ(box.go_on(rules.comparison()).wrong->shape, kShapes[1]);
  rules.wrong.erase(2);
  EXPECT_EQ(box.go_on(rules.comparison()).wrong->shape, kShapes[3]);
  rules.wrong.erase(1);
  const MatrixReplayResult all = box.go_on(rules.comparison());
  EXPECT_FALSE(all.wrong);
  EXPECT_EQ(all.shapes, 5);
  EXPECT_EQ(rules.asked, (std::vector<std::size_t>{5, 4, 2, 5}));
}

// A repair of one shape may break another before it.
TEST(BoxWalk, SeesWhatARepairBroke) {
  Rules rules{{3}};
  BoxWalk box(kShapes);
  EXPECT_EQ(box.go_on(rules.comparison()).wrong->shape, kShapes[2]);
  rules.wrong = {4};
  EXPECT_EQ(box.go_on(rules.comparison()).wrong->shape, kShapes[0]);
  rules.wrong.clear();
  EXPECT_EQ(box.go_on(rules.comparison()).shapes, 5);
}

TEST(BoxWalk, MayHaveNoShapes) {
  Rules rules{{1}};
  BoxWalk box({});
  EXPECT_FALSE(box.go_on(rules.comparison()).wrong);
}

}  // namespace
}  // namespace reprosum::reveal
