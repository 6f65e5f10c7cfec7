// The ways to load the library: LD_PRELOAD, as libblas.so.3, and dlopen as libblastrampoline does.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "command.h"

namespace reprosum {
namespace {

constexpr char kFake[] = "REPROSUM_BACKING=" FAKE_BLAS " ";
constexpr char kPreload[] = REPROSUM_BLAS_LIBRARY;
constexpr char kNumpy[] =
    " /usr/bin/python3 -c \""
    "import numpy as np; r = np.random.default_rng(1); a = r.standard_normal((50, 60)); "
    "x = r.standard_normal(60); c = np.linalg.solve(a @ a.T, a @ x); "
    "print(np.dot(x, x).hex(), (a @ a.T).sum().hex(), c.sum().hex(), abs(np.vdot(x + 1j, x)))\"";

samples::Said call(const std::string& environment, const std::string& symbols) {
  return samples::run("env -u REPROSUM_SPEC " + environment + " " FAKE_CALLER " " + kPreload + " " +
                      symbols);
}

TEST(Loading, TheNextLibraryOfTheProcessIsTheBacking) {
  const std::string loaded =
      std::string("LD_PRELOAD=") + kPreload + ":" FAKE_BLAS " REPROSUM_MODE=forward";
  EXPECT_EQ(call(loaded, "dtrsm_").text.find("fake dtrsm_"), 0u);
  EXPECT_EQ(call(loaded, "ddot_").text.find("fake ddot_"), 0u);
}

// Both copies of this library in one process: neither is the backing of the other.
TEST(Loading, TwoCopiesDoNotCallEachOther) {
  const samples::Said both =
      samples::run(std::string("env LD_PRELOAD=") + kPreload +
                   ":" REPROSUM_LIBBLAS " timeout 60 " FAKE_CALLER " " + kPreload + " dtrsm_");
  EXPECT_EQ(both.exit_code, EXIT_FAILURE) << both.text;
  EXPECT_NE(both.text.find("no other library"), std::string::npos) << both.text;
}

// With deep binding the backing's CBLAS layer calls its own ddot_, without it ours, which counts.
TEST(Loading, DeepBindingKeepsTheBackingToItself) {
  const std::string environment =
      std::string(kFake) + "LD_PRELOAD=" + kPreload + " REPROSUM_MODE=forward REPROSUM_VERBOSE=1 ";
  const std::string inner = "REPROSUM ddot_(2,";
  EXPECT_NE(call(environment, "cblas_ddot").text.find(inner), std::string::npos);
  const samples::Said deep = call(environment + "REPROSUM_BACKING_BIND=deep", "cblas_ddot");
  EXPECT_EQ(deep.text.find(inner), std::string::npos) << deep.text;
  EXPECT_NE(deep.text.find("cblas_ddot 101\n"), std::string::npos) << deep.text;
}

// The probes of libblastrampoline, which decide from the answers how a library is to be called. A
// real BLAS stands behind.
TEST(Loading, AnswersLibblastrampoline) {
  if (std::string(SYSTEM_BLAS).empty()) GTEST_SKIP() << "no system BLAS is installed";
  for (const std::string mode : {"REPROSUM_MODE=forward", "REPROSUM_ON_UNCOVERED=forward"}) {
    const samples::Said said =
        samples::run("env REPROSUM_ON_FORWARDED=allow REPROSUM_BACKING=" SYSTEM_BLAS " " + mode +
                     " " PROBE_CALLER " " + kPreload);
    EXPECT_EQ(said.exit_code, 0) << said.text;
    EXPECT_EQ(said.text, "isamax_ 2\nsdot_ 11\ncdotc_ 8 -6\nzdotc_ 8 -6\ncdotc_sub 8 -6\n");
  }
}

class LoadingNumpy : public testing::Test {
 protected:
  void SetUp() override {
    plain_ = samples::run(
        std::string("env OPENBLAS_NUM_THREADS=1 LD_LIBRARY_PATH=" SYSTEM_BLAS_DIRECTORY) + kNumpy);
    if (std::string(SYSTEM_BLAS).empty() || plain_.exit_code != 0)
      GTEST_SKIP() << "no NumPy over libblas.so.3 is installed";
  }
  // The same lines, and a summary in which something was counted.
  void expect_forwarded(const std::string& environment) {
    const samples::Said said = samples::run("env OPENBLAS_NUM_THREADS=1 " + environment + kNumpy);
    EXPECT_EQ(said.exit_code, 0) << said.text;
    EXPECT_EQ(said.text, plain_.text) << environment;
    const samples::Said counted =
        samples::run("env OPENBLAS_NUM_THREADS=1 REPROSUM_VERBOSE=1 " + environment + kNumpy);
    EXPECT_NE(counted.text.find("REPROSUM cblas_ddot(60,0x"), std::string::npos) << counted.text;
    EXPECT_NE(counted.text.find("REPROSUM cblas_dsyrk forwarded\n"), std::string::npos)
        << counted.text;
    EXPECT_NE(counted.text.find("REPROSUM summary"), std::string::npos) << counted.text;
  }

