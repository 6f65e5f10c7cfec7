// clblast: on an OpenCL device of this host (PoCL, where there is no GPU), and on libraries with
// its functions and a vice.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "reveal/target.h"
#include "tests/paths.h"
#include "tests/reveal/target/batches.h"
#include "tests/reveal/target/faults.h"
#include "tests/reveal/target/matrix_batches.h"
#include "tests/same_interface.h"
#if __has_include(<clblast_c.h>) && __has_include(<CL/cl.h>)
#include "reveal/target/clblast_functions.h"
// After it: CL_TARGET_OPENCL_VERSION is defined there.
#include <clblast_c.h>
#endif

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Trans;
using spec::Type;
using testing::error_of;

// Its first call of a routine compiles the routine's kernels.
constexpr TargetOptions kPatient{.timeout_s = 240};

// nullptr where the host has no CLBlast, no OpenCL device or no headers of it.
std::unique_ptr<Target> clblast() {
  try {
    return open_target("clblast:", kPatient);
  } catch (const TargetError& error) {
    EXPECT_EQ(error.reason, "cannot_load") << error.what();
    return nullptr;
  }
}

std::string fake_clblast(const std::string& vice) {
  return std::string("clblast:") + REPROSUM_BINARY_DIR + "/libfake_clblast_" + vice + ".so";
}

#ifdef CLBLAST_CLBLAST_C_H_
template <class Declared, class Header>
constexpr bool kIsDeclared = reprosum::testing::Alike<Declared, Header*>::value;

TEST(ClblastTarget, DeclaresWhatItsHeaderDeclares) {
  using namespace clblast;
  static_assert(kIsDeclared<Sum, decltype(CLBlastSsum)> && kIsDeclared<Sum, decltype(CLBlastDsum)>);
  static_assert(kIsDeclared<Dot, decltype(CLBlastSdot)> && kIsDeclared<Dot, decltype(CLBlastDdot)>);
  static_assert(kIsDeclared<Gemv<float>, decltype(CLBlastSgemv)>);
  static_assert(kIsDeclared<Gemv<double>, decltype(CLBlastDgemv)>);
  static_assert(kIsDeclared<Gemm<float>, decltype(CLBlastSgemm)>);
  static_assert(kIsDeclared<Gemm<double>, decltype(CLBlastDgemm)>);
  static_assert(kRowMajor == CLBlastLayoutRowMajor && kColumnMajor == CLBlastLayoutColMajor);
  static_assert(kNoTrans == CLBlastTransposeNo && kTrans == CLBlastTransposeYes);
}
#endif

TEST(ClblastTarget, AnswersRandomVectors) {
  const auto target = clblast();
  if (!target) GTEST_SKIP() << "no CLBlast here";
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  std::int64_t calls = 0;
  for (int round = 0; round < 60; ++round) {
    Call call;
    call.routine = engine() % 3 ? Routine::dot : Routine::sum;
    call.type = testing::type_of(engine() % 2);
    call.k = 1 + static_cast<std::int64_t>(engine() % (round % 10 ? 40 : 3000));
    call.incx = 1 + static_cast<std::int64_t>(engine() % 3);
    call.incy = 1 + static_cast<std::int64_t>(engine() % 3);
    testing::IntegerBatch data(engine, call, 1 + static_cast<std::int64_t>(engine() % 3),
                               static_cast<int>(engine() % 6), engine() % 2);
    data.batch().base_id = engine() % 2 ? static_cast<std::uint64_t>(round) + 1 : 0;
    // The second time the vectors are on the device; edits of the first must be gone.
    for (int again = 0; again < 2; ++again) {
      const auto got = target->run(data.batch());
      ASSERT_EQ(got, data.expected()) << "round " << round << " n=" << call.k;
      calls += static_cast<std::int64_t>(got.size());
      ASSERT_EQ(target->calls(), calls);
    }
  }
}

// gemm's kernels take 20 s to compile: gemv alone, of the same code, unless they are cached.
void expect_products(Target& target, int rounds, bool gemm) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  for (int round = 0; round < rounds;) {
    Call call = testing::random_matrix_call(engine, {.empty = false});
    if ((call.routine == Routine::gemm) != gemm || call.incx < 0 || call.incy < 0) continue;
    if (gemm && is_f64(call.type)) continue;
    call.align_a = call.align_b = call.align_c = 0;
    ++round;
    testing::IntegerMatrixBatch data(engine, call, static_cast<int>(engine() % 6));
    if (data.batch().c.empty()) continue;  // CLBlast multiplies C by 0
    data.batch().base_id = engine() % 2 ? static_cast<std::uint64_t>(round) : 0;
    for (int again = 0; again < 2; ++again)
      ASSERT_EQ(target.run_matrix(data.batch()), data.expected())
          << "round " << round << " m=" << call.m << " n=" << call.n << " k=" << call.k;
  }
}

