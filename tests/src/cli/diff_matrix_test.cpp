// diff of gemv and gemm: pairing of contexts, the first difference, exit codes.
#include <set>
#include <string>
#include <utility>

#include "command.h"
#include "tests/spec/sample_regions.h"
#include "tests/src/report/sample_specs.h"

namespace reprosum::cli {
namespace {

using spec::samples::haswell_sgemm;
using spec::samples::skylakex_dgemm;
using spec::samples::skylakex_sgemv;

class DiffMatrices : public testing::Test {
 protected:
  Outcome diff(spec::Spec a, spec::Spec b, const std::string& options = "") {
    spec::canonicalize(a);
    spec::canonicalize(b);
    return reprosum("diff " + scratch.write("a.json", spec::to_json(a)) + " " +
                    scratch.write("b.json", spec::to_json(b)) + " " + options);
  }
  nlohmann::json json(const spec::Spec& a, const spec::Spec& b, const std::string& options = "") {
    return json_of(diff(a, b, options + " --json"));
  }
  // The one comparison with this verdict.
  static nlohmann::json the(const nlohmann::json& report, const std::string& verdict) {
    nlohmann::json found;
    for (const auto& comparison : report["comparisons"])
      if (comparison["verdict"] == verdict) {
        EXPECT_TRUE(found.is_null()) << verdict << " twice\n" << report;
        found = comparison;
      }
    EXPECT_FALSE(found.is_null()) << "no " << verdict << "\n" << report;
    return found;
  }
  const Scratch scratch;
};

bool has(const Outcome& outcome, const std::string& text) {
  return outcome.out.find(text) != std::string::npos;
}

// The entry again, with other contexts.
template <class Change>
void add_copy(spec::Spec& spec, Change change) {
  spec.entries.push_back(spec.entries.front());
  change(spec.entries.back());
}

TEST_F(DiffMatrices, TheSameInOneLine) {
  const Outcome outcome = diff(skylakex_dgemm(), skylakex_dgemm());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome, "same  dgemm TN threads 1, by columns\n")) << outcome.out;
  EXPECT_FALSE(has(outcome, "differs")) << outcome.out;
}

TEST_F(DiffMatrices, KBlocksAndTheFirstOutputAreNamed) {
  const spec::Spec a = haswell_sgemm();
  spec::Spec b = a;
  for (spec::Order& order : b.orders) std::get<spec::Parts>(order.regimes[0].rule).m = 320;
  b.provenance = {{"environment.CORE", "other"}};
  const Outcome outcome = diff(a, b);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_TRUE(has(outcome, "sgemm NT  differs\n    threads 1, by columns\n")) << outcome.out;
  EXPECT_TRUE(has(outcome, "first at m = 1, n = 1, k = 321, output (0, 0)")) << outcome.out;
  EXPECT_TRUE(has(outcome, "K blocks of 384 against 320 from k = 321")) << outcome.out;
  EXPECT_TRUE(has(outcome, "environment.CORE: nothing in A, other in B")) << outcome.out;
  const auto report = json(a, b);
  EXPECT_EQ(report["schema"], "reprosum-diff/1");
  EXPECT_EQ(report["same"], false);
  EXPECT_EQ(report["provenance"]["environment.CORE"], nlohmann::json({"", "other"}));
  const auto first = the(report, "differs")["first"];
  EXPECT_EQ(first["shape"], nlohmann::json({1, 1, 321}));
  EXPECT_EQ(first["output"], nlohmann::json({0, 0}));
  // 321 = 160 + 161: the first block ends, and only in B, with summand 159.
  EXPECT_EQ(first["node_a"], "(0 + fma 159)");
  EXPECT_EQ(first["node_b"], "&(0 + fma 159)");
}

