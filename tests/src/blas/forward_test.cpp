// What forward mode hands on: everything, as it came.
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <string>

#include "command.h"

namespace reprosum {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif
constexpr const char* kNoPreload = "a sanitizer's runtime would have to be preloaded first";

samples::Said with(const std::string& environment, const std::string& libraries,
                   const std::string& program) {
  return samples::run("env REPROSUM_CACHE_DIR= " + environment + " LD_PRELOAD='" + libraries +
                      "' timeout 100 " + program);
}

// Both faces and the ILP64 twins, whatever the library behind takes for an integer.
TEST(Forward, HandsOnTheArgumentsOfEveryName) {
  if (kIsSanitized) GTEST_SKIP() << kNoPreload;
  for (const std::string behind : {EVERY_NAME, EVERY_WIDE_NAME}) {
    const samples::Said alone = with("", behind, EVERY_NAME_CALLER);
    EXPECT_EQ(alone.exit_code, 0) << alone.text;
    EXPECT_GT(alone.text.size(), 15u);
    const samples::Said forwarded =
        with("REPROSUM_MODE=forward", REPROSUM_BLAS_LIBRARY " " + behind, EVERY_NAME_CALLER);
    EXPECT_EQ(forwarded.text, alone.text) << behind;
  }
  // A call that is printed is read only if it can be.
  const samples::Said printed = with("REPROSUM_MODE=forward REPROSUM_VERBOSE=1",
                                     REPROSUM_BLAS_LIBRARY " " EVERY_WIDE_NAME, EVERY_NAME_CALLER);
  for (const std::string routine : {"dot", "sum", "gemv", "gemm"})
    for (const std::string type : {"s", "d"})
      for (const std::string& name : {type + routine + "_", "cblas_" + type + routine}) {
        EXPECT_NE(printed.text.find("REPROSUM " + name + " forwarded\n"), std::string::npos)
            << name;
        EXPECT_EQ(printed.text.find("\n" + name + ": "), std::string::npos) << name;
      }
  char row[120];
  std::snprintf(row, sizeof row, "REPROSUM %-20s %12d %12d %12d %12d\n", "cblas_dgemm", 0, 0, 2, 0);
  EXPECT_NE(printed.text.find(row), std::string::npos);
}

TEST(Forward, AProgramWithWideIntegersIsAsWithoutUs) {
  if (kIsSanitized) GTEST_SKIP() << kNoPreload;
  std::istringstream libraries(WIDE_LIBRARIES);
  int tried = 0;
  for (std::string behind; libraries >> behind; ++tried) {
    const std::string one_thread = "OPENBLAS_NUM_THREADS=1 ";
    const samples::Said alone = with(one_thread, behind, WIDE_CALLER);
    EXPECT_EQ(alone.exit_code, 0) << alone.text;
    EXPECT_NE(alone.text.find("cblas_dgemm "), std::string::npos) << alone.text;
    const samples::Said forwarded =
        with(one_thread + "REPROSUM_MODE=forward", REPROSUM_BLAS_LIBRARY " " + behind, WIDE_CALLER);
    EXPECT_EQ(forwarded.text, alone.text) << behind;
    EXPECT_EQ(forwarded.exit_code, 0) << behind;
  }
  if (tried == 0) GTEST_SKIP() << "no libblas64.so.3 is installed";
}

}  // namespace
}  // namespace reprosum
