// What a capture says of what it could not have.
#include "src/report/capture_report.h"

#include <gtest/gtest.h>

namespace reprosum::report {
namespace {

TEST(KnownGap, IsASumOverIncrementsForWhichTheLibraryHasNone) {
  const auto is_gap = [](const char* routine, const char* context, const char* reason) {
    return is_known_gap({routine, context, reason, ""});
  };
  EXPECT_TRUE(is_gap("ssum", "ssum incx=-1 align=(0) and others of ..-1 threads=1", "not_a_sum"));
  EXPECT_TRUE(is_gap("dsum", "dsum incx=0 align=(0) threads=1", "unmaskable"));
  EXPECT_FALSE(is_gap("ssum", "ssum incx=1 align=(0) threads=1", "not_a_sum"));
  EXPECT_FALSE(is_gap("ssum", "ssum incx=-1 threads=1", "not_reached"));
  EXPECT_FALSE(is_gap("ssum", "ssum incx=-1 threads=1", "not_deterministic"));
  EXPECT_FALSE(is_gap("ddot", "ddot incx=-1 incy=1 threads=1", "not_a_sum"));
  EXPECT_FALSE(is_gap("ssum", "", "not_a_sum"));
}

}  // namespace
}  // namespace reprosum::report
