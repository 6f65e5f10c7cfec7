// gemv and gemm that misbehave, and calls that no BLAS can run.
#include <gtest/gtest.h>

#include "tests/paths.h"
#include "tests/reveal/target/faults.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Trans;
using spec::Type;
using testing::error_of;
using testing::fake;
using testing::Fault;

const std::vector<double> kOnes(64, 1.0);

MatrixBatch batch_of(Routine routine, std::int64_t m) {
  MatrixBatch batch{.call = {.routine = routine, .m = m, .n = 1, .k = 5}};
  batch.a = batch.b = std::span(kOnes).first(5);
  batch.outputs = {{0, 0}};
  batch.base_id = 7;
  return batch;
}

class FaultyMatrices : public ::testing::TestWithParam<Fault> {};

TEST_P(FaultyMatrices, AreReportedAndRestarted) {
  const auto target = open_target(fake(GetParam().library), {.timeout_s = 0.3});
  std::int64_t calls = 0;
  for (const Routine routine : {Routine::gemv, Routine::gemm}) {
    for (const bool by_signatures : {false, true}) {
      EXPECT_EQ(target->run_matrix(batch_of(routine, 12)), std::vector<double>{5});
      EXPECT_EQ(target->calls(), ++calls);
      const MatrixBatch fatal = batch_of(routine, 13);
      const auto [reason, message] = error_of([&] {
        const UniformProbe probe{std::vector<double>(5, 1.0), std::vector<double>(5, 1.0)};
        by_signatures ? void(target->signatures(fatal.call, std::span(&probe, 1)))
                      : void(target->run_matrix(fatal));
      });
      EXPECT_EQ(reason, GetParam().reason);
      EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
      EXPECT_NE(message.find(routine == Routine::gemv ? "dgemv N m=13" : "dgemm NN "),
                std::string::npos)
          << message;
      EXPECT_EQ(target->calls(), calls);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultyMatrices, ::testing::ValuesIn(testing::kFaults),
                         [](const auto& info) { return std::string(info.param.library); });

TEST(MatrixFaults, TheOneOfSeveralBatchesThatIsFatalIsNamed) {
  const auto target = open_target(fake("crash"), {.timeout_s = 5});
  const auto good = [](std::int64_t m) { return batch_of(Routine::gemm, m); };
  const std::vector<MatrixBatch> batches{good(11), good(12), good(13), good(14)};
  const auto [reason, message] = error_of([&] { target->run_matrices(batches); });
  EXPECT_EQ(reason, "crashed");
  EXPECT_NE(message.find(" m=13 "), std::string::npos) << message;
  EXPECT_EQ(target->calls(), 2);
  EXPECT_EQ(target->run_matrices(std::span(batches).first(2)),
            (std::vector<std::vector<double>>{{5}, {5}}));
  // Nothing is run where one of them cannot be.
  std::vector<MatrixBatch> declined{good(11), good(12)};
  declined[1].call.pad_a = std::int64_t{1} << 40;
  EXPECT_EQ(error_of([&] { target->run_matrices(declined); }).first, "declined");
  EXPECT_EQ(target->calls(), 4);
}

TEST(MatrixFaults, ALibraryThatChangesItsInputsIsSeen) {
  // It zeroes A's first element; the second call of one batch then has one summand less.
  const auto target = open_target(fake("scribble"));
  MatrixBatch batch = batch_of(Routine::gemm, 2);
  batch.base_id = 0;
  batch.probes = {{}, {}};
  EXPECT_EQ(target->run_matrix(batch), (std::vector<double>{5, 4}));
  EXPECT_EQ(target->run_matrix(batch), (std::vector<double>{5, 4}));
}

TEST(MatrixFaults, ContextsBeyondTheInterfaceAreDeclined) {
  const auto target = open_target(fake("sequential"));
  const auto reason = [&](auto change) {
    MatrixBatch batch = batch_of(Routine::gemv, 2);
    change(batch.call);
    batch.outputs.clear();
    return error_of([&] { target->run_matrix(batch); }).first;
  };
  EXPECT_EQ(reason([](Call&) {}), "no error");
  EXPECT_EQ(reason([](Call& call) { call.incx = 0; }), "declined");
  EXPECT_EQ(reason([](Call& call) { call.incy = 0; }), "declined");
  EXPECT_EQ(reason([](Call& call) { call.incy = -(std::int64_t{1} << 31); }), "declined");
  EXPECT_EQ(reason([](Call& call) { call.pad_a = (std::int64_t{1} << 31) - 2; }), "declined");
  EXPECT_EQ(reason([](Call& call) { call.pad_a = std::int64_t{1} << 62; }), "declined");
  EXPECT_EQ(reason([](Call& call) { call.pad_a = std::int64_t{1} << 30; }), "declined");
  EXPECT_EQ(reason([](Call& call) { call.m = std::int64_t{1} << 40; }), "declined");
  EXPECT_EQ(reason([](Call& call) { call.m = std::int64_t{1} << 29; }), "declined");
  EXPECT_EQ(
      error_of([&] {
        target->signatures(
            {.routine = Routine::gemm, .m = std::int64_t{1} << 30, .n = std::int64_t{1} << 30}, {});
      }).first,
      "declined");
  EXPECT_EQ(reason([](Call&) {}), "no error");
}

TEST(MatrixFaults, ALibraryWithoutTheRoutineSaysSo) {
  const auto target = open_target(std::string("exec:/usr/bin/env python3 ") + REPROSUM_SOURCE_DIR +
                                  "/tests/reveal/target/scripted_target.py good");
  const MatrixBatch batch = batch_of(Routine::gemm, 2);
  EXPECT_EQ(error_of([&] { target->run_matrix(batch); }).first, "declined");
  EXPECT_EQ(error_of([&] { target->signatures(batch.call, {}); }).first, "declined");
}

TEST(MatrixFaults, BrokenPreconditionsAreInternalErrors) {
  const auto target = open_target(fake("sequential"));
  const auto expect_refused = [&](auto change) {
    MatrixBatch batch = batch_of(Routine::gemm, 2);
    change(batch);
    EXPECT_THROW(target->run_matrix(batch), InternalError);
  };
  expect_refused([](MatrixBatch& batch) { batch.a = batch.a.first(4); });
  expect_refused([](MatrixBatch& batch) { batch.b = {}; });
  expect_refused([](MatrixBatch& batch) { batch.beta = 1; });
  expect_refused([](MatrixBatch& batch) { batch.c = batch.a; });
  expect_refused([](MatrixBatch& batch) { batch.call.m = -1; });
  expect_refused([](MatrixBatch& batch) { batch.call.pad_c = -1; });
  expect_refused([](MatrixBatch& batch) { batch.call.align_b = 4; });
  expect_refused([](MatrixBatch& batch) { batch.call.routine = Routine::dot; });
  expect_refused([](MatrixBatch& batch) { batch.outputs = {{2, 0}}; });
  expect_refused([](MatrixBatch& batch) {
    batch.probes = {{{MatrixEdit::Operand::b, 5, 0, 1.0}}};
  });
  expect_refused([](MatrixBatch& batch) {
    batch.call.routine = Routine::gemv;
    batch.call.trans_b = Trans::yes;
  });
  const UniformProbe shorter{{1, 1}, {1, 1}};
  EXPECT_THROW(target->signatures({.routine = Routine::gemm, .m = 2, .n = 2, .k = 3},
                                  std::span(&shorter, 1)),
               InternalError);
  EXPECT_EQ(target->run_matrix(batch_of(Routine::gemm, 2)), std::vector<double>{5});
}

}  // namespace
}  // namespace reprosum::reveal
