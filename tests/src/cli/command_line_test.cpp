// The command line itself: help, version, exit codes, messages.
#include "command.h"
#include "sample_specs.h"
#include "tests/paths.h"

namespace reprosum::cli {
namespace {

TEST(CommandLine, HelpNamesEveryVerb) {
  const Outcome help = reprosum("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* verb : {"capture", "show", "verify", "diff", "list", "doctor", "Exit codes"})
    EXPECT_NE(help.out.find(verb), std::string::npos) << verb;
  EXPECT_EQ(help.err, "");
}

TEST(CommandLine, EveryVerbHasHelp) {
  for (const char* verb : {"capture", "show", "verify", "diff", "list", "doctor"}) {
    const Outcome help = reprosum(std::string(verb) + " --help");
    EXPECT_EQ(help.code, 0) << verb;
    EXPECT_NE(help.out.find("--json"), std::string::npos) << verb;
  }
}

TEST(CommandLine, Version) {
  const Outcome version = reprosum("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out.rfind("reprosum ", 0), 0u) << version.out;
}

struct Trouble {
  const char* arguments;
  const char* kind;     // prefix of the message
  const char* mention;  // what it must name
};

class CommandLineTrouble : public testing::TestWithParam<Trouble> {};

TEST_P(CommandLineTrouble, IsExitCodeTwoAndOneMessage) {
  const Outcome outcome = reprosum(GetParam().arguments);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind(std::string("reprosum: ") + GetParam().kind + ": ", 0), 0u)
      << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().mention), std::string::npos) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, CommandLineTrouble,
    testing::Values(
        Trouble{"", "usage", "subcommand"}, Trouble{"frobnicate", "usage", "frobnicate"},
        Trouble{"capture", "usage", "--target"}, Trouble{"diff one", "usage", "b is required"},
        Trouble{"show a --format tiff", "usage", "tiff"},
        Trouble{"show /nonexistent/a.json", "environment", "/nonexistent/a.json"},
        Trouble{"diff /nonexistent/a.json /nonexistent/b.json", "environment", "a.json"},
        Trouble{"show /", "environment", "directory"},
        Trouble{"capture -t libopenblas.so.0", "error", "blas:"},
        Trouble{"capture -t blas:libnothing-such.so.7", "environment", "libnothing-such.so.7"},
        Trouble{"capture -t blas:x --routines sdot,zdot", "error", "zdot"},
        Trouble{"capture -t blas:x --threads 0", "error", "--threads"},
        Trouble{"capture -t blas:x --threads 1,x", "error", "\"x\""},
        Trouble{"capture -t blas:x --increments 1:2:3", "error", "--increments"},
        Trouble{"capture -t blas:x --transposes NN,NNT", "error", "--transposes"},
        Trouble{"capture -t blas:x --transposes nt,C", "error", "\"C\""},
        Trouble{"capture -t blas:x --n-max 0", "error", "--n-max"},
        Trouble{"capture -t blas:x --n-max 1e99", "error", "--n-max"},
        Trouble{"capture -t blas:x --timeout -3", "usage", "--timeout"}));

TEST(CommandLine, AMalformedSpecIsLocated) {
  const Scratch scratch;
  const std::string bad =
      scratch.write("bad.json", "{\"format\": \"reprosum-spec/1\", \"orders\": 3}");
  for (const std::string& arguments :
       {"show " + bad, "list " + bad, "diff " + bad + " " + bad, "verify -t blas:x " + bad}) {
    const Outcome outcome = reprosum(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(bad), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.rfind("reprosum: error: ", 0), 0u) << outcome.err;
  }
}

TEST(CommandLine, SpecsAreReadFromStandardInputToo) {
  const Scratch scratch;
  const std::string spec = scratch.write("a.json", sample_spec({{"ddot", kLanesOrder}}));
  const Outcome outcome =
      shell("'" REPROSUM_BINARY_DIR "/reprosum' show - --n 20 < '" + spec + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("ddot"), std::string::npos);
}

TEST(CommandLine, AnOutputThatCannotBeWrittenIsTrouble) {
  const Scratch scratch;
  const std::string spec = scratch.write("a.json", sample_spec({{"ddot", kLanesOrder}}));
  const Outcome outcome = reprosum("show " + spec + " -o /nonexistent/out.txt");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err.rfind("reprosum: environment: ", 0), 0u) << outcome.err;
}

}  // namespace
}  // namespace reprosum::cli
