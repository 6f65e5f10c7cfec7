// Words that somebody may have meant.
#include "src/base/nearest.h"

#include <gtest/gtest.h>

namespace reprosum::base {
namespace {

TEST(Nearest, CountsLettersAddedTakenReplacedAndSwapped) {
  EXPECT_EQ(distance("", ""), 0u);
  EXPECT_EQ(distance("", "abc"), 3u);
  EXPECT_EQ(distance("abc", ""), 3u);
  EXPECT_EQ(distance("show", "show"), 0u);
  EXPECT_EQ(distance("sow", "show"), 1u);
  EXPECT_EQ(distance("shoow", "show"), 1u);
  EXPECT_EQ(distance("shaw", "show"), 1u);
  EXPECT_EQ(distance("shwo", "show"), 1u);
  EXPECT_EQ(distance("hsow", "show"), 1u);
  EXPECT_EQ(distance("kitten", "sitting"), 3u);
}

TEST(Nearest, IsTheNearestWithinAThirdOfTheLetters) {
  const std::vector<std::string> words = {"show", "verify", "hash", "diff"};
  EXPECT_EQ(nearest("shwo", words), "show");
  EXPECT_EQ(nearest("verfiy", words), "verify");
  EXPECT_EQ(nearest("dif", words), "diff");
  EXPECT_EQ(nearest("frobnicate", words), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest("show", std::vector<std::string>{}), "");
}

}  // namespace
}  // namespace reprosum::base
