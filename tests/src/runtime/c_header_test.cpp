// The C header compiled as C89 (c_caller.c), and the tables of the C API.
#include <gtest/gtest.h>

#include "c_caller.h"
#include "sample_specs.h"

namespace reprosum {
namespace {

TEST(CHeader, IsC89AndWorksFromC) {
  const std::string text = spec::to_json(samples::plain_spec());
  double result = 0;
  EXPECT_EQ(call_from_c(text.data(), text.size(), &result), 0);
  EXPECT_EQ(result, 55);
}

TEST(CHeader, EveryStatusHasAName) {
  EXPECT_STREQ(reprosum_status_string(REPROSUM_OK), "ok");
  EXPECT_STREQ(reprosum_status_string(REPROSUM_BAD_ARGUMENT), "bad_argument");
  EXPECT_STREQ(reprosum_status_string(REPROSUM_NOT_COVERED), "not_covered");
  EXPECT_STREQ(reprosum_status_string(REPROSUM_BAD_SPEC), "bad_spec");
  EXPECT_STREQ(reprosum_status_string(REPROSUM_ENVIRONMENT), "environment");
  EXPECT_STREQ(reprosum_status_string(REPROSUM_INTERNAL), "internal");
  EXPECT_STREQ(reprosum_status_string(static_cast<reprosum_status>(7)), "unknown_status");
}

TEST(CHeader, VersionsAgree) {
  const std::string wanted = std::to_string(REPROSUM_VERSION_MAJOR) + "." +
                             std::to_string(REPROSUM_VERSION_MINOR) + "." +
                             std::to_string(REPROSUM_VERSION_PATCH);
  EXPECT_EQ(reprosum_version(), wanted);
}

}  // namespace
}  // namespace reprosum
