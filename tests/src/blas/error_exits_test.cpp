// A call with an argument that BLAS forbids ends as it would without this library: the same words,
// the same number, and the program goes on or not, over each BLAS.
#include <gtest/gtest.h>

#include <string>

#include "command.h"

namespace reprosum {
namespace {

const std::string kPreload = "LD_PRELOAD=" REPROSUM_BLAS_LIBRARY " ";

std::string directory_of(const std::string& library) {
  return library.substr(0, library.rfind('/'));
}

class ErrorExits : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam().empty()) GTEST_SKIP() << "this BLAS is not installed";
  }

  static samples::Said call(const std::string& environment, const std::string& program) {
    return samples::run("env -u REPROSUM_SPEC REPROSUM_ON_FORWARDED=allow OPENBLAS_NUM_THREADS=1 " +
                        environment + " " + program);
  }
  static void expect_same(const samples::Said& plain, const samples::Said& said,
                          const std::string& how) {
    EXPECT_EQ(said.exit_code, plain.exit_code) << how;
    EXPECT_EQ(said.text, plain.text) << how;
  }

  void compare(const std::string& program) {
    const std::string linked = "LD_LIBRARY_PATH=" + directory_of(GetParam()) + " ";
    const samples::Said plain = call(linked, program);
    ASSERT_NE(plain.text.find(" cases\n"), std::string::npos) << plain.text;
    for (const std::string mode : {"forward", "exact", "replay"})
      expect_same(plain, call(linked + kPreload + "REPROSUM_MODE=" + mode, program), mode);
    for (const std::string mode : {"exact", "replay"})
      expect_same(plain,
                  call("LD_LIBRARY_PATH=" REPROSUM_LIBBLAS_DIRECTORY " REPROSUM_MODE=" + mode +
                           " REPROSUM_BACKING=" + GetParam(),
                       program),
                  "as libblas.so.3, " + mode);
  }
};

TEST_P(ErrorExits, AreThoseOfTheBacking) { compare(ERROR_EXITS); }
TEST_P(ErrorExits, ReachTheProgramsOwnHandlers) { compare(ERROR_EXITS_WITH_XERBLA); }

INSTANTIATE_TEST_SUITE_P(Blas, ErrorExits,
                         testing::Values(REFERENCE_BLAS, OPENBLAS_BLAS, BLIS_BLAS));

}  // namespace
}  // namespace reprosum
