// A blas: target on a library that is right: what reaches the routine, and what comes back.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <map>

#include "reveal/target.h"
#include "tests/reveal/target/batches.h"
#include "tests/reveal/target/faults.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;
using testing::fake;
using testing::IntegerBatch;

std::map<std::string, std::string> facts_of(Target& target) {
  const auto identity = target.identity();
  return {identity.begin(), identity.end()};
}

TEST(BlasTarget, AnswersRandomBatchesInEveryContext) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target(fake("sequential"));
  const std::int64_t increments[] = {1, 2, 3, -1, -2, 0};
  std::int64_t calls = 0;
  for (int round = 0; round < 600; ++round) {
    Call call;
    call.routine = round % 3 == 0 ? Routine::sum : Routine::dot;
    call.type = testing::type_of(engine() % 2);
    call.k = static_cast<std::int64_t>(engine() % 40);
    call.incx = increments[engine() % 6];
    call.incy = increments[engine() % 6];
    const int element = bytes(call.type);
    call.align_a = static_cast<int>(engine() % 16) * 8 % 64;
    call.align_b = static_cast<int>(engine() % 16) * element % 64;
    IntegerBatch data(engine, call, 1 + static_cast<std::int64_t>(engine() % 4),
                      static_cast<int>(engine() % 6), engine() % 2);
    const auto got = target->run(data.batch());
    ASSERT_EQ(got, data.expected())
        << "round " << round << " n=" << call.k << " incx=" << call.incx << " incy=" << call.incy;
    calls += static_cast<std::int64_t>(got.size());
    ASSERT_EQ(target->calls(), calls);
  }
}

TEST(BlasTarget, PutsVectorsAtTheAskedAddresses) {
  const auto target = open_target(fake("report"));
  for (const Type type : {Type::f32, Type::f64}) {
    const int element = bytes(type);
    for (int align_x = 0; align_x < 64; align_x += element) {
      for (int align_y = 0; align_y < 64; align_y += element) {
        Call call = call_of_vectors(Routine::dot, type, 5, 2, -1, align_x, align_y);
        const std::vector<double> x(15, 1.0);
        const Batch batch{.call = call, .rows = 3, .x = x, .y = x, .probes = {}};
        // Fits the 24 bits of f32: 12 and 9 are the increments plus ten.
        const double expected = align_x + 100.0 * align_y + 12e4 + 9e6;
        ASSERT_EQ(target->run(batch), std::vector<double>(3, expected));
      }
    }
  }
}

TEST(BlasTarget, KeepsAndRestoresTheBaseVectors) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target(fake("sequential"));
  const Call call = call_of_vectors(Routine::dot, Type::f64, 30, 2, -1, 8, 16);
  IntegerBatch first(engine, call, 3, 7, true);
  first.batch().base_id = 1;
  for (int again = 0; again < 3; ++again) EXPECT_EQ(target->run(first.batch()), first.expected());
  // Another base under the same number is not looked at: that is what the number promises.
  IntegerBatch other(engine, call, 3, 0, true);
  other.batch().base_id = 1;
  first.batch().probes.clear();
  EXPECT_EQ(target->run(other.batch()), first.expected());
  EXPECT_NE(first.expected(), other.expected());
  other.batch().base_id = 2;
  EXPECT_EQ(target->run(other.batch()), other.expected());
  other.batch().base_id = 0;
  EXPECT_EQ(target->run(other.batch()), other.expected());
  // The same number with another context, or with ones for y, is another base.
  first.batch().base_id = 2;
  first.batch().call.incx = 1;
  EXPECT_EQ(target->run(first.batch()), first.expected());
  IntegerBatch ones(engine, first.batch().call, 3, 2, false);
  ones.batch().base_id = 2;
  EXPECT_EQ(target->run(ones.batch()), ones.expected());
}

TEST(BlasTarget, EditsOfTheSharedOnesAreTakenBack) {
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target(fake("sequential"));
  const Call call = call_of_vectors(Routine::dot, Type::f32, 21, 1, 1, 4, 0);
  for (int round = 0; round < 20; ++round) {
    IntegerBatch data(engine, call, 2, 5, false);
    ASSERT_EQ(target->run(data.batch()), data.expected());
  }
}

TEST(BlasTarget, ManyRowsAndManyProbes) {
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target(fake("sequential"));
  // More rows than fit one request, and more outputs.
  IntegerBatch rows(engine, call_of_vectors(Routine::dot, Type::f64, 700, 1, 1, 0, 0), 3000, 2,
                    true);
  rows.batch().base_id = 5;
  EXPECT_EQ(target->run(rows.batch()), rows.expected());
  EXPECT_EQ(target->run(rows.batch()), rows.expected());
  IntegerBatch probes(engine, call_of_vectors(Routine::sum, Type::f32, 3, 1, 1, 0, 0), 1100, 1000,
                      false);
  EXPECT_EQ(target->run(probes.batch()), probes.expected());
}

TEST(BlasTarget, ReadsOutsideTheSummandsShow) {
  const std::vector<double> x(10, 1.0);
  const auto overread = open_target(fake("overread"));
  const auto gapread = open_target(fake("gapread"));
  for (const Type type : {Type::f32, Type::f64}) {
    for (const std::int64_t incx : {1, 2, -1, -2}) {
      const Batch batch{
          .call = call_of_vectors(Routine::dot, type, 10, incx), .x = x, .y = {}, .probes = {}};
      EXPECT_TRUE(std::isnan(overread->run(batch)[0])) << incx;
      // With increment 1 and -1 the second element is a summand.
      EXPECT_EQ(std::isnan(gapread->run(batch)[0]), incx == 2 || incx == -2) << incx;
    }
  }
}

