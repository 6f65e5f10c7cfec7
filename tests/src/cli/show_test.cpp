// show: rules, trees and drawings.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "command.h"
#include "tests/spec/sample_orders.h"
#include "tests/spec/sample_regions.h"
#include "tests/src/report/sample_specs.h"

namespace reprosum::cli {
namespace {

class Show : public testing::Test {
 protected:
  Show()
      : spec(scratch.write("a.json", sample_spec({{"ddot", kLanesOrder},
                                                  {"sdot", kWideTailOrder, 1000000},
                                                  {"dsum", kPairwiseOrder, 1000000}}))) {}
  const Scratch scratch;
  const std::string spec;
};

TEST_F(Show, RulesAndEvidence) {
  const Outcome outcome = reprosum("show " + spec);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* text : {"ddot", "sdot", "dsum", "blas:libsample.so", "16 fma lanes", "1,000,000",
                           "half_down", "evidence", "seed 7"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
}

TEST_F(Show, ARefusedRoutineIsSaidToBeRefused) {
  spec::Spec some = spec::from_json(shell("cat " + spec).out);
  some.refusals.push_back({"ssum", "incx=1, threads=1", "not_a_sum", "7 + 8 gave 16"});
  some.refusals.push_back({"sgemm", "NT threads=1", "timed_out", "after 20 s"});
  const std::string refusing = scratch.write("refusing.json", spec::to_json(some));
  const std::string said = "; the capture refused it: not_a_sum, 7 + 8 gave 16";
  for (const std::string more : {"", " --n 5"}) {
    const Outcome outcome = reprosum("show " + refusing + " --routine ssum" + more);
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  }
  std::string why;
  spec::Context context;
  context.routine = spec::Routine::sum;
  context.type = spec::Type::f32;
  context.shape.k = 5;
  EXPECT_EQ(spec::find(some, context, &why), nullptr);
  EXPECT_EQ(why, "ssum was not captured" + said);
  spec::Context product;
  product.routine = spec::Routine::gemm;
  product.type = spec::Type::f32;
  product.trans_b = spec::Trans::yes;
  EXPECT_EQ(spec::find(some, product, &why), nullptr);
  EXPECT_EQ(why, "sgemm was not captured; the capture refused it: timed_out, after 20 s");
}

TEST_F(Show, TheExpressionOfASmallTree) {
  const std::string one = scratch.write(
      "one.json",
      sample_spec(
          {{"ddot", "1..100000: loop 2 { 0..1: a = [f@0 +2 x q]; [a@0 a@1 .@2q +1 x r]; }"}}));
  const Outcome outcome = reprosum("show " + one + " --n 5");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\n(0 +f 2 + (1 +f 3) + 4)\n"), std::string::npos) << outcome.out;
}

TEST_F(Show, JsonOfOneTreeIsItsPostorder) {
  const auto json = json_of(reprosum("show " + spec + " --routine ddot --n 3 --json"));
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["schema"], "reprosum-show/1");
  EXPECT_EQ(json["postorder"], nlohmann::json({".0", ".1", "+", ".2", "+"}));
}

TEST_F(Show, JsonOfASpecHasEveryEntry) {
  const auto json = json_of(reprosum("show --json " + spec));
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["schema"], "reprosum-show/1");
  ASSERT_EQ(json["entries"].size(), 3u);
  for (const auto& entry : json["entries"]) {
    EXPECT_EQ(entry["largest"], nlohmann::json({1, 1, entry["n_max"]}));
    EXPECT_EQ(entry["order_sha256"], entry["orders"][0]["order_sha256"]);
    EXPECT_EQ(entry["rules"], spec::print(spec::parse_order(entry["rules"].get<std::string>())));
  }
}

TEST_F(Show, DrawingsAreWellFormedAndSmallAtAnySize) {
  for (const char* routine : {"ddot", "sdot", "dsum"})
    for (const char* n : {"1", "2", "20", "64", "65", "1000", "99999"}) {
      const std::string choice = "show " + spec + " --routine " + routine + " --n " + n;
      SCOPED_TRACE(choice);
      const std::string svg = scratch.file("a.svg"), dot = scratch.file("a.dot");
      ASSERT_EQ(reprosum(choice + " --format svg -o " + svg).code, 0);
      ASSERT_EQ(reprosum(choice + " --format dot -o " + dot).code, 0);
      EXPECT_LT(contents(svg).size(), 60000u);
      EXPECT_LT(contents(dot).size(), 60000u);
      EXPECT_EQ(contents(svg).find("href"), std::string::npos) << "external reference";
      if (has_program("python3")) {
        EXPECT_EQ(
            shell("python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' " + svg)
                .code,
            0);
      }
      if (has_program("dot")) {
        const Outcome drawn = shell("dot -Tsvg " + dot);
        EXPECT_EQ(drawn.code, 0) << drawn.err;
      }
    }
}

TEST_F(Show, ASmallDrawingHasEveryLeafOnce) {
  const Outcome outcome = reprosum("show " + spec + " --routine ddot --n 20 --format svg");
  std::multiset<std::string> leaves;
  const std::string mark = "<text class=\"in\"";
  for (std::size_t at = outcome.out.find(mark); at != std::string::npos;
       at = outcome.out.find(mark, at + 1)) {
    const std::size_t from = outcome.out.find('>', at) + 1;
    leaves.insert(outcome.out.substr(from, outcome.out.find('<', from) - from));
  }
  ASSERT_EQ(leaves.size(), 20u);
  for (int k = 0; k < 20; ++k) EXPECT_EQ(leaves.count(std::to_string(k)), 1u) << k;
}

// By themselves the increments are 1, wherever they are covered.
TEST_F(Show, TakesThePlainestContext) {
  const Sample backwards{"ddot", kSequentialOrder, 1000, {{-1, 1}}};
  const std::string both =
      scratch.write("both.json", sample_spec({backwards, {"ddot", kLanesOrder}}));
  EXPECT_NE(reprosum("show " + both + " --n 20").out.find("inc 1:1"), std::string::npos);
  EXPECT_NE(reprosum("show " + both + " --n 20 --inc=-1:1").out.find("inc -1:1"),
            std::string::npos);
  const std::string one = scratch.write("one.json", sample_spec({backwards}));
  EXPECT_NE(reprosum("show " + one + " --n 20").out.find("inc -1:1"), std::string::npos);
}

TEST_F(Show, AsksWhichRoutineWhenThereAreSeveral) {
  const Outcome outcome = reprosum("show " + spec + " --n 20");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--routine"), std::string::npos) << outcome.err;
}

// An option that leaves nothing says what it could have been.
TEST_F(Show, ListsTheChoicesThatThereAre) {
  const auto says = [&](const std::string& options, const std::string& words) {
    const Outcome outcome = reprosum("show " + spec + " " + options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  };
  says("--threads 7", "--threads 7: the spec has threads 1");
  says("--routine ddot --n 5 --threads 7", "--threads 7: the spec has threads 1");
  says("--routine ddot --inc 5:5", "--inc 5:5: the spec has increments 1:1");
  says("--routine ssum", "--routine ssum: the spec has ");
  says("--n 12", "the spec has dsum, sdot and ddot; choose one with --routine");
}

// What was refused is no forgotten call: the spec knows why.
TEST_F(Show, SaysWhyIncrementsWereRefused) {
  spec::Spec refusing = spec::from_json(sample_spec({{"dsum", kSequentialOrder, 1000}}));
  refusing.refusals = {{"dsum", "dsum incx=-1 align=(0) and others of ..-1 threads=1", "not_a_sum",
                        "small integers that sum to 3 gave 0"}};
  const std::string file = scratch.write("refusing.json", spec::to_json(refusing));
  const Outcome outcome = reprosum("show " + file + " --routine dsum --n 5 --inc=-3:1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("the capture refused it: not_a_sum, small integers"),
            std::string::npos)
      << outcome.err;
  const Outcome other = reprosum("show " + file + " --routine dsum --n 5 --inc 3:1");
  EXPECT_EQ(other.err.find("refused it"), std::string::npos) << other.err;
}

TEST_F(Show, TheLegendSaysWhatNumbersAre) {
  EXPECT_NE(reprosum("show " + spec + " --routine ddot --n 5")
                .out.find("a number k is the product x[k]*y[k]\n"),
            std::string::npos);
  EXPECT_NE(reprosum("show " + spec + " --routine dsum --n 5")
                .out.find("a number k is the summand x[k]\n"),
            std::string::npos);
}

TEST_F(Show, RefusesWhatIsNotCovered) {
  for (const char* options :
       {"--routine ddot --n 100001", "--routine ddot --n 5 --inc 2:1",
        "--routine ddot --n 5 --threads 2", "--routine ssum --n 5", "--routine qdot --n 5",
        "--routine ddot --format svg", "--routine ddot --m 5", "--routine ddot --n 5 --align 64:0",
        "--trans N"}) {
    const Outcome outcome = reprosum("show " + spec + " " + options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_EQ(outcome.err.rfind("reprosum: error: ", 0), 0u) << outcome.err;
  }
}

TEST_F(Show, ListsGeneratedCode) {
  const auto isas = json_of(reprosum("list --json"))["host_isas"];
  if (std::find(isas.begin(), isas.end(), "avx2") == isas.end())
    GTEST_SKIP() << "this host has no AVX2";
  const Outcome code = reprosum("show " + spec + " --routine ddot --format asm --isa avx2");
  EXPECT_EQ(code.code, 0) << code.err;
  EXPECT_NE(code.out.find("vfmadd"), std::string::npos);
  const Outcome ir = reprosum("show " + spec + " --routine ddot --format ir --isa avx2");
  EXPECT_EQ(ir.code, 0) << ir.err;
  EXPECT_NE(ir.out.find("llvm.fma"), std::string::npos);
}

TEST_F(Show, ListNamesAKernelForEveryEntry) {
  const auto json = json_of(reprosum("list --json " + spec));
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["schema"], "reprosum-list/1");
  ASSERT_EQ(json["kernels"].size(), 3u);
  for (const auto& kernel : json["kernels"]) EXPECT_NE(kernel["kernel"], "");
}

TEST_F(Show, ListSaysWhatDevicesHaveNoKernelsFor) {
  const Scratch scratch;
  const std::string file =
      scratch.write("windows.json",
                    sample_spec({{"dsum", kSequentialOrder}, {"ssum", spec::samples::kPasses, 9}}));
  const auto json = json_of(reprosum("list --json " + file));
  ASSERT_EQ(json["kernels"].size(), 2U);
  for (const auto& kernel : json["kernels"])
    EXPECT_EQ(kernel["not_on_devices"].get<std::string>().find("windows") != std::string::npos,
              kernel["routine"] == "ssum")
        << kernel;
}

TEST_F(Show, ListObeysTheForcedInstructionSet) {
  const auto json = json_of(reprosum("list --json " + spec, "REPROSUM_ISA=interpreter"));
  for (const auto& kernel : json["kernels"]) EXPECT_EQ(kernel["isa"], "interpreter");
  EXPECT_EQ(reprosum("list", "REPROSUM_ISA=quantum").code, 2);
  const Outcome none = reprosum("list " + spec, "OCL_ICD_VENDORS=/nonexistent REPROSUM_ISA=opencl");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("REPROSUM_ISA: this host has no opencl device"), std::string::npos)
      << none.err;
}

TEST_F(Show, ListNamesTheForcedDeviceWhereItHasKernels) {
  const Outcome listed = reprosum("list --json " + spec, "REPROSUM_ISA=opencl");
  if (listed.err.find("no opencl device") != std::string::npos) GTEST_SKIP() << listed.err;
  const auto json = json_of(listed);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["chosen_isa"], "opencl");
  for (const auto& kernel : json["kernels"]) {
    EXPECT_EQ(kernel["isa"], "opencl") << kernel;
    EXPECT_TRUE(kernel["kernel"].get<std::string>().ends_with("_opencl")) << kernel;
  }
}

