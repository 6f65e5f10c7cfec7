// The format that docs/adding_a_format.md adds, built from the page's own diff.
#include <gtest/gtest.h>

#include <cmath>

#include "spec/format.h"

namespace reprosum::spec {
namespace {

TEST(AddingAFormat, HasTheNumbersThatThePageLists) {
  const auto format = format_from_name("e2m1");
  ASSERT_TRUE(format.has_value());
  EXPECT_EQ(name(*format), "e2m1");
  EXPECT_EQ(largest(*format), 6);
  double expected[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (const double value : expected)
    for (const double sign : {1.0, -1.0})
      EXPECT_EQ(rounded(*format, sign * value), sign * value) << value;
  // Ties to even, and too large is the largest.
  EXPECT_EQ(rounded(*format, 2.5), 2);
  EXPECT_EQ(rounded(*format, 5), 4);
  EXPECT_EQ(rounded(*format, 0.25), 0);
  EXPECT_EQ(rounded(*format, -0.75), -1);
  EXPECT_EQ(rounded(*format, -INFINITY), -6);
}

TEST(AddingAFormat, StandsInTypes) {
  const auto type = type_from_name("e2m1/exact/f32/f32");
  ASSERT_TRUE(type.has_value());
  EXPECT_EQ(name(*type), "e2m1/exact/f32/f32");
  EXPECT_FALSE(is_native(*type));
}

}  // namespace
}  // namespace reprosum::spec
