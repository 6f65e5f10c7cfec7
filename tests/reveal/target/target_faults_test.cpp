// Libraries that misbehave: a clear report, and a target that can be used again.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/paths.h"
#include "tests/reveal/target/faults.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;
using testing::error_of;
using testing::fake;
using testing::Fault;

double sum_of_ones(Target& target, std::int64_t n, std::uint64_t base_id = 0) {
  const std::vector<double> x(static_cast<std::size_t>(n), 1.0);
  return target.run({.call = call_of_vectors(Routine::dot, Type::f64, n),
                     .x = x,
                     .y = {},
                     .probes = {},
                     .base_id = base_id})[0];
}

class FaultyLibrary : public ::testing::TestWithParam<Fault> {};

TEST_P(FaultyLibrary, IsReportedAndRestarted) {
  const auto target = open_target(fake(GetParam().library), {.timeout_s = 0.3});
  std::int64_t calls = 0;
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(sum_of_ones(*target, 12, 77), 12);
    EXPECT_EQ(target->calls(), ++calls);
    const auto [reason, message] = error_of([&] { sum_of_ones(*target, 13); });
    EXPECT_EQ(reason, GetParam().reason);
    EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
    EXPECT_NE(message.find("ddot with n=13"), std::string::npos) << message;
    EXPECT_EQ(target->calls(), calls);
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultyLibrary, ::testing::ValuesIn(testing::kFaults),
                         [](const auto& info) { return std::string(info.param.library); });

double narrow_sum_of_ones(Target& target, Routine routine, bool cblas) {
  const std::vector<double> x(9, 1.0);
  Call call = call_of_vectors(routine, Type::f32, 9);
  call.cblas = cblas;
  return target.run({.call = call, .x = x, .y = {}, .probes = {}})[0];
}

// The convention of f2c: what is read as a float is half a double, which is no sum.
TEST(Faults, AFloatFunctionThatReturnsADoubleIsNamed) {
  const auto target = open_target(fake("f2c"));
  for (const auto& [routine, symbol] :
       {std::pair{Routine::dot, "sdot_"}, std::pair{Routine::sum, "cblas_ssum"}})
    for (int again = 0; again < 2; ++again) {
      const auto [reason, message] = error_of([&] { narrow_sum_of_ones(*target, routine, false); });
      EXPECT_EQ(reason, "returns_double");
      for (const std::string& part :
           {std::string(symbol) + " returns a double", std::string("-ff2c"),
            std::string("sums of 3, 8, 15 read as doubles are right")})
        EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  EXPECT_EQ(narrow_sum_of_ones(*target, Routine::dot, true), 9);  // CBLAS's returns a float
  EXPECT_EQ(sum_of_ones(*target, 9), 9);
  EXPECT_TRUE(target->has(Routine::gemm, Type::f32));
}

// Neither garbage nor a float is taken for one.
TEST(Faults, NoOtherFunctionIsTakenForOneThatReturnsADouble) {
  for (const char* const library : {"sequential", "cblas_only", "fortran_only", "wide"})
    EXPECT_EQ(narrow_sum_of_ones(*open_target(fake(library)), Routine::dot, false), 9) << library;
  EXPECT_EQ(narrow_sum_of_ones(*open_target(fake("wrong")), Routine::dot, false), 9 % 7 - 3);
}

TEST(Faults, CallsBeforeACrashAreCounted) {
  const auto target = open_target(fake("crash"));
  const std::vector<double> x(12, 1.0), longer(26, 1.0);
  target->run({.call = call_of_vectors(Routine::dot, Type::f64, 4),
               .rows = 3,
               .x = x,
               .y = {},
               .probes = {}});
  EXPECT_EQ(target->calls(), 3);
  EXPECT_EQ(error_of([&] { sum_of_ones(*target, 13); }).first, "crashed");
  EXPECT_EQ(target->calls(), 3);
  sum_of_ones(*target, 3);
  EXPECT_EQ(target->calls(), 4);
}

TEST(Faults, NoExitHandlerOfOursRunsInTheProbedProcess) {
  // exit() in the library must not run this one: it would write to the pipe.
  static int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  std::atexit([] {
    const char byte = 1;
    if (write(pipe_ends[1], &byte, 1) != 1) _exit(99);
  });
  const auto target = open_target(fake("exit"));
  EXPECT_EQ(error_of([&] { sum_of_ones(*target, 20); }).first, "crashed");
  close(pipe_ends[1]);
  char byte;
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 0);
  pipe_ends[1] = dup(1);  // what the handler finds when this test itself exits
}

TEST(Faults, NoiseGoesNowhere) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const auto target = open_target(fake("print"));
  const double sum = sum_of_ones(*target, 15);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(sum, 15);
}

TEST(Faults, ALibraryThatChangesItsInputsIsSeen) {
  // It zeroes x[0]; the second call of one batch then has one summand less.
  const auto target = open_target(fake("scribble"));
  const std::vector<double> x(6, 1.0);
  Batch batch{
      .call = call_of_vectors(Routine::dot, Type::f64, 6), .x = x, .y = {}, .probes = {{}, {}}};
  EXPECT_EQ(target->run(batch), (std::vector<double>{6, 5}));
  EXPECT_EQ(target->run(batch), (std::vector<double>{6, 5}));
}

