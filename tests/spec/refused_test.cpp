// Documents that must be refused, each at the place that its first line names.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "spec/error.h"
#include "spec/surface.h"
#include "tests/paths.h"

namespace reprosum::spec {
namespace {

// First line of a file: "# <where> | <part of the message>". It is a comment of the text language;
// JSON has none, so there it is taken off.
TEST(Refused, EachDocumentAtItsPlace) {
  int count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(REPROSUM_SOURCE_DIR "/tests/spec/refused")) {
    SCOPED_TRACE(file.path().filename().string());
    std::ifstream in(file.path(), std::ios::binary);
    std::stringstream stream;
    stream << in.rdbuf();
    std::string text = stream.str();
    const std::string first = text.substr(0, text.find('\n'));
    const std::size_t bar = first.find(" | ");
    ASSERT_NE(bar, std::string::npos);
    const std::string where = first.substr(2, bar - 2), what = first.substr(bar + 3);
    ++count;
    try {
      if (file.path().extension() == ".json") {
        from_json(std::string_view(text).substr(first.size() + 1));
      } else {
        parse_order(text);
      }
      ADD_FAILURE() << "was accepted";
    } catch (const ParseError& error) {
      EXPECT_EQ(error.where, where) << error.what();
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  }
  EXPECT_GE(count, 140);
}

}  // namespace
}  // namespace reprosum::spec