TEST_F(DiffMatrices, AnEntrySplitFinerIsComparedPieceByPiece) {
  spec::Spec a = skylakex_sgemv(), b = a;
  a.entries[0].guard.row_major = b.entries[0].guard.row_major = true;
  a.entries[0].guard.threads = {1, 2};
  b.entries[0].guard.leading[0] = spec::Leading::tight;
  b.entries[0].guard.threads = {1, 2};
  add_copy(b, [](spec::Entry& entry) {
    entry.guard.leading[0] = spec::Leading::padded;
    entry.guard.threads = {2};
    entry.regimes[1].table = {{1}, {0}};
  });
  const auto report = json(a, b);
  EXPECT_EQ(report["comparisons"].size(), 3u) << report;
  EXPECT_EQ(the(report, "same")["contexts"],
            nlohmann::json({"inc 1:1 threads 1, by columns and rows, A without gaps",
                            "inc 1:1 threads 2, by columns and rows, A without gaps"}));
  EXPECT_EQ(the(report, "only in A")["contexts"],
            nlohmann::json({"inc 1:1 threads 1, by columns and rows, A with gaps"}));
  const auto differs = the(report, "differs");
  EXPECT_EQ(differs["contexts"],
            nlohmann::json({"inc 1:1 threads 2, by columns and rows, A with gaps"}));
  EXPECT_EQ(differs["first"]["shape"], nlohmann::json({1, 1, 49}));
  EXPECT_EQ(differs["same_orders"], true);
}

TEST_F(DiffMatrices, GapsOfEachMatrix) {
  spec::Spec a = haswell_sgemm(), b = a;
  b.entries[0].guard.leading = {spec::Leading::any, spec::Leading::tight, spec::Leading::any};
  add_copy(b, [](spec::Entry& entry) {
    entry.guard.leading = {spec::Leading::any, spec::Leading::padded, spec::Leading::tight};
  });
  const auto report = json(a, b);
  EXPECT_EQ(report["comparisons"].size(), 3u) << report;
  EXPECT_EQ(the(report, "only in A")["contexts"],
            nlohmann::json({"threads 1, by columns, B with gaps, C with gaps"}));
  std::set<std::string> same;
  for (const auto& one : report["comparisons"])
    if (one["verdict"] == "same") same.insert(one["contexts"][0].get<std::string>());
  EXPECT_EQ(same, (std::set<std::string>{"threads 1, by columns, B without gaps",
                                         "threads 1, by columns, B with gaps, C without gaps"}));
}

TEST_F(DiffMatrices, LayoutsAndAlignmentsThatOneSideLacks) {
  spec::Spec a = skylakex_sgemv(), b = a;
  a.entries[0].guard.row_major = true;
  auto report = json(a, b);
  EXPECT_EQ(the(report, "only in A")["contexts"], nlohmann::json({"inc 1:1 threads 1, by rows"}));
  a = b;
  a.entries[0].guard.alignment = 16;
  report = json(a, b);
  EXPECT_EQ(
      the(report, "same")["contexts"][0],
      "inc 1:1 threads 1, by columns, addresses and leading dimensions multiples of 16 bytes");
  EXPECT_EQ(
      the(report, "only in B")["contexts"][0],
      "inc 1:1 threads 1, by columns, addresses and leading dimensions multiples of 1 or 2 or "
      "4 or 8 bytes, not of more");
}

TEST_F(DiffMatrices, AddressesOfSingleOperands) {
  spec::Spec a = skylakex_sgemv(), b = a;
  a.entries[0].guard.addresses = {{1, 1, 16, 1, 1, 1}, {{0, 0, 8, 0}}};
  auto report = json(a, b);
  EXPECT_EQ(the(report, "same")["contexts"],
            nlohmann::json({"inc 1:1 threads 1, by columns, y = 8 mod 16 bytes"}));
  EXPECT_EQ(the(report, "only in B")["contexts"],
            nlohmann::json({"inc 1:1 threads 1, by columns, y = 0 or 4 or 12 mod 16 bytes"}));
  b.entries[0].guard.alignment = 8;
  report = json(a, b);
  EXPECT_EQ(
      the(report, "same")["contexts"],
      nlohmann::json({"inc 1:1 threads 1, by columns, (A mod 8, x mod 8, y mod 16, lda mod 8) "
                      "= (0, 0, 8, 0) bytes"}));
  // A hostile pair of files.
  a.entries[0].guard.addresses = {{64, 64, 64, 64, 1, 1}, {{0, 0, 8, 0}}};
  const Outcome outcome = diff(a, b);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("more than 4096 combinations of addresses"), std::string::npos)
      << outcome.err;
}