TEST(ClblastTarget, AnswersRandomProductsByVectors) {
  const auto target = clblast();
  if (!target) GTEST_SKIP() << "no CLBlast here";
  expect_products(*target, 60, false);
}

TEST(ClblastTarget, AnswersRandomProducts) {
  const auto target = clblast();
  if (!target) GTEST_SKIP() << "no CLBlast here";
  expect_products(*target, 40, true);
}

TEST(ClblastTarget, SaysOnWhatItRuns) {
  const auto target = clblast();
  if (!target) GTEST_SKIP() << "no CLBlast here";
  std::map<std::string, std::string> facts;
  for (const auto& [key, value] : target->identity()) facts[key] = value;
  EXPECT_EQ(facts["target"], "clblast:");
  EXPECT_EQ(facts["symbol.ddot"], "CLBlastDdot");
  for (const char* const key : {"library.version", "library.sha256", "device.platform",
                                "device.name", "device.driver", "device.units"})
    EXPECT_NE(facts[key], "") << key;
}

TEST(ClblastTarget, DeclinesWhatItCannotPlaceOrCall) {
  const auto target = clblast();
  if (!target) GTEST_SKIP() << "no CLBlast here";
  const std::vector<double> x(4, 1.0);
  const auto declined = [&](const Call& call) {
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(call.k, 0));
    return error_of([&] {
             target->run({.call = call, .x = std::span(x).first(count), .y = {}, .probes = {}});
           })
        .first;
  };
  EXPECT_EQ(declined(call_of_vectors(Routine::dot, Type::f64, 4, 1, 1, 8, 0)), "declined");
  EXPECT_EQ(declined(call_of_vectors(Routine::dot, Type::f64, 4, -1, 1, 0, 0)), "declined");
  EXPECT_EQ(declined(call_of_vectors(Routine::dot, Type::f64, 4, 1, 0, 0, 0)), "declined");
  EXPECT_EQ(declined(call_of_vectors(Routine::sum, Type::f32, 0, 1, 1, 0, 0)), "declined");
  EXPECT_EQ(declined(call_of_vectors(Routine::dot, Type::f64, 4, 1, 1, 0, 0)), "no error");
  const Call call{.routine = Routine::gemm, .m = 2, .n = 2, .k = 2, .align_b = 16};
  EXPECT_EQ(error_of([&] { target->run_matrix({.call = call, .a = x, .b = x, .c = {}}); }).first,
            "declined");
}

TEST(ClblastTarget, AWrongNameIsExplained) {
  EXPECT_THROW(open_target("clblast:,devise=1"), UserError);
  EXPECT_THROW(open_target("clblast:,device=0,device=1"), UserError);
  const auto [reason, message] = error_of([] { open_target("clblast:libnone.so.1"); });
  EXPECT_EQ(reason, "cannot_load");
  if (!clblast()) GTEST_SKIP() << "no CLBlast here";
  EXPECT_NE(message.find("libnone.so.1"), std::string::npos) << message;
  const auto far = error_of([] { open_target("clblast:,device=1000"); });
  EXPECT_EQ(far.first, "cannot_load");
  EXPECT_NE(far.second.find("no device 1000"), std::string::npos) << far.second;
  EXPECT_EQ(error_of([] { open_target("clblast:,device=x"); }).first, "cannot_load");
}

TEST(ClblastTarget, AnErrorOfTheLibraryLeavesTheOperandsAsTheyWere) {
  if (!clblast()) GTEST_SKIP() << "no CLBlast here";
  const auto target = open_target(fake_clblast("sequential"), kPatient);
  const std::vector<double> x(13, 1.0);
  Batch batch{.call = call_of_vectors(Routine::dot, Type::f64, 13),
              .x = x,
              .y = {},
              .probes = {},
              .base_id = 5};
  EXPECT_EQ(target->run(batch).front(), 13);
  batch.probes = {{{{2, 666.0}}, {}}};  // which it fails at
  const auto [reason, message] = error_of([&] { target->run(batch); });
  EXPECT_EQ(reason, "failed");
  EXPECT_NE(message.find("-5"), std::string::npos) << message;
  EXPECT_NE(message.find("ddot with n=13"), std::string::npos) << message;
  batch.probes.clear();
  EXPECT_EQ(target->run(batch).front(), 13);
  EXPECT_EQ(target->calls(), 2);
}

}  // namespace
}  // namespace reprosum::reveal
