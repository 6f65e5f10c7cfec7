// gemv and gemm of a blas: target on a library that is right: what reaches the routine, and what
// comes back.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <map>

#include "reveal/target.h"
#include "tests/reveal/target/faults.h"
#include "tests/reveal/target/matrix_batches.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Trans;
using spec::Type;
using testing::fake;
using testing::IntegerMatrixBatch;
using Operand = MatrixEdit::Operand;

void expect_right_answers(Target& target, int rounds, const testing::MatrixContexts& contexts) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  std::int64_t calls = 0;
  for (int round = 0; round < rounds; ++round) {
    const Call call = testing::random_matrix_call(engine, contexts);
    const int probes = static_cast<int>(engine() % 6);
    IntegerMatrixBatch data(engine, call, probes);
    data.batch().base_id = engine() % 2 ? static_cast<std::uint64_t>(round) + 1 : 0;
    // The second time the base may be in place already; edits of the first must be gone.
    for (int again = 0; again < 2; ++again) {
      ASSERT_EQ(target.run_matrix(data.batch()), data.expected())
          << "round " << round << " m=" << call.m << " n=" << call.n << " k=" << call.k
          << " row_major=" << call.row_major << " gemm=" << (call.routine == Routine::gemm);
      calls += std::max(1, probes);
      ASSERT_EQ(target.calls(), calls);
    }
  }
}

TEST(MatrixTarget, AnswersRandomBatchesInEveryContext) {
  expect_right_answers(*open_target(fake("sequential")), 4000, {});
}

TEST(MatrixTarget, AnswersSeveralBatchesAsOneAfterTheOther) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target(fake("sequential"));
  std::int64_t calls = 0;
  for (int round = 0; round < 60; ++round) {
    std::deque<IntegerMatrixBatch> data;  // their spans must stay
    std::vector<MatrixBatch> batches;
    for (std::uint64_t left = engine() % 150; left > 0; --left) {
      // Now and then one that is too large to go with others.
      const bool is_large = engine() % 40 == 0;
      const Call call = testing::random_matrix_call(engine, {.largest = is_large ? 400 : 12});
      const int probes = static_cast<int>(engine() % 4);
      data.emplace_back(engine, call, probes);
      data.back().batch().base_id = data.size();
      batches.push_back(data.back().batch());
      calls += std::max(1, probes);
    }
    const auto got = target->run_matrices(batches);
    ASSERT_EQ(got.size(), batches.size());
    for (std::size_t at = 0; at < got.size(); ++at)
      ASSERT_EQ(got[at], data[at].expected()) << "round " << round << " batch " << at;
    ASSERT_EQ(target->calls(), calls);
    // What they left behind is no base of a single batch.
    if (!data.empty()) {
      ASSERT_EQ(target->run_matrix(batches.back()), data.back().expected());
      calls += std::max<std::int64_t>(1, std::ssize(batches.back().probes));
    }
  }
}

TEST(MatrixTarget, AnswersThroughCblasAlone) {
  expect_right_answers(*open_target(fake("cblas_only")), 500, {});
}

TEST(MatrixTarget, PassesWholeIntegers) {
  expect_right_answers(*open_target(fake("wide")), 500, {});
}

TEST(MatrixTarget, AnswersThroughFortranAloneAndDeclinesRowMajor) {
  const auto target = open_target(fake("fortran_only"));
  expect_right_answers(*target, 500, {.row_major = false});
  const std::vector<double> ones(2, 1.0);
  const Call call{.routine = Routine::gemm, .row_major = true, .m = 2, .n = 2, .k = 2};
  try {
    target->run_matrix({.call = call, .a = ones, .b = ones, .c = {}});
    FAIL();
  } catch (const TargetError& error) {
    EXPECT_EQ(error.reason, "declined");
    EXPECT_NE(std::string(error.what()).find("cblas_dgemm"), std::string::npos) << error.what();
  }
}

