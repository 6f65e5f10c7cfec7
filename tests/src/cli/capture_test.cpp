// capture and verify on libraries of a few lines, some of them broken.
#include <cstdio>

#include "command.h"
#include "tests/spec/sample_regions.h"
#include "tests/src/report/sample_specs.h"

namespace reprosum::cli {
namespace {

constexpr const char* kQuick = " --increments 1:1 --n-max 20k --vectors 300 --timeout 60";

TEST(Capture, ASequentialLibraryIsCapturedAndHolds) {
  const Scratch scratch;
  const std::string spec = scratch.file("a.json");
  const Outcome captured =
      reprosum("capture -t " + fake("sequential") + " --routines ddot,dsum --seed 5" + kQuick +
               " --json -o " + spec);
  ASSERT_EQ(captured.code, 0) << captured.out << captured.err;
  const auto json = json_of(captured);
  ASSERT_FALSE(json.is_discarded()) << captured.out;
  EXPECT_EQ(json["schema"], "reprosum-capture/1");
  EXPECT_EQ(json["seed"], 5);
  EXPECT_EQ(json["entries"].size(), 2u);
  EXPECT_EQ(json["provenance"]["target"], fake("sequential"));
  EXPECT_TRUE(json["provenance"].contains("date"));
  EXPECT_EQ(captured.err, "");  // no progress where stderr is no terminal

  const Outcome verified =
      reprosum("verify " + spec + " -t " + fake("sequential") + " --vectors 300 --json");
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_EQ(json_of(verified)["schema"], "reprosum-verify/1");
  EXPECT_EQ(json_of(verified)["holds"], true);
  EXPECT_TRUE(json_of(verified)["other_facts"].empty()) << verified.out;
}

TEST(Verify, SaysWhatIsOtherThanWhenItWasCaptured) {
  const Scratch scratch;
  spec::Spec spec = spec::from_json(sample_spec({{"ddot", kFromZeroOrder, 2000}}));
  spec.provenance = {{"device.name", "A GPU"}, {"library.soname", "libnone.so.1"}};
  const std::string file = scratch.write("a.json", spec::to_json(spec));
  const std::string verify = "verify " + file + " -t " + fake("sequential") + " --vectors 300";
  const Outcome text = reprosum(verify);
  EXPECT_EQ(text.code, 0) << text.err;  // the bits hold
  EXPECT_NE(text.out.find("device.name: A GPU then, nothing here"), std::string::npos) << text.out;
  const auto json = json_of(reprosum(verify + " --json"));
  EXPECT_EQ(json["other_facts"]["device.name"][0], "A GPU");
  EXPECT_TRUE(json["other_facts"].contains("library.sha256"));
  EXPECT_FALSE(json["other_facts"].contains("library.path"));
}

// A gap that every capture of the library has is said, and is no failure of this one.
TEST(Capture, AKnownGapIsAWordAndStrictAnExitCode) {
  const std::string capture = "capture -t " + fake("one_way") +
                              " --routines dsum --increments 1,-1 --n-max 2k --vectors 100 "
                              "--timeout 60";
  const Outcome captured = reprosum(capture);
  EXPECT_EQ(captured.code, 0) << captured.out << captured.err;
  EXPECT_NE(captured.out.find("refused  dsum incx=-1"), std::string::npos) << captured.out;
  EXPECT_NE(captured.err.find("it computes no sum for these increments"), std::string::npos)
      << captured.err;
  const Outcome strict = reprosum(capture + " --strict");
  EXPECT_EQ(strict.code, 1) << strict.err;
  EXPECT_EQ(strict.err.find("computes no sum"), std::string::npos) << strict.err;
}

// One line per entry at once, a part of the routines, a part of the data, and XML for CI.
TEST(Verify, IsAGateForCi) {
  const Scratch scratch;
  const std::string spec = scratch.write("a.json", sample_spec({{"ddot", kFromZeroOrder, 2000},
                                                                {"dsum", kFromZeroOrder, 2000},
                                                                {"sdot", kLanesOrder, 2000}}));
  const std::string verify = "verify " + spec + " -t " + fake("sequential") + " --quick";
  const std::string xml = scratch.file("bits.xml");
  const Outcome part = reprosum(verify + " --routines ddot,dsum --junit " + xml);
  EXPECT_EQ(part.code, 0) << part.out << part.err;
  EXPECT_EQ(part.out.find("sdot"), std::string::npos) << part.out;
  EXPECT_NE(part.out.find("(--quick)"), std::string::npos) << part.out;
  std::string report = contents(xml);
  for (const char* words : {"tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"0\"", "name=\"ddot ",
                            "name=\"dsum ", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"})
    EXPECT_NE(report.find(words), std::string::npos) << report;

  const Outcome whole = reprosum(verify + " --junit " + xml);
  EXPECT_EQ(whole.code, 1) << whole.out << whole.err;
  report = contents(xml);
  for (const char* words : {"tests=\"3\" failures=\"1\"", "<failure message=\"differs ",
                            "\n    first mismatch: sdot n=", "</failure>\n  </testcase>\n"})
    EXPECT_NE(report.find(words), std::string::npos) << report;

  const Outcome none = reprosum(verify + " --routines dgemm");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("covers no dgemm"), std::string::npos) << none.err;

  // Trouble is a result as well: a report that is missing would pass for none wanted.
  const Outcome trouble =
      reprosum("verify " + spec + " -t " + fake("no_symbols") + " --junit " + xml);
  EXPECT_EQ(trouble.code, 2) << trouble.out << trouble.err;
  EXPECT_NE(contents(xml).find("errors=\"1\""), std::string::npos) << contents(xml);
}

// The first entry's line is there while the second one's library hangs.
TEST(Verify, WritesEachEntryAtOnce) {
  const Scratch scratch;
  const std::string spec = scratch.write(
      "a.json", sample_spec({{"sdot", kFromZeroOrder, 10}, {"ddot", kFromZeroOrder, 2000}}));
  const std::string file = scratch.file("lines");
  const Outcome seen = shell("'" REPROSUM_BINARY_DIR "/reprosum' verify " + spec + " -t " +
                             fake("hang") + " --quick >" + file +
                             " & run=$!; i=0\n"
                             "while [ $i -lt 150 ] && ! grep -q sdot " +
                             file +
                             "; do sleep 0.1; i=$((i + 1)); done\n"
                             "kill -0 $run && echo still running; cat " +
                             file + "; kill $run");
  EXPECT_EQ(seen.out.find("still running\nholds         sdot"), 0u) << seen.out << seen.err;
}

// What the library runs is in the provenance; that it is not what was asked for needs a line.
TEST(Capture, ACoreThatWasNotTakenIsSaid) {
  const auto err_with = [](const std::string& core, const std::string& library) {
    return shell("OPENBLAS_CORETYPE=" + core + " '" REPROSUM_BINARY_DIR "/reprosum' capture -t " +
                 fake(library) + " --routines dsum" + kQuick)
        .err;
  };
  const std::string said = err_with("Zen", "corename");
  EXPECT_NE(
      said.find("reprosum: OPENBLAS_CORETYPE=Zen was not taken: the library says that it runs "
                "Haswell; "),
      std::string::npos)
      << said;
  EXPECT_EQ(err_with("HASWELL", "corename").find("CORETYPE"), std::string::npos);
  EXPECT_EQ(err_with("Zen", "sequential").find("CORETYPE"), std::string::npos);
}

TEST(Capture, TablesAndRemarks) {
  const Outcome captured =
      reprosum("capture -t " + fake("sequential") + " --routines ddot" + kQuick);
  EXPECT_EQ(captured.code, 0) << captured.err;
  EXPECT_NE(captured.out.find("sequential"), std::string::npos) << captured.out;
  EXPECT_NE(captured.err.find("-o FILE"), std::string::npos) << captured.err;
}

TEST(Verify, AnotherOrderDiffersWithItsFirstMismatch) {
  const Scratch scratch;
  const std::string spec = scratch.write("a.json", sample_spec({{"ddot", kLanesOrder, 2000}}));
  const Outcome verified =
      reprosum("verify " + spec + " -t " + fake("sequential") + " --vectors 300 --json");
  EXPECT_EQ(verified.code, 1) << verified.out << verified.err;
  const auto json = json_of(verified);
  EXPECT_EQ(json["holds"], false);
  ASSERT_EQ(json["entries"][0]["mismatches"].size(), 1u);
  EXPECT_NE(json["entries"][0]["mismatches"][0]["context"].get<std::string>().find("ddot"),
            std::string::npos);
}

TEST(Verify, AHandWrittenOrderHolds) {
  const Scratch scratch;
  const std::string spec = scratch.write("a.json", sample_spec({{"ddot", kFromZeroOrder, 2000}}));
  const Outcome verified =
      reprosum("verify " + spec + " -t " + fake("sequential") + " --vectors 300");
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_NE(verified.out.find("holds"), std::string::npos);
}

// What a call without summands gives is part of a spec: another answer is another library.
TEST(Verify, ARuleWithoutSummandsIsAskedAgain) {
  const Scratch scratch;
  const std::string file = scratch.file("a.json");
  const Outcome captured =
      reprosum("capture -t " + fake("sequential") + " --routines ddot" + kQuick + " -o " + file);
  ASSERT_EQ(captured.code, 0) << captured.err;
  spec::Spec spec = spec::from_json(contents(file));
  ASSERT_EQ(spec.empty_rules.size(), 1u);
  const std::string verify = " -t " + fake("sequential") + " --vectors 300";
  const Outcome same = reprosum("verify " + file + verify);
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_NE(same.out.find("ddot  without summands, threads 1: "), std::string::npos) << same.out;
  using Result = spec::EmptyRule::Result;
  spec::EmptyRule& rule = spec.empty_rules[0];
  rule.result = rule.result == Result::plus_zero ? Result::minus_zero : Result::plus_zero;
  const Outcome other =
      reprosum("verify " + scratch.write("b.json", spec::to_json(spec)) + verify + " --json");
  EXPECT_EQ(other.code, 1) << other.out << other.err;
  const auto json = json_of(other);
  EXPECT_EQ(json["holds"], false);
  EXPECT_EQ(json["entries"][0]["holds"], true);
  ASSERT_EQ(json["empty_rules"].size(), 1u);
  EXPECT_EQ(json["empty_rules"][0]["verdict"], "differs");
  EXPECT_EQ(json["empty_rules"][0]["mismatches"].size(), 1u);

  // A rule that says nothing of n < 0 claims nothing of it.
  rule.result = rule.result == Result::plus_zero ? Result::minus_zero : Result::plus_zero;
  rule.below_zero.reset();
  const Outcome silent =
      reprosum("verify " + scratch.write("c.json", spec::to_json(spec)) + verify);
  EXPECT_EQ(silent.code, 0) << silent.out << silent.err;
}

// C := alpha * (0 + a0*b0 + a1*b1 + ...) + beta * C, every operation rounded.
spec::Spec sequential_product() {
  spec::Spec spec;
  spec.orders = {spec::parse_order("1..200: loop 1 { 0: a = [0 .@0 +1 x q]; [out *a@0]; }")};
  spec::Entry entry =
      spec::samples::entry(spec::Routine::gemm, spec::Type::f64, spec::Trans::no, spec::Trans::yes);
  entry.m_max = entry.n_max = 60;
  spec::MatrixRegime regime;
  regime.rows = regime.columns = {spec::samples::uniform(60)};
  regime.table = {{0}};
  regime.classes = {{0, spec::MatrixClass::BetaZero::store, spec::MatrixClass::AlphaZero::compute}};
  regime.k_max = 200;
  entry.regimes = {regime};
  spec.entries = {entry};
  spec::canonicalize(spec);
  return spec;
}

TEST(Verify, AChangedProductIsNamedWithContextAndOutput) {
  const Scratch scratch;
  const std::string spec = scratch.write("a.json", spec::to_json(sequential_product()));
  const Outcome same = reprosum("verify " + spec + " -t " + fake("sequential"));
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_NE(same.out.find(" outputs replayed"), std::string::npos) << same.out;
  // Three of four outputs follow another order there; (0, 0) does not.
  const Outcome changed = reprosum("verify " + spec + " -t " + fake("planted") + " --json");
  EXPECT_EQ(changed.code, 1) << changed.out << changed.err;
  const auto json = json_of(changed);
  EXPECT_EQ(json["holds"], false);
  EXPECT_EQ(json["different"], 1);
  const std::string context = json["entries"][0]["mismatches"][0]["context"];
  EXPECT_EQ(context.rfind("dgemm NT m=", 0), 0u) << context;
  EXPECT_NE(context.find(" output ("), std::string::npos) << context;
  EXPECT_EQ(context.find(" output (0, 0)"), std::string::npos) << context;
  const auto at = context.find(" output (") + 9;
  int i = 0, j = 0;
  ASSERT_EQ(std::sscanf(context.c_str() + at, "%d, %d)", &i, &j), 2) << context;
  EXPECT_NE((i + 2 * j) % 4, 0) << context;
}

TEST(Verify, ASpecOfOtherRoutinesIsTrouble) {
  const Scratch scratch;
  const std::string spec = scratch.write("a.json", spec::to_json(sequential_product()));
  const Outcome outcome = reprosum("verify " + spec + " -t " + fake("no_symbols"));
  EXPECT_EQ(outcome.code, 2) << outcome.out;
  EXPECT_NE(outcome.err.find("missing_symbol"), std::string::npos) << outcome.err;
}

TEST(Capture, ALibraryThatDoesNotSumIsRefusedAndNothingIsWritten) {
  const Scratch scratch;
  const std::string spec = scratch.file("a.json");
  const Outcome captured = reprosum("capture -t " + fake("overread") + " --routines ddot" + kQuick +
                                    " --json -o " + spec);
  EXPECT_EQ(captured.code, 1) << captured.out << captured.err;
  const auto json = json_of(captured);
  ASSERT_EQ(json["refused"].size(), 1u) << captured.out;
  EXPECT_EQ(json["refused"][0]["reason"], "not_a_sum");
  EXPECT_TRUE(json["output"].is_null());
  EXPECT_FALSE(std::filesystem::exists(spec));
  // What was probed is counted though nothing came of it.
  const std::int64_t calls = json["calls"];
  EXPECT_GT(calls, 0);
  const Outcome table = reprosum("capture -t " + fake("overread") + " --routines ddot" + kQuick);
  EXPECT_NE(table.out.find("nothing certified of blas:"), std::string::npos) << table.out;
  std::string shown = std::to_string(calls);
  if (shown.size() > 3) shown.insert(shown.size() - 3, ",");
  EXPECT_NE(table.out.find(", " + shown + " calls, "), std::string::npos) << table.out << calls;
}

TEST(Capture, ACommandThatCannotBeRunIsNotAskedToBeALibrary) {
  const Outcome captured = reprosum("capture -t exec:/nonexistent --routines ddot");
  EXPECT_EQ(captured.code, 2);
  EXPECT_NE(captured.err.find("exec: takes a command that `sh -c` runs"), std::string::npos)
      << captured.err;
  EXPECT_EQ(captured.err.find("dlopen"), std::string::npos) << captured.err;
}

TEST(Capture, ABrokenLibraryIsTheEnvironmentsTrouble) {
  const Scratch scratch;
  const std::string spec = scratch.file("a.json");
  for (const auto& [name, reason] :
       {std::pair{"crash", "crashed"}, std::pair{"load_crash", "crashed"},
        std::pair{"sigill", "illegal_instruction"}, std::pair{"no_symbols", "missing_symbol"}}) {
    const Outcome captured =
        reprosum("capture -t " + fake(name) + " --routines ddot" + kQuick + " -o " + spec);
    EXPECT_EQ(captured.code, 2) << name << captured.out;
    EXPECT_NE(captured.err.find(std::string("reprosum: environment: ") + reason), std::string::npos)
        << captured.err;
    EXPECT_FALSE(std::filesystem::exists(spec)) << name;
  }
}

TEST(Capture, AHangingLibraryEndsWithTheTimeout) {
  const Outcome captured =
      reprosum("capture -t " + fake("hang") + " --routines ddot --increments 1:1 --timeout 2");
  EXPECT_EQ(captured.code, 2) << captured.out;
  EXPECT_NE(captured.err.find("timed_out"), std::string::npos) << captured.err;
}

// Ctrl-C at a terminal, which the probed children get as well.
TEST(Capture, AnInterruptKeepsWhatIsCaptured) {
  const Scratch scratch;
  const std::string spec = scratch.file("kept.json");
  const Outcome captured =
      shell("timeout --preserve-status -s INT 6 '" REPROSUM_BINARY_DIR "/reprosum' capture -t " +
            fake("sequential") + " --routines ddot,dgemm --threads 1,2 --increments 1:1" +
            " --n-max 2k --vectors 100 --json -o " + spec);
  EXPECT_EQ(captured.code, 1) << captured.out << captured.err;
  const auto json = json_of(captured);
  ASSERT_FALSE(json.is_discarded()) << captured.out << captured.err;
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_EQ(json["entries"].size(), 1U) << captured.out;
  EXPECT_TRUE(std::filesystem::exists(spec));
  for (const auto& refusal : json["refused"])
    EXPECT_EQ(refusal["reason"], "not_reached") << refusal;
  EXPECT_NE(captured.err.find("interrupted after"), std::string::npos) << captured.err;
}

TEST(Capture, AShortTimeoutEndsTheWholeRunAndListsWhatIsLeft) {
  const Outcome captured =
      reprosum("capture -t " + fake("sequential") + " --timeout 0.7 --threads 1,2 --json");
  EXPECT_EQ(captured.code, 1) << captured.out << captured.err;
  const auto json = json_of(captured);
  ASSERT_FALSE(json.is_discarded()) << captured.out;
  EXPECT_LT(json["seconds"], 30);  // a capture of everything takes minutes
  bool is_listed = false;
  for (const auto& refusal : json["refused"])
    is_listed |= refusal["reason"] == "not_reached" && refusal["routine"] == "dgemm";
  EXPECT_TRUE(is_listed) << captured.out;
  // The last line says what is missing.
  const std::size_t last = captured.err.rfind('\n', captured.err.size() - 2);
  const std::string line = captured.err.substr(last == std::string::npos ? 0 : last + 1);
  EXPECT_NE(line.find("not captured: "), std::string::npos) << captured.err;
  EXPECT_NE(line.find("dgemm"), std::string::npos) << captured.err;
  EXPECT_NE(line.find("raise --timeout"), std::string::npos) << captured.err;
}

}  // namespace
}  // namespace reprosum::cli