// Without a driver, and with a loader that has none, everything else works.
TEST_F(Show, ListSaysWhichDevicesThereAre) {
  const auto json = json_of(reprosum("list --json " + spec, "OCL_ICD_VENDORS=/nonexistent"));
  ASSERT_FALSE(json.is_discarded());
  for (const auto& device : json["devices"]) EXPECT_NE(device["backend"], "opencl");
  const Outcome text = reprosum("list " + spec, "OCL_ICD_VENDORS=/nonexistent");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("no opencl device: "), std::string::npos) << text.out;
  int on_device = 0;
  for (const auto& backend : json["backends"]) on_device += backend["on_device"] == true;
  EXPECT_EQ(on_device, 2);
}

TEST(Doctor, ReportsWithASchema) {
  const auto json = json_of(reprosum("doctor --json", "REPROSUM_NONSENSE=1"));
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["schema"], "reprosum-doctor/1");
  std::set<std::string> what;
  bool warned = false;
  for (const auto& finding : json["findings"]) {
    what.insert(finding["what"]);
    warned |= finding["what"] == "REPROSUM_NONSENSE" && finding["status"] == "warn";
  }
  for (const char* name :
       {"cpu", "fma", "floating point", "kernel cache", "library", "llvm", "opencl", "cuda"})
    EXPECT_TRUE(what.count(name)) << name;
  EXPECT_TRUE(warned);
}

