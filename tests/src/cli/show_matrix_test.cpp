// show of gemv and gemm: rules, maps, trees of classes.
#include <algorithm>
#include <set>
#include <sstream>

#include "command.h"
#include "spec/surface.h"
#include "tests/spec/sample_regions.h"

namespace reprosum::cli {
namespace {

class ShowMatrix : public testing::Test {
 protected:
  ShowMatrix()
      : haswell(scratch.write("h.json", spec::to_json(spec::samples::haswell_sgemm()))),
        gemv(scratch.write("v.json", spec::to_json(spec::samples::skylakex_sgemv()))) {}
  const Scratch scratch;
  const std::string haswell, gemv;
};

TEST_F(ShowMatrix, RulesInWords) {
  const Outcome outcome = reprosum("show " + haswell + " --routine sgemm --trans NT");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* text : {"sgemm NT", "every shape", "rows", "columns", "class 0", "evidence",
                           "12Q", "m = 24..320 = 24 + r + 16Q"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
  const auto json = json_of(reprosum("show " + haswell + " --json"));
  EXPECT_EQ(json["entries"].size(), 1u);
  EXPECT_EQ(json["entries"][0]["regime_rules"][0]["classes"].size(), 2u);
}

// Rules of many pages are a table, in which no two rows look the same.
TEST_F(ShowMatrix, LongRulesAreATable) {
  spec::Spec spec = spec::samples::haswell_sgemm();
  for (int copies = 0; copies < 3; ++copies) {  // which differ in what the data may be
    spec::Entry entry = spec.entries[0];
    entry.guard.alpha_one = copies > 0;
    entry.guard.finite_only = copies > 1;
    entry.guard.nonzero_only = true;
    spec.entries.push_back(entry);
  }
  for (int threads = 2; threads < 20; ++threads) {
    spec::Entry entry = spec.entries[0];
    entry.guard.threads = {threads};
    spec.entries.push_back(entry);
  }
  const std::string file = scratch.write("long.json", spec::to_json(spec));
  const Outcome outcome = reprosum("show " + file);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::set<std::string> rows;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(!line.starts_with("sgemm NT ") || rows.insert(line).second) << line;
  EXPECT_EQ(rows.size(), 22u) << outcome.out;
  EXPECT_NE(outcome.out.find(" alpha = 1, finite data, no zero factors "), std::string::npos);
  EXPECT_NE(outcome.out.find("The rules and the evidence of one: --routine"), std::string::npos);
  EXPECT_NE(reprosum("show " + file + " --routine sgemm").out.find("class 0"), std::string::npos);
}

TEST_F(ShowMatrix, AddressesChooseTheRule) {
  spec::Spec spec = spec::samples::skylakex_sgemv();
  spec.entries[0].guard.addresses = {{1, 1, 16, 1, 1, 1}, {{0, 0, 8, 0}}};
  const std::string file = scratch.write("y.json", spec::to_json(spec));
  EXPECT_NE(reprosum("show " + file).out.find("y = 8 mod 16 bytes"), std::string::npos);
  const std::string shape = "show " + file + " --routine sgemv --m 9 --k 60 --align ";
  EXPECT_EQ(reprosum(shape + "8").code, 0);
  EXPECT_EQ(reprosum(shape + "0:4:24:36").code, 0);
  const Outcome outside = reprosum(shape + "0:4:16:36");
  EXPECT_EQ(outside.code, 2);
  EXPECT_NE(outside.err.find("sgemv N was not captured for y = 0 mod 16 bytes"), std::string::npos)
      << outside.err;
  const Outcome wrong = reprosum(shape + "0:4:24");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("A:x:y:lda"), std::string::npos) << wrong.err;
  EXPECT_NE(reprosum(shape + "0:4:64:0").err.find("64 is not in 0..63"), std::string::npos);
}

TEST_F(ShowMatrix, ASmallMapHasACharacterForEveryOutput) {
  const spec::Spec spec = spec::samples::haswell_sgemm();
  const auto regions = spec::regions(spec.entries[0].regimes, {30, 29, 10});
  const Outcome outcome = reprosum("show " + haswell + " --routine sgemm --m 30 --n 29 --k 10");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::vector<std::string> lines;
  std::size_t from = outcome.out.find("\n\n") + 2;
  for (int k = 0; k < 31; ++k) {
    const std::size_t to = outcome.out.find('\n', from);
    if (k > 0) lines.push_back(outcome.out.substr(to - 29, 29));
    from = to + 1;
  }
  ASSERT_EQ(lines.size(), 30u);
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 29; ++j)
      ASSERT_EQ(lines[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)],
                '0' + regions->class_at(i, j))
          << i << ", " << j;
}

