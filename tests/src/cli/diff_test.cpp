// diff: pairing of contexts and what is said about each.
#include "command.h"
#include "tests/src/report/sample_specs.h"

namespace reprosum::cli {
namespace {

class Diff : public testing::Test {
 protected:
  Outcome diff(const std::vector<Sample>& a, const std::vector<Sample>& b,
               const std::string& options = "") {
    return reprosum("diff " + scratch.write("a.json", sample_spec(a)) + " " +
                    scratch.write("b.json", sample_spec(b)) + " " + options);
  }
  const Scratch scratch;
};

TEST_F(Diff, TheSame) {
  const Outcome outcome = diff({{"ddot", kLanesOrder}}, {{"ddot", kLanesOrder}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("same"), std::string::npos);
}

// A line for each group of contexts that is the same.
TEST_F(Diff, ManyThatAreTheSameHaveALineEach) {
  const std::vector<Sample> both{{"ddot", kLanesOrder}, {"sdot", kLanesOrder}};
  const Outcome outcome = diff(both, both);
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  const auto first = outcome.out.find("same  "), second = outcome.out.find("\nsame  ", first);
  ASSERT_NE(first, std::string::npos) << outcome.out;
  ASSERT_NE(second, std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.substr(second + 8, 4), "dot ") << outcome.out;
}

TEST_F(Diff, NamesTheFirstSizeAndAddition) {
  const auto outcome = diff({{"ddot", kLanesOrder}}, {{"ddot", kSequentialOrder}}, "--json");
  EXPECT_EQ(outcome.code, 1);
  const auto json = json_of(outcome);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["schema"], "reprosum-diff/1");
  EXPECT_EQ(json["same"], false);
  // Below 16 both are sequential; at 16 the lanes are folded in twos, fours and eights.
  EXPECT_EQ(json["comparisons"][0]["first"]["n"], 16);
  EXPECT_NE(json["comparisons"][0]["first"]["node_a"], json["comparisons"][0]["first"]["node_b"]);
}

TEST_F(Diff, SaysWhereOnlyZerosDiffer) {
  constexpr const char* kStarted = "zero_start 1..100: loop 1 { 0: [.@0 +1 x q]; }";
  constexpr const char* kPlain = "1..100: loop 1 { 0: [.@0 +1 x q]; }";
  constexpr const char* kFused = "1..100: loop 1 { 0: [f@0 +1 x q]; }";
  const Outcome zeros = diff({{"ddot", kStarted, 100}}, {{"ddot", kPlain, 100}});
  EXPECT_EQ(zeros.code, 1);
  EXPECT_NE(zeros.out.find("first at n = 1, in zeros alone"), std::string::npos) << zeros.out;
  const Outcome both = diff({{"ddot", kStarted, 100}}, {{"ddot", kFused, 100}});
  EXPECT_NE(both.out.find("first at n = 2 (from n = 1 on signs of zero may differ):\n"
                          "      A adds (0 + 1) "),
            std::string::npos)
      << both.out;
  const auto json = json_of(diff({{"ddot", kStarted, 100}}, {{"ddot", kFused, 100}}, "--json"));
  EXPECT_EQ(json["comparisons"][0]["first"]["n"], 1);
  EXPECT_EQ(json["comparisons"][0]["first_of_summands"]["n"], 2);
}

TEST_F(Diff, ContextsInOnlyOne) {
  const std::vector<Sample> both{{"ddot", kLanesOrder, 100000, {{1, 1}, {3, 1}}, {1, 2}}};
  const auto json = json_of(diff(both, {{"ddot", kLanesOrder}}, "--json"));
  EXPECT_EQ(json["same"], false);
  int only = 0;
  for (const auto& comparison : json["comparisons"])
    if (comparison["verdict"] == "only in A")
      only += static_cast<int>(comparison["contexts"].size());
  EXPECT_EQ(only, 3);  // 1:1 with 2 threads, 3:1 with 1 and 2
}

// Intervals are cut where the other spec has single pairs, and said in as few parts as can be.
TEST_F(Diff, IncrementsOfIntervals) {
  const spec::IncrementRange many{2, spec::IncrementRange::kGreatest};
  const std::vector<Sample> a{{"ddot", kLanesOrder, 100000, {{1, 1}, {many, 1}}}};
  const std::vector<Sample> b{{"ddot", kLanesOrder, 100000, {{1, 1}, {2, 1}, {9, 1}}}};
  std::vector<std::string> only, both;
  const auto json = json_of(diff(a, b, "--json"));
  for (const auto& comparison : json["comparisons"])
    for (const auto& context : comparison["contexts"])
      (comparison["verdict"] == "only in A" ? only : both).push_back(context);
  EXPECT_EQ(both, (std::vector<std::string>{"inc 1..2:1 threads 1", "inc 9:1 threads 1"}));
  EXPECT_EQ(only, (std::vector<std::string>{"inc 3..8:1 threads 1", "inc 10..:1 threads 1"}));
}

TEST_F(Diff, AddressesInOnlyOne) {
  spec::Spec a = spec::from_json(sample_spec({{"ddot", kLanesOrder}})), b = a;
  a.entries[0].guard.addresses = spec::vector_addresses(16, {{0, 0}, {8, 8}});
  const auto json = json_of(reprosum("diff --json " + scratch.write("a.json", spec::to_json(a)) +
                                     " " + scratch.write("b.json", spec::to_json(b))));
  ASSERT_EQ(json["comparisons"].size(), 2u) << json;
  for (const auto& [verdict, addresses] :
       {std::pair{"same", "(0, 0) or (8, 8)"}, {"only in B", "(0, 8) or (8, 0)"}}) {
    const bool is_first = json["comparisons"][0]["verdict"] == verdict;
    const auto& comparison = json["comparisons"][is_first ? 0 : 1];
    EXPECT_EQ(comparison["verdict"], verdict);
    EXPECT_EQ(comparison["contexts"][0],
              "inc 1:1 threads 1, (x mod 16, y mod 16) = " + std::string(addresses) + " bytes");
  }
}

TEST_F(Diff, RoutinesInOnlyOne) {
  const Outcome outcome =
      diff({{"ddot", kLanesOrder}}, {{"ddot", kLanesOrder}, {"sdot", kLanesOrder}});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("only in B"), std::string::npos) << outcome.out;
}

TEST_F(Diff, CoverageAloneIsADifferenceAndSaidToBeOnlyThat) {
  const auto outcome =
      diff({{"ddot", kLanesOrder, 100000}}, {{"ddot", kLanesOrder, 5000}}, "--json");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(json_of(outcome)["comparisons"][0]["verdict"], "same, other coverage");
}

TEST_F(Diff, OrdersThatAreNotDefinedAreNotTheSame) {
  constexpr const char* kNone = "1..8: split last_const(8) { self, self }";
  constexpr const char* kNeither = "1..8: split last_const(9) { self, self }";
  constexpr const char* kEight =
      "1..7: split last_const(8) { self, self } 8: loop 1 { 0: [.@0 +1 x q]; }";
  const Outcome nowhere = diff({{"ddot", kNone, 8}}, {{"ddot", kNeither, 8}});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_NE(nowhere.out.find("defined nowhere"), std::string::npos) << nowhere.out;
  const Outcome one = diff({{"ddot", kNone, 8}}, {{"ddot", kEight, 8}});
  EXPECT_EQ(one.code, 1);
  EXPECT_NE(one.out.find("at n = 8: not defined in A, defined in B"), std::string::npos) << one.out;
}

TEST_F(Diff, ADifferenceBeyondWhatBothCoverIsNone) {
  const auto json =
      json_of(diff({{"ddot", kLanesOrder, 10}}, {{"ddot", kSequentialOrder, 10}}, "--json"));
  EXPECT_EQ(json["same"], true) << json;
}

}  // namespace
}  // namespace reprosum::cli