// (status, advice) by what was looked at.
std::map<std::string, std::pair<std::string, std::string>> findings(
    const std::string& environment) {
  std::map<std::string, std::pair<std::string, std::string>> out;
  const auto json = json_of(reprosum("doctor --json", environment));
  for (const auto& finding : json["findings"])
    out[finding["what"]] = {finding["status"], finding["advice"]};
  return out;
}

TEST(Doctor, SaysWhatDevicesAreMissing) {
  const auto json = json_of(reprosum("doctor --json", "OCL_ICD_VENDORS=/nonexistent"));
  bool said = false;
  for (const auto& finding : json["findings"])
    if (finding["what"] == "opencl") {
      EXPECT_EQ(finding["status"], "ok");  // a GPU is not needed
      said = finding["found"].get<std::string>().starts_with("none: ");
    }
  EXPECT_TRUE(said);
}

TEST(Doctor, KnowsTheVariablesOfTheDropIn) {
  const std::string fine =
      "REPROSUM_MODE=replay REPROSUM_ON_UNCOVERED=forward REPROSUM_BACKING_BIND=deep "
      "REPROSUM_NUM_THREADS=4 REPROSUM_VERBOSE=summary REPROSUM_THREADS=2 "
      "REPROSUM_ON_REFUSED=abort REPROSUM_BACKING=" +
      fake("sequential").substr(5);
  int seen = 0;
  for (const auto& [what, said] : findings(fine))
    if (what.rfind("REPROSUM_", 0) == 0) {
      EXPECT_EQ(said.first, "ok") << what << ": " << said.second;
      ++seen;
    }
  EXPECT_EQ(seen, 9);  // these, and that REPROSUM_SPEC is not set
  const std::tuple<std::string, std::string, std::string> wrong[] = {
      {"REPROSUM_MODE", "reply", "is not replay"},
      {"REPROSUM_ON_UNCOVERED", "warn", "is not error, forward or exact"},
      {"REPROSUM_ON_FORWARDED", "exact", "is not warn, allow or error"},
      {"REPROSUM_TRSV", "1", "is not substitution or certified"},
      {"REPROSUM_BACKING_BIND", "shallow", "is not global or deep"},
      {"REPROSUM_NUM_THREADS", "0", "is not a number from 1"},
      {"REPROSUM_VERBOSE", "2", "is not 0, 1 or summary; calls are served"},
      {"REPROSUM_ON_REFUSED", "exit", "is not xerbla or abort; libreprosum_blas serves no call"},
      {"REPROSUM_THREADS", "two", "not a number"},
      {"REPROSUM_BACKING", "/nonexistent.so", "No BLAS can be loaded"},
      {"REPROSUM_NUMTHREADS", "2", "No such variable is read; did you mean REPROSUM_NUM_THREADS?"},
      {"REPROSUM_COFFEE", "1", "No such variable is read."}};
  std::string all;
  for (const auto& [name, value, words] : wrong) all.append(name + "=" + value + " ");
  auto found = findings(all);
  for (const auto& [name, value, words] : wrong) {
    EXPECT_EQ(found[name].first, "warn") << name;
    EXPECT_NE(found[name].second.find(words), std::string::npos) << found[name].second;
  }
}

