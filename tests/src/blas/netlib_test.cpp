// Netlib's testers of level 1 with libreprosum_blas.so before the system's BLAS: DDOT and SDOT are
// ours and pass, whatever the tester thinks of the others.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "command.h"

namespace reprosum {
namespace {

void test_with(const std::string& tester, const std::string& routine) {
  if (access(tester.c_str(), X_OK) != 0) GTEST_SKIP() << "netlib's testers are not installed";
  const std::string path = testing::TempDir() + "netlib_" + std::to_string(getpid()) + ".json";
  samples::write_spec(path, samples::strided_spec());
  const std::string preloaded = "env LD_PRELOAD=" REPROSUM_BLAS_LIBRARY " REPROSUM_SPEC=";
  const std::string said = samples::run(preloaded + path + " " + tester).text;
  std::remove(path.c_str());
  const std::size_t found = said.find(routine);
  ASSERT_NE(found, std::string::npos) << said;
  EXPECT_NE(said.find("PASS", found), std::string::npos) << said;
  EXPECT_LT(said.find("PASS", found), said.find("Test of subprogram", found)) << said;
  // That it was ours which passed: without a spec the same call must be reported.
  const std::string without = samples::run(preloaded + " " + tester).text;
  EXPECT_NE(without.find(routine + "(n = "), std::string::npos) << without;
}

TEST(Netlib, Ddot) { test_with(XBLAT1D, "DDOT"); }
TEST(Netlib, Sdot) { test_with(XBLAT1S, "SDOT"); }

}  // namespace
}  // namespace reprosum