TEST_F(ShowMatrix, JsonOfAMapAndOfAnOutput) {
  const std::string shape = " --routine sgemm --m 30 --n 29 --k 3 --json";
  const auto map = json_of(reprosum("show " + haswell + shape));
  EXPECT_EQ(map["shape"], nlohmann::json({30, 29, 3}));
  std::int64_t rows = 0;
  for (const auto& stretch : map["map"]["rows"]) rows += stretch[1].get<std::int64_t>();
  EXPECT_EQ(rows, 30);
  const auto output = json_of(reprosum("show " + haswell + shape + " --at 29,28"));
  EXPECT_EQ(output["class"], 1);
  EXPECT_EQ(output["postorder"], nlohmann::json({"out", ".0", "f1", "+", "f2", "&+", "+"}));
}

TEST_F(ShowMatrix, DrawingsAreWellFormed) {
  for (const std::string& choice :
       {haswell + " --routine sgemm --m 30 --n 29 --k 10",
        haswell + " --routine sgemm --m 640 --n 2000 --k 10",
        haswell + " --routine sgemm --m 30 --n 29 --k 1000 --class 0",
        haswell + " --routine sgemm --m 30 --n 29 --k 20 --at 0,0",
        gemv + " --routine sgemv --trans N --m 100 --k 100",
        gemv + " --routine sgemv --trans N --m 100 --k 100 --class 0"}) {
    SCOPED_TRACE(choice);
    const std::string svg = scratch.file("a.svg");
    const Outcome outcome = reprosum("show " + choice + " --format svg -o " + svg);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_LT(contents(svg).size(), 60000u);
    EXPECT_EQ(contents(svg).find("href"), std::string::npos) << "external reference";
    if (has_program("python3")) {
      EXPECT_EQ(
          shell("python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' " + svg).code,
          0);
    }
  }
}

TEST_F(ShowMatrix, TheTreeOfAClassSaysWhereTheOutputAndAlphaEnter) {
  const Outcome outcome =
      reprosum("show " + haswell + " --routine sgemm --m 30 --n 29 --k 4 --class 0");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("(C +f a*("), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("beta*C"), std::string::npos);
  EXPECT_NE(outcome.out.find("fma alpha times"), std::string::npos);
}