// R's own script puts the system's directories before LD_LIBRARY_PATH, so that our libblas.so.3 is
// silently not used.
TEST(Doctor, SaysThatRLoadsAnotherBlas) {
  const Scratch scratch;
  const std::string r = scratch.write("R", "#!/bin/sh\nprintf 'R 4.2 with %s' \"$BLAS_OF_R\"\n");
  std::filesystem::permissions(r, std::filesystem::perms::owner_all);
  std::filesystem::create_directories(scratch.file("reprosum-blas"));
  scratch.write("reprosum-blas/libblas.so.3", "");
  const std::string path = "PATH=" + std::filesystem::path(r).parent_path().string() + ":$PATH ";
  const std::string asked = "LD_LIBRARY_PATH=" + scratch.file("reprosum-blas");
  const auto said = [&](const std::string& environment) {
    return findings(path + environment)["r"];
  };
  const std::string system = "BLAS_OF_R=/usr/lib/libblas.so.3 ";
  EXPECT_EQ(said(system).first, "ok");
  EXPECT_EQ(said(system + asked).first, "warn");
  EXPECT_NE(said(system + asked).second.find("R_LD_LIBRARY_PATH"), std::string::npos);
  EXPECT_EQ(said("BLAS_OF_R=/usr/lib/reprosum-blas/libblas.so.3 " + asked).first, "ok");
}

