// REPROSUM_ISA=opencl and cuda in libreprosum_blas.so: the bits of the interpreter and of the
// captured library, through Fortran and CBLAS; no device; a child of fork; the end of the process.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "command.h"
#include "tests/paths.h"

namespace reprosum {
namespace {

samples::Said call(const std::string& environment, const std::string& arguments,
                   const std::string& after = "") {
  return samples::run(
      "env OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1 REPROSUM_SPEC=" REPROSUM_SOURCE_DIR
      "/spec/library/openblas-0.3.21-Haswell.json " +
      environment + " timeout 500 " DEVICE_CALLER " " + arguments + after);
}

constexpr const char* kQuiet = " 2>/dev/null";

bool has(const samples::Said& said, const std::string& words) {
  return said.text.find(words) != std::string::npos;
}

class DropInDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const samples::Said said = call(isa_, "calls 1");
    const std::size_t why = said.text.find(std::string("no ") + GetParam() + " device");
    if (why != std::string::npos) GTEST_SKIP() << said.text.substr(why, said.text.find('\n') - why);
  }
  const std::string isa_ = std::string("REPROSUM_ISA=") + GetParam();
};
INSTANTIATE_TEST_SUITE_P(Backends, DropInDevice, testing::Values("opencl", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(DropInDevice, GivesTheBitsOfTheInterpreterAndOfTheLibrary) {
  const samples::Said here = call("REPROSUM_ISA=interpreter", "calls 6", kQuiet);
  ASSERT_EQ(here.exit_code, 0);
  EXPECT_FALSE(has(here, "refused")) << here.text;
  EXPECT_EQ(call(isa_, "calls 6", kQuiet).text, here.text);
  // The last line of the summary, alone.
  const samples::Said counted =
      call("REPROSUM_VERBOSE=1 " + isa_, "calls 6", " 2>&1 >/dev/null | tail -1");
  EXPECT_EQ(counted.text,
            "REPROSUM 60 replayed on the device, 0 that it did not do by this host's kernels\n");
#if defined(__x86_64__)  // and its Haswell kernels
  const std::string library = OPENBLAS_BLAS;
  if (library.empty() || !__builtin_cpu_supports("avx2")) return;
  const samples::Said there =
      call("REPROSUM_MODE=forward REPROSUM_BACKING=" + library, "calls 6", kQuiet);
  EXPECT_EQ(there.text, here.text);
#endif
}

// Threads of drivers are not there, and nobody waits for them.
TEST_P(DropInDevice, AChildOfForkIsServedByThisHost) {
  const samples::Said here = call("REPROSUM_ISA=interpreter", "fork", kQuiet);
  const samples::Said child = call(isa_, "fork", kQuiet);
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_EQ(child.text, here.text);
  const samples::Said told = call("REPROSUM_VERBOSE=1 " + isa_, "fork");
  EXPECT_TRUE(has(told, "not on the device: the device was opened before this process was forked"))
      << told.text;
  EXPECT_TRUE(has(told, "REPROSUM 1 replayed on the device, 60 that it did not do")) << told.text;
}

// While the device is opened, and while calls are there.
TEST_P(DropInDevice, TheProcessEndsWhileThreadsCall) {
  for (const char* microseconds : {"0", "1000", "30000", "200000", "700000"})
    EXPECT_EQ(call(isa_, std::string("exit ") + microseconds).exit_code, 0) << microseconds;
}

// As with a spec that cannot be opened: no other backend is taken, and no other way.
TEST(DropInNoDevice, IsSaidAtEveryCall) {
  for (const char* other : {"error", "exact"}) {
    const samples::Said said = call(
        std::string("OCL_ICD_VENDORS=/nonexistent REPROSUM_ISA=opencl REPROSUM_ON_UNCOVERED=") +
            other,
        "calls 1");
    EXPECT_TRUE(has(said, "cannot be replayed: REPROSUM_ISA: no opencl device: ")) << said.text;
    EXPECT_TRUE(has(said, "\nddot_ 0 refused\n")) << said.text;
    EXPECT_TRUE(has(said, "\ncblas_sgemm 0 refused\n")) << said.text;
  }
  const samples::Said wrong = call("REPROSUM_ISA=abacus", "calls 1");
  EXPECT_TRUE(has(wrong, "cannot be replayed: REPROSUM_ISA: unknown ISA \"abacus\"")) << wrong.text;
}

}  // namespace
}  // namespace reprosum
