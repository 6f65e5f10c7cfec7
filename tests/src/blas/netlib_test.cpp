// Netlib's testers over this library: every routine in forward mode, by LD_PRELOAD and as
// libblas.so.3; dot replayed; exact routines; and gemv and gemm with our checks of the arguments.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "command.h"

namespace reprosum {
namespace {

const std::string kTesters = NETLIB_TESTERS;
const std::string kPreload = "LD_PRELOAD=" REPROSUM_BLAS_LIBRARY " ";
const std::string kLibblas = "LD_LIBRARY_PATH=" REPROSUM_LIBBLAS_DIRECTORY " ";

class Netlib : public testing::Test {
 protected:
  void SetUp() override {
    if (kTesters.empty()) GTEST_SKIP() << "netlib's testers are not installed";
    directory_ = testing::TempDir() + "netlib_" + std::to_string(getpid());
    samples::run("mkdir -p " + directory_);
    spec_ = directory_ + "/spec.json";
    samples::write_spec(spec_, samples::strided_spec());
  }
  void TearDown() override {
    if (!directory_.empty()) samples::run("rm -r " + directory_);
  }

  // What the tester and the file that it writes say.
  std::string test(const std::string& tester, const std::string& input,
                   const std::string& environment) {
    const std::string file = input.empty() ? "/dev/null" : kTesters + "/" + input;
    return samples::run("(cd " + directory_ + " && rm -f *.out && env OPENBLAS_NUM_THREADS=1 " +
                        environment + " " + kTesters + "/" + tester + " < " + file +
                        " && cat *.out 2>/dev/null)")
        .text;
  }
  // As many routines pass as over the reference implementation alone, and nothing is wrong.
  void expect_passed(const std::string& tester, const std::string& input,
                     const std::string& environment) {
    const std::string alone = test(tester, input, "LD_LIBRARY_PATH=" + kTesters);
    const std::string said = test(tester, input, environment);
    const int wanted = passes(alone);
    ASSERT_GT(wanted, 5) << alone;
    EXPECT_EQ(passes(said), wanted) << tester << " " << environment << "\n" << said;
    for (const char* const bad : {"FAIL", "*****", "libreprosum_blas:"})
      EXPECT_EQ(said.find(bad), std::string::npos) << tester << " " << environment << "\n" << said;
  }
  static int passes(const std::string& text) {
    int found = 0;
    for (std::size_t at = text.find("PASS"); at != std::string::npos;
         at = text.find("PASS", at + 1))
      ++found;
    return found;
  }
  void expect_all_passed(const std::string& types, const std::string& environment) {
    for (const char type : types)
      for (const char level : {'1', '2', '3'})
        expect_passed(std::string("xblat") + level + type,
                      level == '1' ? "" : std::string(1, type) + "blat" + level + ".in",
                      environment);
  }
  void expect_all_cblas_passed(const std::string& types, const std::string& environment) {
    for (const char type : types)
      for (const char level : {'1', '2', '3'})
        expect_passed(std::string("x") + type + "cblat" + level,
                      level == '1' ? "" : std::string(1, type) + "in" + level, environment);
  }

  std::string directory_, spec_;
};

TEST_F(Netlib, PreloadedOverEachBlas) {
  for (const std::string backing : {REFERENCE_BLAS, OPENBLAS_BLAS}) {
    if (backing.empty()) continue;
    expect_all_passed("sdcz", kPreload + "REPROSUM_MODE=forward REPROSUM_BACKING=" + backing);
  }
}

TEST_F(Netlib, AsLibblasOverEachBlas) {
  for (const std::string backing : {REFERENCE_BLAS, OPENBLAS_BLAS}) {
    if (backing.empty()) continue;
    expect_all_passed("sdcz", kLibblas + "REPROSUM_MODE=forward REPROSUM_BACKING=" + backing);
  }
}

// These testers need a variable of the reference's CBLAS, so that must be in the process.
TEST_F(Netlib, CblasPreloadedOverEachBlas) {
  const std::string loaded = kPreload + "LD_LIBRARY_PATH=" + kTesters + " REPROSUM_MODE=forward ";
  expect_all_cblas_passed("sdcz", loaded);
  for (const std::string backing : {REFERENCE_BLAS, OPENBLAS_BLAS})
    if (!backing.empty()) expect_all_cblas_passed("sdcz", loaded + "REPROSUM_BACKING=" + backing);
}

// The error exits of gemv and gemm are ours, the rest is forwarded.
TEST_F(Netlib, ChecksArgumentsAsTheReference) {
  const std::string loaded = kPreload + "LD_LIBRARY_PATH=" + kTesters + " REPROSUM_SPEC=" + spec_ +
                             " REPROSUM_ON_UNCOVERED=forward REPROSUM_ON_FORWARDED=allow ";
  expect_all_passed("sd", loaded);
  expect_all_cblas_passed("sd", loaded);
}

// No spec is asked; what has no exact routine is forwarded.
TEST_F(Netlib, ComputesExactly) {
  const std::string loaded =
      kPreload + "LD_LIBRARY_PATH=" + kTesters +
      " REPROSUM_MODE=exact REPROSUM_NUM_THREADS=2 REPROSUM_ON_FORWARDED=allow ";
  expect_all_passed("sd", loaded);
  expect_all_cblas_passed("sd", loaded);
  const std::string said = test("xblat2d", "dblat2.in", loaded + "REPROSUM_VERBOSE=1 2>&1");
  for (const char* const line :
       {"REPROSUM summary                  replayed        exact    forwarded",
        "REPROSUM dtrsv_ exact\n", "REPROSUM dtrmv_ exact\n", "REPROSUM dsyr_ forwarded\n"})
    EXPECT_NE(said.find(line), std::string::npos) << line << said.substr(0, 2000);
}

TEST_F(Netlib, ReplaysDot) {
  for (const auto& [tester, routine] : {std::pair{"xblat1d", "DDOT"}, {"xblat1s", "SDOT"}}) {
    const std::string loaded =
        kPreload + "LD_LIBRARY_PATH=" + kTesters + " REPROSUM_ON_FORWARDED=allow ";
    expect_passed(tester, "", loaded + "REPROSUM_SPEC=" + spec_);
    // That it was ours which passed: without a spec the same call is reported.
    EXPECT_NE(test(tester, "", loaded).find(std::string(routine) + "(n = "), std::string::npos);
  }
}

}  // namespace
}  // namespace reprosum