TEST(BlasTarget, TakesFortranSymbolsFirstAndSaysSo) {
  auto facts = facts_of(*open_target(
      fake("sequential"), {.identity_symbols = {"fake_name", "fake_null", "not_there"}}));
  EXPECT_EQ(facts["target"], fake("sequential"));
  EXPECT_EQ(facts["symbol.ddot"], "ddot_");
  EXPECT_EQ(facts["symbol.ssum"], "cblas_ssum");
  EXPECT_EQ(facts["says.fake_name"], "fake blas 1.0");
  EXPECT_FALSE(facts.contains("says.fake_null"));
  EXPECT_FALSE(facts.contains("says.not_there"));
  EXPECT_TRUE(facts["library.path"].ends_with("libfake_sequential.so"));
  EXPECT_EQ(facts["library.sha256"].size(), 64u);
  EXPECT_EQ(facts.count("provider.path"), 0u);
  // Whatever else the child has mapped can change bits: the mathematical library for one.
  EXPECT_TRUE(facts["mapped.libm.so.6.path"].ends_with("/libm.so.6"));
  EXPECT_EQ(facts["mapped.libm.so.6.sha256"].size(), 64u);

  const auto cblas = open_target(fake("cblas_only"));
  EXPECT_EQ(facts_of(*cblas)["symbol.sdot"], "cblas_sdot");
  std::mt19937_64 engine(testing::kSeed);
  IntegerBatch data(engine, call_of_vectors(Routine::dot, Type::f32, 9, -2, 1, 0, 0), 2, 2, true);
  EXPECT_EQ(cblas->run(data.batch()), data.expected());
}

TEST(BlasTarget, FindsDecoratedNamesAndPassesWholeIntegers) {
  const auto target = open_target(fake("wide"), {.identity_symbols = {"fake_name"}});
  auto facts = facts_of(*target);
  EXPECT_EQ(facts["symbol.ddot"], "scipy_ddot_64_");
  EXPECT_EQ(facts["symbol.ssum"], "scipy_cblas_ssum64_");
  EXPECT_EQ(facts["row_major.dgemm"], "scipy_cblas_dgemm64_");
  EXPECT_EQ(facts["says.fake_name"], "fake blas 1.0");
  // It dies of an integer whose upper half is not that of the value.
  std::mt19937_64 engine(testing::kSeed);
  for (const int inc : {1, 2, -1, -3}) {
    for (const Routine routine : {Routine::sum, Routine::dot}) {
      const int incx = routine == Routine::sum ? std::abs(inc) : inc;
      IntegerBatch data(engine, call_of_vectors(routine, Type::f64, 9, incx, -inc, 0, 0), 2, 2,
                        true);
      EXPECT_EQ(target->run(data.batch()), data.expected()) << inc;
    }
  }
}

TEST(BlasTarget, TellsTheLibraryItsThreads) {
  const std::vector<double> x(2, 1.0);
  const Batch batch{
      .call = call_of_vectors(Routine::dot, Type::f64, 2), .x = x, .y = {}, .probes = {}};
  TargetOptions options;
  options.thread_setters = {"not_there", "fake_set_threads"};
  EXPECT_EQ(open_target(fake("report"), options)->run(batch)[0], 11e6 + 11e4);
  options.threads = 3;
  EXPECT_EQ(open_target(fake("report"), options)->run(batch)[0], 3);
}

TEST(BlasTarget, SetsTheEnvironmentBeforeLoading) {
  const std::vector<double> x(2, 1.0);
  const Batch batch{
      .call = call_of_vectors(Routine::dot, Type::f64, 2), .x = x, .y = {}, .probes = {}};
  const auto target = open_target(fake("report"), {.environment = {"FAKE_SETTING=7"}});
  EXPECT_EQ(target->run(batch)[0], 7e8 + 11e6 + 11e4);
  EXPECT_EQ(facts_of(*target)["environment.FAKE_SETTING"], "7");
  EXPECT_EQ(open_target(fake("report"))->run(batch)[0], 11e6 + 11e4);
}

TEST(BlasTarget, TheCallersRoundingModeDoesNotReachTheLibrary) {
  std::fesetround(FE_UPWARD);
  const auto target = open_target(fake("sequential"));
  std::fesetround(FE_TONEAREST);
  const std::vector<double> x{1.0, 0x1p-60};
  const Batch batch{
      .call = call_of_vectors(Routine::dot, Type::f64, 2), .x = x, .y = {}, .probes = {}};
  EXPECT_EQ(target->run(batch)[0], 1.0);
}

TEST(BlasTarget, AnswersSpecialValuesBitForBit) {
  const auto target = open_target(fake("sequential"));
  for (const double value : {-0.0, HUGE_VAL, -HUGE_VAL, 0x1p-149, -0x1.8p-140}) {
    for (const Type type : {Type::f32, Type::f64}) {
      const std::vector<double> x{1.0};
      Batch batch{.call = call_of_vectors(Routine::dot, type, 1), .x = x, .y = {}, .probes = {}};
      batch.probes = {{{{0, value}}, {}}};
      // The library starts at +0, so that -0 becomes +0.
      EXPECT_EQ(std::bit_cast<std::uint64_t>(target->run(batch)[0]),
                std::bit_cast<std::uint64_t>(value + 0.0));
    }
  }
}

}  // namespace
}  // namespace reprosum::reveal
