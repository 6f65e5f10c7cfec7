// What a set-uid program probes gets no variable of the one who starts the program: the process
// that a target runs in may have all of the program's rights and yet count as an ordinary one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/src/blas/command.h"

namespace reprosum {
namespace {

TEST(CaptureSetUid, PassesNoVariablesToATarget) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a set-uid program of root";
  if (samples::run("setpriv --version").exit_code != 0) GTEST_SKIP() << "there is no setpriv";
  char folder[] = "/var/tmp/reprosum_capture_XXXXXX";
  if (mkdtemp(folder) == nullptr) GTEST_SKIP() << "no folder can be made in /var/tmp";
  const std::string program = std::string(folder) + "/program";
  ASSERT_EQ(samples::run("cp " SET_UID_CAPTURE " " + program + " && chmod 755 " + folder +
                         " && chown root " + program + " && chmod 4755 " + program)
                .exit_code,
            0);
  // The last words of a target that ends are in the message.
  const auto started = [&](const std::string& by) {
    return samples::run(by + " env OF_A_STRANGER=heard " + program +
                        " 'exec:echo \"it was $OF_A_STRANGER.\" >&2'")
        .text;
  };
  const std::string plain = started("");
  const std::string privileged = started("setpriv --reuid=65534 --regid=65534 --clear-groups");
  std::filesystem::remove_all(folder);
  EXPECT_NE(plain.find("it was heard."), std::string::npos) << plain;
  if (privileged.find("uid 65534 euid 0\n") == std::string::npos)
    GTEST_SKIP() << "the program gets no rights here, or cannot be started: " << privileged;
  EXPECT_NE(privileged.find("it was ."), std::string::npos) << privileged;
}

}  // namespace
}  // namespace reprosum