  samples::Said plain_;
  const std::string preload_ = std::string("LD_PRELOAD=") + kPreload + " ";
};

TEST_F(LoadingNumpy, PreloadedWithABacking) {
  expect_forwarded(preload_ + "REPROSUM_MODE=forward REPROSUM_BACKING=" SYSTEM_BLAS);
}

// The BLAS of a Python module is in no global scope; it is found among the loaded libraries.
TEST_F(LoadingNumpy, PreloadedBeforeTheBlasOfTheModule) {
  expect_forwarded(preload_ +
                   "REPROSUM_ON_UNCOVERED=forward REPROSUM_ON_FORWARDED=allow LD_LIBRARY_PATH=" +
                   SYSTEM_BLAS_DIRECTORY);
}

// LAPACK calls its own BLAS past us, so that its drivers are said and counted. Its symbols are
// found by the calls of what is loaded, not by dlsym.
TEST_F(LoadingNumpy, DriversOfLapackAreNamedAndCounted) {
  const std::string directory = std::string(" LD_LIBRARY_PATH=") + SYSTEM_BLAS_DIRECTORY;
  const std::string loaded =
      "env OPENBLAS_NUM_THREADS=1 " + preload_ + "REPROSUM_ON_UNCOVERED=forward " + directory;
  std::string text = samples::run(loaded + kNumpy).text;
  for (const std::string routine : {"SDOT", "DDOT", "DGEMV", "DSYRK", "DGESV", "ZDOTC_SUB"}) {
    const std::size_t at = text.find("libreprosum_blas: " + routine + " is forwarded");
    ASSERT_NE(at, std::string::npos) << routine << "\n" << text;
    text.erase(at, text.find('\n', at) + 1 - at);
  }
  EXPECT_EQ(text, plain_.text);
  const samples::Said counted = samples::run("env REPROSUM_VERBOSE=1 " + loaded.substr(4) + kNumpy);
  EXPECT_NE(counted.text.find("\nREPROSUM dgesv_ forwarded\n"), std::string::npos) << counted.text;
  EXPECT_NE(
      counted.text.find(
          "\nREPROSUM dgesv_                          0            0            1            0\n"),
      std::string::npos)
      << counted.text;
  const samples::Said silent = samples::run("env OPENBLAS_NUM_THREADS=1 REPROSUM_MODE=forward " +
                                            preload_ + directory + kNumpy);
  EXPECT_EQ(silent.text, plain_.text);
  const samples::Said none = samples::run(
      "env " + preload_ + directory +
      " /usr/bin/python3 -c \"import ctypes; ctypes.CDLL(None).dgesv_\" 2>&1 | tail -1");
  EXPECT_NE(none.text.find("undefined symbol: dgesv_"), std::string::npos) << none.text;
}

TEST_F(LoadingNumpy, AsLibblas) {
  expect_forwarded("REPROSUM_MODE=forward REPROSUM_BACKING=" SYSTEM_BLAS
                   " LD_LIBRARY_PATH=" REPROSUM_LIBBLAS_DIRECTORY);
}

TEST_F(LoadingNumpy, AsLibblasByASymbolicLink) {
  const std::string directory = testing::TempDir() + "loading_" + std::to_string(getpid());
  ASSERT_EQ(samples::run("mkdir -p " + directory + " && ln -sf " + kPreload + " " + directory +
                         "/libblas.so.3")
                .exit_code,
            0);
  expect_forwarded("REPROSUM_MODE=forward REPROSUM_BACKING=" SYSTEM_BLAS " LD_LIBRARY_PATH=" +
                   directory);
  samples::run("rm -r " + directory);
}

// The module defines xerbla_ and needs us, so it is in our scope and is none of our copies.
TEST_F(LoadingNumpy, AsLibblasReachesTheXerblaOfTheModule) {
  const samples::Said said =
      samples::run(std::string("env -u REPROSUM_SPEC REPROSUM_BACKING=" SYSTEM_BLAS
                               " LD_LIBRARY_PATH=" REPROSUM_LIBBLAS_DIRECTORY) +
                   kNumpy);
  EXPECT_NE(said.exit_code, 0);
  EXPECT_NE(said.text.find("ValueError: On entry to SDOT"), std::string::npos) << said.text;
}

// Under the name libblas.so.3, REPROSUM_BACKING=libblas.so.3 is this library.
TEST_F(LoadingNumpy, AsLibblasBehindItselfIsRefused) {
  const samples::Said said =
      samples::run(std::string("env REPROSUM_MODE=forward REPROSUM_BACKING=libblas.so.3 "
                               "LD_LIBRARY_PATH=" REPROSUM_LIBBLAS_DIRECTORY) +
                   kNumpy);
  EXPECT_NE(said.exit_code, 0);
  EXPECT_NE(said.text.find("\"libblas.so.3\" is this library, or needs it"), std::string::npos)
      << said.text;
}

}  // namespace
}  // namespace reprosum
