// Programs that speak the exec: protocol, well and badly.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <numeric>

#include "reveal/target.h"
#include "tests/paths.h"
#include "tests/reveal/target/batches.h"
#include "tests/reveal/target/faults.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;
using testing::error_of;
using testing::IntegerBatch;

std::string scripted(const std::string& vice) {
  return std::string("exec:/usr/bin/env python3 ") + REPROSUM_SOURCE_DIR +
         "/tests/reveal/target/scripted_target.py " + vice;
}

double sum_of_ones(Target& target, std::int64_t n) {
  const std::vector<double> x(static_cast<std::size_t>(n), 1.0);
  return target.run(
      {.call = call_of_vectors(Routine::dot, Type::f64, n), .x = x, .y = {}, .probes = {}})[0];
}

TEST(ExecTarget, AnswersRandomBatches) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target(scripted("good"));
  const std::int64_t increments[] = {1, 2, -1, -3, 0};
  std::int64_t calls = 0;
  for (int round = 0; round < 200; ++round) {
    Call call;
    call.routine = round % 3 == 0 ? Routine::sum : Routine::dot;
    call.type = testing::type_of(engine() % 2);
    call.k = static_cast<std::int64_t>(engine() % 30);
    call.incx = increments[engine() % 5];
    call.incy = increments[engine() % 5];
    IntegerBatch data(engine, call, 1 + static_cast<std::int64_t>(engine() % 4),
                      static_cast<int>(engine() % 6), engine() % 2);
    const auto got = target->run(data.batch());
    ASSERT_EQ(got, data.expected()) << "round " << round;
    calls += static_cast<std::int64_t>(got.size());
    ASSERT_EQ(target->calls(), calls);
  }
}

TEST(ExecTarget, ManyRequestsForOneBatch) {
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target(scripted("chatty"));  // fills its standard error as well
  IntegerBatch data(engine, call_of_vectors(Routine::dot, Type::f64, 300, 1, 1, 0, 0), 10, 100,
                    true);
  EXPECT_EQ(target->run(data.batch()), data.expected());
}

TEST(ExecTarget, SaysWhatItServes) {
  const auto target = open_target(scripted("dot_only"));
  EXPECT_TRUE(target->has(Routine::dot, Type::f32));
  EXPECT_TRUE(target->has(Routine::dot, Type::f64));
  EXPECT_FALSE(target->has(Routine::sum, Type::f64));
  const std::vector<double> x(2, 1.0);
  const Batch sum{
      .call = call_of_vectors(Routine::sum, Type::f64, 2), .x = x, .y = {}, .probes = {}};
  EXPECT_EQ(error_of([&] { target->run(sum); }).first, "missing_symbol");
  const auto identity = target->identity();
  std::map<std::string, std::string> facts(identity.begin(), identity.end());
  EXPECT_EQ(facts["says.language"], "python");
  EXPECT_EQ(facts["says.vice"], "dot_only");
  EXPECT_EQ(facts["target"], scripted("dot_only"));
}

TEST(ExecTarget, DeclinesWhatItHasNoMeansFor) {
  const auto target = open_target(scripted("unit_increments"));
  const std::vector<double> x(2, 1.0);
  const auto reason = [&](const Call& call) {
    return error_of([&] { target->run({.call = call, .x = x, .y = {}, .probes = {}}); }).first;
  };
  EXPECT_EQ(reason(call_of_vectors(Routine::dot, Type::f64, 2, 2, 1)), "declined");
  EXPECT_EQ(reason(call_of_vectors(Routine::dot, Type::f64, 2, 1, -1)), "declined");
  EXPECT_EQ(reason(call_of_vectors(Routine::dot, Type::f64, 2, 1, 1, 8, 0)), "declined");
  EXPECT_EQ(reason(call_of_vectors(Routine::sum, Type::f64, 2, 1, -1)),
            "no error");  // sum has no incy
  EXPECT_EQ(reason(call_of_vectors(Routine::dot, Type::f64, 2, 1, 1)), "no error");
}

struct Vice {
  const char* name;
  const char* reason;
  const char* message;
};

class BadProgram : public ::testing::TestWithParam<Vice> {};

