// A set-uid program that uses this library believes no variable of the one who starts it.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "command.h"

namespace reprosum {
namespace {

namespace fs = std::filesystem;

class SetUid : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make a set-uid program of root";
    if (samples::run("setpriv --version").exit_code != 0) GTEST_SKIP() << "there is no setpriv";
    char name[] = "/var/tmp/reprosum_set_uid_XXXXXX";
    if (mkdtemp(name) == nullptr) GTEST_SKIP() << "no folder can be made in /var/tmp";
    folder_ = name;
    ASSERT_EQ(
        samples::run("cp " SET_UID_PROGRAM " " + folder_ + "/program && cp " SET_UID_STRANGER " " +
                     folder_ + "/stranger.so && chmod 755 " + folder_ + " && chown root " +
                     folder_ + "/program && chmod 4755 " + folder_ + "/program && mkdir -m 755 " +
                     folder_ + "/cache")
            .exit_code,
        0);
    samples::write_spec(folder_ + "/spec.json", samples::plain_spec());
    const samples::Said plain = start("REPROSUM_MODE=forward", "");
    if (plain.text.find("uid 65534 euid 0\n") == std::string::npos)
      GTEST_SKIP() << "the program gets no rights here, or cannot be started: " << plain.text;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  samples::Said start(const std::string& environment, const std::string& arguments) const {
    return samples::run(
        "setpriv --reuid=65534 --regid=65534 --clear-groups env -u HOME "
        "-u XDG_CACHE_HOME -u REPROSUM_CACHE_DIR -u REPROSUM_SPEC " +
        environment + " " + folder_ + "/program " + arguments);
  }

  std::string folder_;
};

TEST_F(SetUid, LoadsNoLibraryThatAStrangerNames) {
  for (const std::string mode : {"forward", "exact", "replay"}) {
    const samples::Said said = start("REPROSUM_MODE=" + mode + " REPROSUM_ON_UNCOVERED=forward " +
                                         "REPROSUM_BACKING=" + folder_ + "/stranger.so",
                                     "");
    EXPECT_EQ(said.text.find("stranger's code"), std::string::npos) << said.text;
    EXPECT_EQ(said.text.find("666"), std::string::npos) << said.text;
    EXPECT_NE(said.text.find("set-uid"), std::string::npos) << said.text;
  }
}

TEST_F(SetUid, ReadsNoSpecThatAStrangerNames) {
  const samples::Said said =
      start("REPROSUM_SPEC=" + folder_ + "/spec.json REPROSUM_VERBOSE=1", "");
  EXPECT_NE(said.text.find("cannot be replayed: REPROSUM_SPEC names no spec"), std::string::npos)
      << said.text;
  EXPECT_EQ(said.text.find("REPROSUM summary"), std::string::npos) << said.text;
}

// Kernels are code, and the instruction set chooses among them.
TEST_F(SetUid, KeepsNoKernelsWhereAStrangerSays) {
  for (const std::string& where :
       {"REPROSUM_CACHE_DIR=" + folder_ + "/cache", "XDG_CACHE_HOME=" + folder_ + "/cache",
        "HOME=" + folder_ + "/cache"}) {
    const samples::Said said = start(where + " REPROSUM_ISA=nonsense", folder_ + "/spec.json");
    EXPECT_NE(said.text.find("open ok\nreplayed 14\n"), std::string::npos) << said.text;
    EXPECT_TRUE(fs::is_empty(folder_ + "/cache")) << where;
  }
}

}  // namespace
}  // namespace reprosum