TEST(Faults, WhatCannotBeOpened) {
  const TargetOptions brief{.timeout_s = 0.3};
  const auto opening = [&](const std::string& name) {
    return error_of([&] { open_target(name, brief); });
  };
  const auto absent = opening("blas:/nowhere/libabsent.so");
  EXPECT_EQ(absent.first, "cannot_load");
  EXPECT_NE(absent.second.find("/nowhere/libabsent.so"), std::string::npos) << absent.second;
  EXPECT_EQ(opening(std::string("blas:") + REPROSUM_SOURCE_DIR + "/LICENSE").first, "cannot_load");
  EXPECT_EQ(opening(fake("no_symbols")).first, "missing_symbol");
  const auto crash = opening(fake("load_crash"));
  EXPECT_EQ(crash.first, "crashed");
  EXPECT_NE(crash.second.find("being loaded"), std::string::npos) << crash.second;
  EXPECT_EQ(opening(fake("load_hang")).first, "timed_out");
}

TEST(Faults, WhatIsNoTarget) {
  EXPECT_THROW(open_target("libblas.so.3"), UserError);
  EXPECT_THROW(open_target("blas:"), UserError);
  EXPECT_THROW(open_target("exec:"), UserError);
  EXPECT_THROW(open_target(fake("sequential"), {.environment = {"NOVALUE"}}), UserError);
  EXPECT_THROW(open_target(fake("sequential"), {.environment = {"=x"}}), UserError);
  EXPECT_THROW(open_target(fake("sequential"), {.timeout_s = 0}), UserError);
}

TEST(Faults, ContextsBeyondTheInterfaceAreDeclined) {
  const auto target = open_target(fake("sequential"));
  const std::vector<double> x(2, 1.0);
  const auto run = [&](std::int64_t incx) {
    return error_of([&] {
      target->run({.call = call_of_vectors(Routine::dot, Type::f64, 2, incx),
                   .x = x,
                   .y = {},
                   .probes = {}});
    });
  };
  EXPECT_EQ(run(std::int64_t{1} << 31).first, "declined");
  EXPECT_EQ(run(std::int64_t{1} << 30).first, "declined");  // 8 GiB apart
  EXPECT_EQ(run(1).first, "no error");
}

TEST(Faults, BrokenPreconditionsAreInternalErrors) {
  const auto target = open_target(fake("sequential"));
  const std::vector<double> x(4, 1.0);
  const Batch good{
      .call = call_of_vectors(Routine::dot, Type::f64, 4), .x = x, .y = {}, .probes = {}};
  Batch bad = good;
  bad.call.k = 5;
  EXPECT_THROW(target->run(bad), InternalError);
  bad = good;
  bad.call.align_a = 4;
  EXPECT_THROW(target->run(bad), InternalError);
  bad = good;
  bad.probes = {{{{4, 1.0}}, {}}};
  EXPECT_THROW(target->run(bad), InternalError);
  bad = good;
  bad.rows = 0;
  EXPECT_THROW(target->run(bad), InternalError);
  EXPECT_EQ(target->run(good)[0], 4);
}

// A process that opens the target, says so over a pipe, and is killed. Its orphans come to us.
void expect_no_orphans(const std::string& name) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    const auto target = open_target(name);
    const char byte = 1;
    if (write(ends[1], &byte, 1) != 1) _exit(1);
    for (;;) pause();
  }
  close(ends[1]);
  char byte;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  close(ends[0]);
  kill(parent, SIGKILL);
  // Returns only when every descendant has ended; the test's time limit is the bound.
  int ended = 0;
  while (wait(nullptr) > 0) ++ended;
  EXPECT_GE(ended, 2);  // the parent and at least the child it left
}

int forks = 0;

// The caller may be a program with threads, whose locks a forked child would find locked: targets
// are started, and started again, without a fork.
TEST(Faults, NothingIsForked) {
  ASSERT_EQ(pthread_atfork([] { ++forks; }, nullptr, nullptr), 0);
  const auto library = open_target(fake("crash"), {.timeout_s = 5});
  EXPECT_EQ(sum_of_ones(*library, 12), 12);
  EXPECT_EQ(error_of([&] { sum_of_ones(*library, 13); }).first, "crashed");
  EXPECT_EQ(sum_of_ones(*library, 12), 12);
  const auto program = open_target(std::string("exec:/usr/bin/env python3 ") + REPROSUM_SOURCE_DIR +
                                   "/tests/reveal/target/scripted_target.py good; true");
  EXPECT_EQ(sum_of_ones(*program, 12), 12);
  EXPECT_EQ(forks, 0);
}

TEST(Faults, AParentThatDiesLeavesNoChild) { expect_no_orphans(fake("sequential")); }

TEST(Faults, AParentThatDiesLeavesNoProgram) {
  expect_no_orphans(std::string("exec:/usr/bin/env python3 ") + REPROSUM_SOURCE_DIR +
                    "/tests/reveal/target/scripted_target.py good; true");
}

}  // namespace
}  // namespace reprosum::reveal