TEST_P(BadProgram, IsReportedAndRestarted) {
  // Starting an interpreter takes its time on a busy machine; only those that must wait get less.
  const std::string reason = GetParam().reason;
  const double limit = reason == "timed_out" ? 2 : 20;
  const auto target = open_target(scripted(GetParam().name), {.timeout_s = limit});
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(sum_of_ones(*target, 4), 4);
    const auto error = error_of([&] { sum_of_ones(*target, 40'000); });
    EXPECT_EQ(error.first, reason);
    EXPECT_NE(error.second.find(GetParam().message), std::string::npos) << error.second;
  }
}

INSTANTIATE_TEST_SUITE_P(Vices, BadProgram,
                         ::testing::Values(Vice{"crash", "crashed", "signal 11"},
                                           Vice{"illegal", "illegal_instruction", "signal 4"},
                                           Vice{"exit", "crashed", "status 0"},
                                           Vice{"hang", "timed_out", "no answer"},
                                           Vice{"reads_nothing_more", "timed_out", "no answer"},
                                           Vice{"short", "protocol", "middle of an answer"},
                                           Vice{"long", "protocol", "more than an answer"},
                                           Vice{"count", "protocol", "answers 2 values"},
                                           Vice{"nonsense", "protocol", "a debugging line"},
                                           Vice{"refuses", "protocol", "13 is unlucky"}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ExecTarget, BadStarts) {
  const auto opening = [&](const std::string& name, double limit = 20) {
    return error_of([&] { open_target(name, {.timeout_s = limit}); });
  };
  const auto absent = opening("exec:/nowhere/program --flag");
  EXPECT_EQ(absent.first, "cannot_load");
  EXPECT_NE(absent.second.find("/nowhere/program"), std::string::npos) << absent.second;
  EXPECT_EQ(opening("exec:true").first, "crashed");
  EXPECT_EQ(opening("exec:kill -11 $$").first, "crashed");
  const auto talk = opening(scripted("no_hello"));
  EXPECT_EQ(talk.first, "protocol");
  EXPECT_NE(talk.second.find("Hello, world!"), std::string::npos) << talk.second;
  const auto version = opening(scripted("version"));
  EXPECT_EQ(version.first, "protocol");
  EXPECT_NE(version.second.find("version 2"), std::string::npos) << version.second;
  const auto dead = opening(scripted("dies_at_start"));
  EXPECT_EQ(dead.first, "crashed");
  EXPECT_NE(dead.second.find("no such module"), std::string::npos) << dead.second;
  EXPECT_EQ(opening(scripted("silent"), 0.3).first, "timed_out");
  EXPECT_EQ(opening("exec:sleep 100 & sleep 100", 0.3).first, "timed_out");
}

TEST(ExecTarget, SetsTheEnvironment) {
  const std::string command =
      "exec:test \"$FAKE_SETTING\" = 'a b' || exit 9; exec " + scripted("good").substr(5);
  EXPECT_EQ(sum_of_ones(*open_target(command, {.environment = {"FAKE_SETTING=a b"}}), 3), 3);
  const auto error = error_of([&] { open_target(command); });
  EXPECT_NE(error.second.find("status 9"), std::string::npos) << error.second;
}

// The shipped example, where the system's Python has NumPy.
class NumpyTarget : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::system("/usr/bin/python3 -c 'import numpy' 2> /dev/null") != 0) {
      GTEST_SKIP() << "no NumPy here";
    }
  }
  static std::string name(const std::string& function) {
    return std::string("exec:/usr/bin/python3 ") + REPROSUM_SOURCE_DIR +
           "/tools/targets/numpy_target.py " + function;
  }
};

TEST_P(NumpyTarget, AnswersRandomBatches) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const std::string function = GetParam();
  const auto target = open_target(name(function));
  const Routine routine = function.ends_with("dot") ? Routine::dot : Routine::sum;
  EXPECT_TRUE(target->has(routine, Type::f32));
  EXPECT_FALSE(target->has(routine == Routine::dot ? Routine::sum : Routine::dot, Type::f32));
  for (int round = 0; round < 60; ++round) {
    Call call;
    call.routine = routine;
    call.type = testing::type_of(engine() % 2);
    call.k = static_cast<std::int64_t>(engine() % 600);
    IntegerBatch data(engine, call, 1 + static_cast<std::int64_t>(engine() % 9),
                      static_cast<int>(engine() % 9), engine() % 2);
    ASSERT_EQ(target->run(data.batch()), data.expected()) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, NumpyTarget,
                         ::testing::Values("", "sum", "dot", "einsum-sum", "einsum-dot"));

TEST_F(NumpyTarget, SumHasItsPairwiseBlocksBitForBit) {
  // Rounded data: eight lanes below 128, which a sequential sum does not reproduce.
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target(name("sum"));
  int unlike_sequential = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<double> x(96);
    for (double& value : x) value = std::uniform_real_distribution<double>(-1, 1)(engine);
    double lane[8] = {};
    for (std::size_t k = 0; k < x.size(); ++k) lane[k % 8] += x[k];
    const double expected =
        ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    unlike_sequential += expected != std::accumulate(x.begin(), x.end(), 0.0);
    const Batch batch{.call = call_of_vectors(Routine::sum, Type::f64, 96), .x = x};
    ASSERT_EQ(target->run(batch)[0], expected);
  }
  EXPECT_GT(unlike_sequential, 25);
}

}  // namespace
}  // namespace reprosum::reveal
