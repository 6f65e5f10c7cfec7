// The command line itself: help, version, exit codes, messages.
#include <sys/stat.h>

#include "command.h"
#include "tests/paths.h"
#include "tests/src/report/sample_specs.h"

namespace reprosum::cli {
namespace {

TEST(CommandLine, HelpNamesEveryVerb) {
  const Outcome help = reprosum("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* verb :
       {"capture", "show", "verify", "diff", "list", "hash", "doctor", "Exit codes"})
    EXPECT_NE(help.out.find(verb), std::string::npos) << verb;
  EXPECT_EQ(help.err, "");
}

TEST(CommandLine, EveryVerbHasHelp) {
  for (const char* verb : {"capture", "show", "verify", "diff", "list", "hash", "doctor"}) {
    const Outcome help = reprosum(std::string(verb) + " --help");
    EXPECT_EQ(help.code, 0) << verb;
    EXPECT_NE(help.out.find("--json"), std::string::npos) << verb;
  }
}

// Its own examples, not those of all verbs.
TEST(CommandLine, EveryVerbHasItsOwnExamples) {
  const std::string verbs[] = {"capture", "show", "verify", "diff",
                               "gen",     "list", "hash",   "doctor"};
  for (const std::string& verb : verbs) {
    const Outcome help = reprosum(verb + " --help");
    const std::size_t examples = help.out.find("Example");
    ASSERT_NE(examples, std::string::npos) << verb;
    EXPECT_NE(help.out.find("reprosum " + verb, examples), std::string::npos) << help.out;
    for (const std::string& other : verbs) {
      if (other == verb || other == "list") continue;
      EXPECT_EQ(help.out.find("  reprosum " + other + " ", examples), std::string::npos)
          << verb << " shows " << other;
    }
  }
}

TEST(CommandLine, SaysWhatMayHaveBeenMeant) {
  const auto says = [](const std::string& arguments, const std::string& words) {
    const Outcome outcome = reprosum(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  };
  says("shwo a.json", "did you mean show?");
  says("verfiy a.json", "did you mean verify?");
  says("capture -t libopenblas.so.0", "did you mean blas:libopenblas.so.0?");
  says("capture -t /usr/lib/x.so", "did you mean blas:/usr/lib/x.so?");
  says("capture -t balas:libopenblas.so.0", "did you mean blas:libopenblas.so.0?");
  EXPECT_EQ(reprosum("frobnicate").err.find("did you mean"), std::string::npos);
  EXPECT_EQ(reprosum("capture -t python3").err.find("did you mean"), std::string::npos);
}

// A target's kind decides what its messages advise.
TEST(CommandLine, AdvisesWhatTheTargetsKindTakes) {
  const Outcome command = reprosum("capture -t exec:/nonexistent --routines dsum");
  EXPECT_NE(command.err.find("exec: takes a command"), std::string::npos) << command.err;
  EXPECT_EQ(command.err.find("dlopen"), std::string::npos) << command.err;
  const Outcome library = reprosum("capture -t blas:libnothing-such.so.7");
  EXPECT_NE(library.err.find("blas: takes a file name or soname"), std::string::npos)
      << library.err;
}

TEST(CommandLine, DoctorAndHashHaveAnExitCodeForScripts) {
  EXPECT_EQ(reprosum("doctor", "REPROSUM_NONSENSE=1").code, 0);
  EXPECT_EQ(reprosum("doctor --check", "REPROSUM_NONSENSE=1").code, 1);
  EXPECT_EQ(reprosum("doctor --check --json", "REPROSUM_NONSENSE=1").code, 1);
  const Scratch scratch;
  const std::string right = sample_spec({{"ddot", kLanesOrder}});
  auto wrong = nlohmann::json::parse(right);
  wrong["sha256"] = std::string(64, '0');
  const std::string file = scratch.write("a.json", wrong.dump());
  EXPECT_EQ(reprosum("hash --check " + scratch.write("b.json", right)).code, 0);
  EXPECT_EQ(reprosum("hash " + file).code, 0);
  EXPECT_EQ(reprosum("hash --check " + file).code, 1);
  EXPECT_EQ(reprosum("hash --check -").code, 2);
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

// No option takes a text that is no number of its kind: not a number, endless, too large for its
// type.
TEST(CommandLine, OddNumbersAreRefusedByEveryOption) {
  const Scratch scratch;
  const std::string spec = scratch.write("a.json", sample_spec({{"ddot", kLanesOrder}}));
  const std::string capture = "capture -t blas:x ", show = "show " + spec + " --routine ddot ";
  const std::pair<std::string, const char*> options[] = {
      {capture, "--timeout"},
      {capture, "--seed"},
      {capture, "--vectors"},
      {capture, "--n-max"},
      {capture, "--threads"},
      {capture, "--increments"},
      {capture, "--small-products"},
      {"verify " + spec + " -t blas:x ", "--timeout"},
      {"verify " + spec + " -t blas:x ", "--seed"},
      {"verify " + spec + " -t blas:x ", "--vectors"},
      {show, "--n"},
      {show, "--threads"},
      {show, "--inc"},
      {show, "--align"},
      {"diff " + spec + " " + spec + " ", "--threads"},
      {"show " + spec + " --routine dgemm --n 2 --k 2 ", "--m"},
      {"show " + spec + " --routine dgemm --n 2 --m 2 ", "--k"}};
  for (const auto& [verb, option] : options)
    for (const std::string value :
         {"nan", "-inf", "1e999", "99999999999999999999", "-9223372036854775809"}) {
      const Outcome outcome = reprosum(verb + option + " '" + value + "'");
      EXPECT_EQ(outcome.code, 2) << option << " " << value;
      EXPECT_NE(outcome.err.find(option), std::string::npos) << value << ": " << outcome.err;
    }
  const Outcome least = reprosum(capture + "--increments=-9223372036854775808");
  EXPECT_NE(least.err.find("beyond 10000"), std::string::npos) << least.err;
}

// The name that a program is called by is its caller's choice, and no place to look for programs.
TEST(CommandLine, StartsNoProgramBesideTheNameItIsCalledBy) {
  if (!has_program("bash")) GTEST_SKIP() << "only bash gives a program another name";
  const Scratch scratch;
  const std::string name = scratch.write("reprosum", "");
  const std::string other = scratch.write("reprosum-target", "#!/bin/sh\necho other >&2\n");
  ASSERT_EQ(chmod(other.c_str(), 0755), 0);
  const Outcome outcome = shell("bash -c \"exec -a '" + name +
                                "' '" REPROSUM_BINARY_DIR
                                "/reprosum' capture -t 'exec:echo own >&2' --routines ddot\"");
  EXPECT_NE(outcome.err.find("own"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("other"), std::string::npos) << outcome.err;
}

// Whoever opens a FIFO waits for its writer, and a device may have no end.
TEST(CommandLine, WhatIsNoRegularFileIsRefusedAtOnce) {
  const Scratch scratch;
  const std::string fifo = scratch.file("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const auto refused = [&](const std::string& arguments, const std::string& mention) {
    const Outcome outcome = shell("timeout 20 '" REPROSUM_BINARY_DIR "/reprosum' " + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << ": " << outcome.err;
    EXPECT_NE(outcome.err.find(mention), std::string::npos) << arguments << ": " << outcome.err;
  };
  for (const std::string verb : {"show ", "list ", "diff / ", "verify -t blas:x "})
    refused(verb + fifo, verb == "diff / " ? "a directory" : "it is a FIFO, not a regular file");
  refused("show /dev/zero", "a device");
  refused("show /dev/tty", "cannot read /dev/tty");
  refused("show /proc/self/maps", "/proc/self/maps");
  refused("capture -t blas:" + fifo, "is a FIFO");
  refused("capture -t blas:" + fifo + " --routines ddot", "is a FIFO");
}

// Escape bytes of what others say would reach the terminal: colours, titles, lines painted over.
TEST(CommandLine, NothingCommandsTheTerminal) {
  const auto is_harmless = [](const std::string& text) {
    return text.find_first_of("\x1b\x07\r\x08\x7f") == std::string::npos &&
           text.find("\xc2\x9b") == std::string::npos &&
           text.find("\xe2\x80\xae") == std::string::npos;
  };
  const std::string evil =
      "\x1b[31mred\x07\r\x08\x7f\xc2\x9b"
      "2J\xe2\x80\xae";
  const std::string shown = "\\u001b[31mred\\u0007\\u000d\\u0008\\u007f\\u009b2J\\u202e";
  const Outcome target =
      reprosum("capture --routines ddot -t \"exec:printf '%s' '" + evil + "' >&2; exit 3\"");
  EXPECT_TRUE(is_harmless(target.err)) << target.err;
  EXPECT_NE(target.err.find(shown), std::string::npos) << target.err;
  const Outcome option = reprosum("capture -t 'blas:" + evil + "'");
  EXPECT_NE(option.err.find(shown), std::string::npos) << option.err;

  const Scratch scratch;
  auto spec = nlohmann::json::parse(sample_spec({{"ddot", kLanesOrder}}));
  spec["provenance"]["target"] = evil;
  spec["refusals"] = {{{"routine", "sdot"}, {"context", evil}, {"reason", "x"}, {"detail", evil}}};
  const std::string path = scratch.write("a\x1b.json", spec.dump());
  for (const std::string& arguments :
       {"show '" + path + "'", "show --n 20 '" + path + "'",
        "show --n 20 --format svg '" + path + "'", "show --json '" + path + "'",
        "diff '" + path + "' '" + path + "'", "list '" + path + "'",
        "show --routine ssum '" + path + "'"}) {
    const Outcome outcome = reprosum(arguments);
    EXPECT_TRUE(is_harmless(outcome.out)) << outcome.out;
    EXPECT_TRUE(is_harmless(outcome.err)) << outcome.err;
  }
  EXPECT_NE(reprosum("show '" + path + "'").out.find(shown), std::string::npos);
  // The same document.
  EXPECT_EQ(
      nlohmann::json::parse(reprosum("show --json '" + path + "'").out)["provenance"]["target"],
      evil);
}

TEST(CommandLine, AMalformedSpecIsLocated) {
  const Scratch scratch;
  const std::string bad =
      scratch.write("bad.json", "{\"format\": \"reprosum-spec/2\", \"orders\": 3}");
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

// A full disk: what is too long for a buffer fails before the last flush, which then succeeds.
TEST(CommandLine, AStandardOutputThatIsFullIsTrouble) {
  const Scratch scratch;
  const std::string spec = scratch.write("a.json", sample_spec({{"ddot", kLanesOrder}}));
  const std::string library = "'" REPROSUM_SOURCE_DIR "/spec/library/reference-3.11.0.json'";
  for (const std::string& arguments :
       {"show " + spec, "show " + library, "show --json " + library, "list --json " + library,
        "list " + library, "hash " + spec, "diff " + spec + " " + spec, std::string("doctor"),
        std::string("--help"), std::string("--version")}) {
    const Outcome outcome = reprosum(arguments + " >/dev/full");
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_TRUE(outcome.err.ends_with("reprosum: environment: cannot write to standard output\n"))
        << arguments << ": " << outcome.err;
  }
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
