#include "src/base/printable.h"

#include <gtest/gtest.h>

namespace reprosum::base {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  for (const std::string text :
       {"", "a line\n\tanother\n", "×122 (step 8,192) – ü 漢字 🙂"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsWhatCommandsATerminal) {
  EXPECT_EQ(printable("\x1b[2J\r\x07"), "\\u001b[2J\\u000d\\u0007");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(printable("\x7f\xc2\x9b"
                      "31m"),
            "\\u007f\\u009b31m");
  EXPECT_EQ(printable("\xe2\x80\xae\xe2\x81\xa6"), "\\u202e\\u2066");
}

// C1 as one byte, as a terminal without UTF-8 takes it, and sequences that are cut short.
TEST(Printable, TakesBytesThatAreNoUtf8ForThemselves) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(printable("\xe9t\xe9"), "\xe9t\xe9");
  EXPECT_EQ(printable("\xe2\x1b["), "\xe2\\u001b[");
  EXPECT_EQ(printable("\xe2\x80"), "\xe2\\u0080");
  EXPECT_EQ(printable("\xf0\x9f"), "\xf0\\u009f");
}

}  // namespace
}  // namespace reprosum::base