TEST(Doctor, SaysWhatTheSpecCovers) {
  const Scratch scratch;
  spec::Spec spec = spec::from_json(sample_spec({{"ddot", kLanesOrder, 5000, {{1, 1}}, {1, 2}}}));
  const spec::Spec products = spec::samples::haswell_sgemm();
  spec.entries.push_back(products.entries.at(0));
  for (spec::MatrixRegime& regime : spec.entries.back().regimes)
    for (spec::MatrixClass& c : regime.classes) c.order += spec.orders.size();
  spec.orders.insert(spec.orders.end(), products.orders.begin(), products.orders.end());
  spec::canonicalize(spec);
  const std::string named = "REPROSUM_SPEC=" + scratch.write("a.json", spec::to_json(spec));
  const Outcome outcome = reprosum("doctor", named);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* words : {"2 groups of contexts, sha256", "threads 1 2, up to n = 5,000",
                            "sgemm NT         1 group of contexts, threads 1, up to 640 x 2048 x"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  EXPECT_EQ(findings(named + " REPROSUM_THREADS=2")["REPROSUM_THREADS"].first, "ok");
  auto found = findings(named + " REPROSUM_THREADS=3 REPROSUM_MODE=forward");
  EXPECT_EQ(found["REPROSUM_THREADS"].first, "warn");
  EXPECT_EQ(found["REPROSUM_MODE"].first, "warn");
}

}  // namespace
}  // namespace reprosum::cli