TEST_F(DiffMatrices, ThreadCountsOfOneFile) {
  // With two threads the tiles begin anew in the middle of the rows.
  spec::Spec spec = skylakex_dgemm();
  add_copy(spec, [](spec::Entry& entry) {
    entry.guard.threads = {2};
    entry.regimes[2].rows = {spec::samples::uniform(208), spec::samples::tiles(209, 2048, 8)};
  });
  EXPECT_EQ(diff(spec, spec).code, 0);
  EXPECT_EQ(diff(spec, spec, "--threads 2:2").code, 0);
  const Outcome outcome = diff(spec, spec, "--threads 1:2");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_TRUE(has(outcome, "threads 1:2, by columns")) << outcome.out;
  EXPECT_TRUE(has(outcome, "Both use the same orders; they stand at other outputs."))
      << outcome.out;
  const auto first = the(json(spec, spec, "--threads 1:2"), "differs")["first"];
  const auto m = first["shape"][0].get<std::int64_t>();
  EXPECT_GT(m, 192);
  EXPECT_LE(m, 208);
  // The rest of eights in A, nothing but whole tiles in B.
  EXPECT_EQ(first["output"][0], m / 8 * 8);
}

TEST_F(DiffMatrices, ThreadCountsOfSums) {
  const std::string file =
      scratch.write("t.json", sample_spec({{"ddot", kLanesOrder, 100000, {{1, 1}}, {1}},
                                           {"ddot", kSequentialOrder, 100000, {{1, 1}}, {2}}}));
  const Outcome outcome = reprosum("diff " + file + " " + file + " --threads 1:2 --json");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const auto report = json_of(outcome);
  EXPECT_EQ(report["threads"], nlohmann::json({1, 2}));
  EXPECT_EQ(report["comparisons"][0]["contexts"], nlohmann::json({"inc 1:1 threads 1:2"}));
  EXPECT_EQ(report["comparisons"][0]["first"]["n"], 16);
}

TEST_F(DiffMatrices, CoverageAloneIsSaidToBeOnlyThat) {
  spec::Spec a = skylakex_dgemm(), b = a;
  b.entries[0].n_max = 100;
  const Outcome outcome = diff(a, b);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome, "dgemm TN  same, other coverage")) << outcome.out;
  EXPECT_TRUE(has(outcome, "coverage: only the first covers m = 1, n = 101, k = 1")) << outcome.out;
}

TEST_F(DiffMatrices, FurtherContextsOfARoutineAreSaidInShort) {
  spec::Spec a = skylakex_sgemv(), b = a;
  b.entries[0].regimes[0].classes[0].beta_zero = spec::MatrixClass::BetaZero::store;
  for (spec::Spec* spec : {&a, &b})
    add_copy(*spec, [](spec::Entry& entry) { entry.guard.threads = {2}; });
  const Outcome outcome = diff(a, b);
  // The same words are said once, of both contexts.
  EXPECT_TRUE(has(outcome,
                  "sgemv N  differs\n    inc 1:1, threads 1, by columns\n"
                  "    inc 1:1, threads 2, by columns\n    first at m = 1, k = 1, "))
      << outcome.out;
  EXPECT_TRUE(has(outcome, "only the sign of a zero where")) << outcome.out;
  EXPECT_FALSE(has(outcome, "      A  ")) << "one text for both sides: " << outcome.out;
  EXPECT_FALSE(has(outcome, "they stand at other outputs")) << outcome.out;
  // Other words are said in short.
  b.entries[1].regimes[0].classes[0].beta_zero = spec::MatrixClass::BetaZero::multiply;
  const Outcome two = diff(a, b);
  EXPECT_TRUE(has(two,
                  "sgemv N  differs\n    inc 1:1, threads 2, by columns\n    first at m = 1, "
                  "k = 1, output (0, 0): only NaN, Inf"))
      << two.out;
  EXPECT_FALSE(has(two, ", too")) << two.out;
}

TEST_F(DiffMatrices, Trouble) {
  const spec::Spec spec = skylakex_dgemm();
  for (const auto& [threads, message] : {std::pair{"1:3", "has no context with threads = 3"},
                                         {"0:1", "0 is not between 1 and 4096"},
                                         {"1:2:3", "is not of the form X:Y"},
                                         {"a:b", "is not an integer"}}) {
    const Outcome outcome = diff(spec, spec, std::string("--threads ") + threads);
    EXPECT_EQ(outcome.code, 2) << threads;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_EQ(reprosum("diff " + scratch.file("a.json") + " " + scratch.file("none.json")).code, 2);
}

}  // namespace
}  // namespace reprosum::cli
