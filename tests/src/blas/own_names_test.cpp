// A program's own functions under names of BLAS's extensions are its own, in every mode.
#include <gtest/gtest.h>

#include <string>

#include "command.h"

namespace reprosum {
namespace {

constexpr char kOwn[] = "own 6 78 4 text\nown 6 78 4 text\n";
const std::string kPreload = REPROSUM_BLAS_LIBRARY;
const std::string kModes[] = {"forward", "exact", "replay", "nonsense"};

samples::Said call(const std::string& environment, const std::string& libraries) {
  return samples::run("env -u REPROSUM_SPEC OPENBLAS_NUM_THREADS=1 " + environment +
                      " " OWN_NAMES_CALLER " " + libraries);
}

TEST(OwnNames, OfTheNextLibraryAreCalled) {
  for (const std::string& mode : kModes)
    for (const std::string behind : {"", "REPROSUM_BACKING=" FAKE_BLAS " "}) {
      const std::string loaded = "REPROSUM_MODE=" + mode + " " + behind + "LD_PRELOAD=" + kPreload;
      EXPECT_EQ(call(loaded + ":" OWN_NAMES, OWN_NAMES).text, kOwn) << mode;
      const std::string before_blas = loaded + ":" OWN_NAMES;
      if (!std::string(SYSTEM_BLAS).empty()) {
        EXPECT_EQ(call(before_blas + ":" SYSTEM_BLAS, OWN_NAMES).text, kOwn) << mode;
      }
    }
}

TEST(OwnNames, OfALibraryThatWasOpenedForItselfAreCalled) {
  for (const std::string& mode : kModes)
    EXPECT_EQ(call("REPROSUM_MODE=" + mode + " LD_PRELOAD=" + kPreload, OWN_NAMES).text, kOwn)
        << mode;
}

// If a BLAS comes first, the name is BLAS's even without us.
TEST(OwnNames, BehindABlasAreBlas) {
  if (std::string(OPENBLAS_BLAS).empty()) GTEST_SKIP() << "no OpenBLAS is installed";
  const samples::Said said =
      call("REPROSUM_MODE=exact LD_PRELOAD=" + kPreload + ":" OPENBLAS_BLAS ":" OWN_NAMES,
           OWN_NAMES_PLAIN);
  EXPECT_EQ(said.text, "BLAS's dsum 7\n");
}

// One module's function is not another's, nor a backing.
TEST(OwnNames, OfOneLibraryAreNotThoseOfAnother) {
  const std::string both = OWN_NAMES " " OWN_NAMES_PLAIN " " OWN_NAMES;
  const samples::Said exact = call("REPROSUM_MODE=exact LD_PRELOAD=" + kPreload, both);
  EXPECT_EQ(exact.text, std::string(kOwn) + "BLAS's dsum 7\n" + kOwn);
  const samples::Said forward = call("REPROSUM_MODE=forward LD_PRELOAD=" + kPreload, both);
  EXPECT_NE(forward.text.find("no other library in the process has \"dsum_\""), std::string::npos)
      << forward.text;
}

TEST(OwnNames, AreNotCounted) {
  for (const std::string next : {"", ":" OWN_NAMES}) {
    const samples::Said said =
        call("REPROSUM_MODE=exact REPROSUM_VERBOSE=1 LD_PRELOAD=" + kPreload + next, OWN_NAMES);
    EXPECT_EQ(said.text, kOwn);
  }
  const samples::Said plain =
      call("REPROSUM_MODE=exact REPROSUM_VERBOSE=1 LD_PRELOAD=" + kPreload, OWN_NAMES_PLAIN);
  EXPECT_NE(plain.text.find("us exact\nBLAS's dsum 7\n"), std::string::npos) << plain.text;
  EXPECT_NE(
      plain.text.find("REPROSUM dsum_                           0            1            0            0\n"),
      std::string::npos)
      << plain.text;
}

}  // namespace
}  // namespace reprosum
