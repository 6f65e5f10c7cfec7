// Arguments as REPROSUM_VERBOSE prints them.
#include "src/blas/print.h"

#include <gtest/gtest.h>

#include <string>

namespace reprosum::blas {
namespace {

// Callers pass letters that they never set; no byte of theirs may reach a terminal or break UTF-8.
TEST(Print, EveryLetterIsPrintableAscii) {
  for (int code = 0; code < 256; ++code) {
    const std::string text = printed(static_cast<char>(code));
    ASSERT_FALSE(text.empty());
    for (const char character : text) EXPECT_TRUE(character > ' ' && character <= '~') << code;
  }
  EXPECT_EQ(printed('N'), "N");
  EXPECT_EQ(printed('\0'), "\\x00");
  EXPECT_EQ(printed('\xc8'), "\\xc8");
}

TEST(Print, NumbersKeepEveryBit) {
  EXPECT_EQ(printed_list(1, std::int64_t{-7}, 0.1, 0.1f), "1,-7,0.10000000000000001,0.100000001");
}

}  // namespace
}  // namespace reprosum::blas