TEST_F(ShowMatrix, RefusesInOneLine) {
  for (const std::string& options :
       {haswell + " --routine sgemm --m 30", haswell + " --routine sgemm --m 30 --n 0 --k 5",
        haswell + " --routine sgemm --m 3000 --n 10 --k 5",
        haswell + " --routine sgemm --trans NX --m 30 --n 30 --k 5",
        haswell + " --routine sgemm --trans NN --m 30 --n 30 --k 5",
        haswell + " --routine sgemm --threads 3 --m 30 --n 30 --k 5",
        haswell + " --routine sgemm --m 30 --n 30 --k 5 --class 2",
        haswell + " --routine sgemm --m 30 --n 30 --k 5 --at 30,0",
        haswell + " --routine sgemm --m 30 --n 30 --k 5 --format dot",
        haswell + " --routine sgemm --m 30 --n 30 --k 5 --format asm",
        haswell + " --routine sdot --m 30", haswell + " --m 30 --n 30 --k 5",
        gemv + " --routine sgemv --m 30 --n 30 --k 5", gemv + " --routine sgemv --trans NT",
        gemv + " --routine sgemv --m 30 --k 5 --align 3"}) {
    const Outcome outcome = reprosum("show " + options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_EQ(outcome.err.rfind("reprosum: error: ", 0), 0u) << options << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(ShowMatrix, SaysWhatIsNotCovered) {
  for (const auto& [options, words] :
       {std::pair{" --routine sgemm --m 3000 --n 10 --k 5", "m = 3000 is beyond the captured"},
        {" --routine sgemm --m 30 --n 10 --k 5000", "k = 5000 is beyond the captured 2048"},
        {" --routine dgemm --m 30 --n 30 --k 5", "dgemm was not captured"},
        {" --routine sgemm --trans NN --m 30 --n 30 --k 5", "sgemm NN was not captured"},
        {" --routine sgemm --threads 3 --m 30 --n 30 --k 5",
         "sgemm NT with threads = 3 was not captured"}}) {
    const Outcome outcome = reprosum("show " + haswell + options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_EQ(outcome.err.rfind("reprosum: error: not covered: ", 0), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
}

// Where mn > 300 nothing is covered, though that regime names a greater k.
spec::Spec covered_in_part() {
  spec::Spec spec = spec::samples::skylakex_dgemm();
  spec::MatrixRegime covered = spec.entries[0].regimes[2], nothing;
  covered.guard = {spec::samples::at_most("mn", 300), spec::samples::at_most("n", 70)};
  covered.k_max = 500;
  nothing.rows = nothing.columns = {spec::samples::uniform(1)};
  nothing.table = {{-1}};
  nothing.k_max = 2048;
  spec.entries[0].regimes = {covered, nothing};
  spec::canonicalize(spec);
  return spec;
}

TEST_F(ShowMatrix, TheLargestShapeIsACoveredOne) {
  const std::string part = scratch.write("p.json", spec::to_json(covered_in_part()));
  const Outcome outcome = reprosum("show " + part);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("dgemm TN  up to 300 x 70 x 500  "), std::string::npos) << outcome.out;
  const auto json = json_of(reprosum("show --json " + part));
  EXPECT_EQ(json["entries"][0]["largest"], nlohmann::json({300, 70, 500}));
  const auto listed = json_of(reprosum("list --json " + part))["matrices"][0]["kernels"];
  EXPECT_EQ(listed.back()["kernel"], "not covered") << listed;
}

TEST_F(ShowMatrix, ListTriesShapesUntilEveryClassHasOutputs) {
  // Corners have a class of their own in the first regime; 100 x 12 has none.
  spec::Spec spec = spec::samples::skylakex_dgemm();
  spec.orders.push_back(spec::parse_order(spec::samples::kColumnByColumn));
  spec.entries[0].regimes.resize(1);
  spec.entries[0].regimes[0].guard = {};
  spec.entries[0].regimes[0].table = {{0, 0}, {0, 1}};
  spec.entries[0].regimes[0].classes[1].order = 2;
  spec::canonicalize(spec);
  const std::string file = scratch.write("l.json", spec::to_json(spec));
  const auto json = json_of(reprosum("list --json " + file));
  const auto kernels = json["matrices"][0]["kernels"];
  std::set<std::string> names;
  for (const auto& kernel : kernels) {
    if (kernel["beta"] == "0") continue;  // without C an order has code of its own
    const std::string text = kernel["kernel"];
    EXPECT_EQ(text.find(": 0 outputs"), std::string::npos) << text;
    names.insert(text.substr(0, text.find(": ")));
  }
  // The interpreter is one for both.
  EXPECT_EQ(names.size(), json["host_isas"].size() > 1 ? 2u : 1u) << kernels;
  EXPECT_NE(kernels.front()["shape"], kernels.back()["shape"]) << kernels;
}

TEST_F(ShowMatrix, ListSaysWhichClassesDevicesHaveNoKernelsFor) {
  spec::Spec spec = spec::samples::haswell_sgemm();
  for (const spec::MatrixClass& kind : spec.entries[0].regimes[0].classes)
    spec.orders[kind.order] = spec::parse_order("1..4096: loop 1 { 0: wide [out >.@0 +1 x q]; }");
  spec::canonicalize(spec);
  const std::string file = scratch.write("w.json", spec::to_json(spec));
  const auto refused = json_of(reprosum("list --json " + file))["matrices"][0]["kernels"];
  for (const auto& kernel : refused) EXPECT_NE(kernel["not_on_devices"], "") << kernel;
  EXPECT_NE(reprosum("list " + file).out.find("not on devices: "), std::string::npos);
  const auto served = json_of(reprosum("list --json " + haswell))["matrices"][0]["kernels"];
  for (const auto& kernel : served) EXPECT_EQ(kernel["not_on_devices"], "") << kernel;
}

TEST_F(ShowMatrix, ListNamesAKernelForEveryClass) {
  const auto json = json_of(reprosum("list --json " + haswell));
  ASSERT_EQ(json["matrices"].size(), 1u);
  EXPECT_EQ(json["matrices"][0]["kernels"].size(), 2u);
  for (const auto& kernel : json["matrices"][0]["kernels"]) EXPECT_NE(kernel["kernel"], "");
  const Outcome text = reprosum("list " + haswell, "REPROSUM_ISA=interpreter");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("sgemm NT"), std::string::npos);
}

}  // namespace
}  // namespace reprosum::cli