TEST(MatrixTarget, GivesTheRoutineWhatTheCallSays) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target(fake("report"));
  for (int round = 0; round < 1000; ++round) {
    Call call = testing::random_matrix_call(engine, {.empty = false});
    call.m += 14;
    const std::vector<double> ones(static_cast<std::size_t>(call.k), 1.0), c{0.0};
    MatrixBatch batch{.call = call, .alpha = 3, .beta = -2, .a = ones, .b = ones, .c = c};
    for (int fact = 0; fact < 14; ++fact) batch.outputs.emplace_back(fact, 0);
    const auto got = target->run_matrix(batch);
    const bool turned_a = call.trans_a == Trans::yes, turned_b = call.trans_b == Trans::yes;
    const std::int64_t rows_a = turned_a ? call.k : call.m, columns_a = turned_a ? call.m : call.k;
    const std::int64_t rows_b = turned_b ? call.n : call.k, columns_b = turned_b ? call.k : call.n;
    const std::int64_t lda = (call.row_major ? columns_a : rows_a) + call.pad_a;
    const std::int64_t ldb = (call.row_major ? columns_b : rows_b) + call.pad_b;
    const std::int64_t ldc = (call.row_major ? call.n : call.m) + call.pad_c;
    const bool gemm = call.routine == Routine::gemm;
    const std::vector<std::int64_t> expected{call.row_major,
                                             turned_a,
                                             turned_b,
                                             gemm ? call.m : rows_a,
                                             gemm ? call.n : columns_a,
                                             call.k,
                                             lda,
                                             gemm ? ldb : call.incx,
                                             gemm ? ldc : call.incy,
                                             call.align_a,
                                             call.align_b,
                                             call.align_c,
                                             3,
                                             -2};
    ASSERT_EQ(got, std::vector<double>(expected.begin(), expected.end())) << "round " << round;
  }
}

TEST(MatrixTarget, AProbeNeverSeesTheEditsOfAnother) {
  const auto target = open_target(fake("sequential"));
  const std::vector<double> zeros(6, 0.0);
  MatrixBatch batch{
      .call = {.routine = Routine::gemm, .m = 3, .n = 2, .k = 2, .pad_a = 1, .pad_c = 2}};
  batch.beta = 1;
  batch.a = zeros;
  batch.b = std::span(zeros).first(4);
  batch.c = zeros;
  batch.outputs = {{1, 1}};
  // An unchanged probe after each edited one; the same element twice, the last value counting.
  batch.probes = {{{Operand::a, 1, 0, 5}, {Operand::b, 0, 1, 7}},
                  {},
                  {{Operand::a, 1, 0, 5}, {Operand::a, 1, 0, 2}, {Operand::b, 0, 1, 7}},
                  {},
                  {{Operand::c, 1, 1, 9}, {Operand::c, 1, 1, 4}},
                  {},
                  {{Operand::a, 1, 0, NAN}},
                  {{Operand::b, 0, 1, 7}},
                  {{Operand::a, 1, 1, 5}}};
  const auto got = target->run_matrix(batch);
  ASSERT_EQ(got.size(), 9u);
  EXPECT_TRUE(std::isnan(got[6]));
  std::vector<double> others(got);
  others[6] = 0;
  EXPECT_EQ(others, (std::vector<double>{35, 0, 14, 0, 4, 0, 0, 0, 0}));
}

TEST(MatrixTarget, KeepsTheBaseUnderItsNumber) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target(fake("sequential"));
  const Call call{.routine = Routine::gemm, .m = 5, .n = 4, .k = 6};
  const std::vector<double> first(30, 1.0), second(30, 2.0), one(1, 1.0);
  MatrixBatch batch{.call = call, .beta = 1};
  batch.a = first;
  batch.b = std::span(first).first(24);
  batch.c = one;
  batch.outputs = {{4, 3}};
  batch.base_id = 1;
  const auto answer = [&] { return target->run_matrix(batch)[0]; };
  EXPECT_EQ(answer(), 7);
  // Another base under the same number is not looked at: that is what the number promises.
  batch.a = second;
  EXPECT_EQ(answer(), 7);
  batch.alpha = 2;  // no part of the base
  EXPECT_EQ(answer(), 13);
  batch.base_id = 2;
  EXPECT_EQ(answer(), 25);
  // A dot in between does not touch it, signatures take its place.
  target->run({.call = call_of_vectors(Routine::dot, Type::f64, 3),
               .x = std::span(first).first(3),
               .y = {}});
  batch.a = first;
  EXPECT_EQ(answer(), 25);
  target->signatures(call, {});
  EXPECT_EQ(answer(), 13);
  batch.a = second;
  batch.call.pad_a = 1;  // another context
  EXPECT_EQ(answer(), 25);
}

TEST(MatrixTarget, StraySpotsHoldNaN) {
  const std::vector<double> ones(6, 1.0);
  for (const char* vice : {"overread", "gapread", "read_c", "sequential"}) {
    const auto target = open_target(fake(vice));
    for (const Type type : {Type::f32, Type::f64}) {
      for (const bool row_major : {false, true}) {
        const Call call{.routine = Routine::gemm,
                        .type = type,
                        .row_major = row_major,
                        .m = 2,
                        .n = 2,
                        .k = 3,
                        .pad_b = 1};
        MatrixBatch batch{.call = call, .a = ones, .b = ones, .c = {}, .outputs = {{0, 0}}};
        const bool vicious = std::string(vice) != "sequential";
        EXPECT_EQ(std::isnan(target->run_matrix(batch)[0]), vicious) << vice;
        // A C that is given is there to be read, whatever beta.
        batch.c = ones;
        batch.c = batch.c.first(1);
        EXPECT_EQ(std::isnan(target->run_matrix(batch)[0]), vicious && vice[0] != 'r') << vice;
      }
    }
  }
}

TEST(MatrixTarget, SaysWhichSymbolsItCalls) {
  const auto facts_of = [](const std::string& name) {
    const auto identity = open_target(fake(name))->identity();
    return std::map<std::string, std::string>(identity.begin(), identity.end());
  };
  auto both = facts_of("sequential");
  EXPECT_EQ(both["symbol.dgemm"], "dgemm_");
  EXPECT_EQ(both["row_major.dgemm"], "cblas_dgemm");
  EXPECT_EQ(both["symbol.sgemv"], "sgemv_");
  EXPECT_EQ(both.count("row_major.ddot"), 0u);
  EXPECT_EQ(facts_of("cblas_only")["symbol.sgemm"], "cblas_sgemm");
  EXPECT_EQ(facts_of("fortran_only").count("row_major.dgemv"), 0u);
  const auto target = open_target(fake("sequential"));
  for (const Routine routine : {Routine::gemv, Routine::gemm}) {
    EXPECT_TRUE(target->has(routine, Type::f32) && target->has(routine, Type::f64));
  }
}

TEST(MatrixTarget, ManyProbesWithManyOutputs) {
  // More results than are fetched at once.
  const auto target = open_target(fake("sequential"));
  const Call call{.routine = Routine::gemm, .m = 200, .n = 100, .k = 1};
  const std::vector<double> zero(1, 0.0), one(1, 1.0);
  MatrixBatch batch{.call = call, .a = zero, .b = one, .c = {}};
  for (std::int64_t i = 0; i < 150; ++i)
    batch.probes.push_back({{Operand::a, i, 0, static_cast<double>(i) + 1}});
  const auto got = target->run_matrix(batch);
  ASSERT_EQ(got.size(), 150u * 20000u);
  for (std::size_t at = 0; at < got.size(); ++at) {
    const std::size_t probe = at / 20000, row = at % 20000 % 200;
    ASSERT_EQ(got[at], row == probe ? static_cast<double>(probe) + 1 : 0.0) << at;
  }
}

}  // namespace
}  // namespace reprosum::reveal
