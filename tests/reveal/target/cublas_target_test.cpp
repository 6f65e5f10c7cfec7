// cublas: on a driver and a library that compute on this processor (fake_cuda.cpp,
// fake_cublas.cpp): what reaches cuBLAS, and what comes back. A GPU is not needed.
#include <gtest/gtest.h>

#include <map>

#include "reveal/target.h"
#include "tests/paths.h"
#include "tests/reveal/target/batches.h"
#include "tests/reveal/target/faults.h"
#include "tests/reveal/target/matrix_batches.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Trans;
using spec::Type;
using testing::error_of;

TEST(CublasTarget, AnswersRandomVectors) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target("cublas:");
  const std::int64_t increments[] = {1, 2, -1, -3, 0};
  for (int round = 0; round < 400; ++round) {
    Call call;
    call.type = testing::type_of(engine() % 2);
    call.k = static_cast<std::int64_t>(engine() % (round % 10 ? 40 : 20000));
    call.incx = increments[engine() % 5];
    call.incy = increments[engine() % 5];
    testing::IntegerBatch data(engine, call, 1 + static_cast<std::int64_t>(engine() % 3),
                               static_cast<int>(engine() % 40), engine() % 2);
    data.batch().base_id = engine() % 2 ? static_cast<std::uint64_t>(round) + 1 : 0;
    // The second time the vectors are on the device; edits of the first must be gone.
    for (int again = 0; again < 2; ++again)
      ASSERT_EQ(target->run(data.batch()), data.expected()) << "round " << round;
  }
}

TEST(CublasTarget, AnswersRandomProducts) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target("cublas:,stream=default,workspace=0,math=pedantic");
  for (int round = 0; round < 1000; ++round) {
    Call call = testing::random_matrix_call(engine, {.row_major = false});
    call.align_a = call.align_b = call.align_c = 0;
    testing::IntegerMatrixBatch data(engine, call, static_cast<int>(engine() % 6));
    data.batch().base_id = engine() % 2 ? static_cast<std::uint64_t>(round) + 1 : 0;
    for (int again = 0; again < 2; ++again)
      ASSERT_EQ(target->run_matrix(data.batch()), data.expected()) << "round " << round;
  }
}

TEST(CublasTarget, SignaturesAreThoseOfASequentialSum) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const auto target = open_target("cublas:");
  const Call call{.routine = Routine::gemm, .m = 7, .n = 5, .k = 9};
  std::vector<UniformProbe> probes(3);
  for (UniformProbe& probe : probes)
    for (int k = 0; k < 9; ++k) {
      probe.a.push_back(static_cast<double>(engine() % 100) / 7);
      probe.b.push_back(static_cast<double>(engine() % 100) / 7);
    }
  const auto signatures = target->signatures(call, probes);
  EXPECT_EQ(signatures, std::vector<std::uint64_t>(35, signatures[0]));
}

TEST(CublasTarget, SaysOnWhatItRunsAndHow) {
  const auto target = open_target("cublas:,math=tf32,workspace=4096");
  std::map<std::string, std::string> facts;
  for (const auto& [key, value] : target->identity()) facts[key] = value;
  EXPECT_EQ(facts["target"], "cublas:,math=tf32,workspace=4096");
  EXPECT_EQ(facts["library.version"], "13.1.2");
  EXPECT_EQ(facts["device.name"], "Fake GPU");
  EXPECT_EQ(facts["device.units"], "132");
  EXPECT_EQ(facts["device.capability"], "9.0");
  EXPECT_EQ(facts["setting.math"], "tf32");
  EXPECT_EQ(facts["setting.workspace"], "4096");
  EXPECT_EQ(facts["setting.stream"], "own");
  EXPECT_FALSE(target->has(Routine::sum, Type::f32));  // cuBLAS has none
}

TEST(CublasTarget, SettingsReachTheLibrary) {
  const std::vector<double> x{1 + 0x1p-20}, y{1.0};
  const Batch batch{
      .call = call_of_vectors(Routine::dot, Type::f32, 1), .x = x, .y = y, .probes = {}};
  EXPECT_EQ(open_target("cublas:")->run(batch).front(), 1 + 0x1p-20);
  EXPECT_EQ(open_target("cublas:,math=tf32")->run(batch).front(), 1);
}

TEST(CublasTarget, DeclinesRowsAndAddresses) {
  const auto target = open_target("cublas:");
  const std::vector<double> ones(2, 1.0);
  Call call{.routine = Routine::gemm, .row_major = true, .m = 2, .n = 2, .k = 2};
  const auto run = [&] { target->run_matrix({.call = call, .a = ones, .b = ones, .c = {}}); };
  EXPECT_EQ(error_of(run).first, "declined");
  call.row_major = false;
  EXPECT_EQ(error_of(run).first, "no error");
  call.align_c = 8;
  EXPECT_EQ(error_of(run).first, "declined");
}

TEST(CublasTarget, AWrongNameIsExplained) {
  EXPECT_THROW(open_target("cublas:,maths=default"), UserError);
  const auto expect = [](const std::string& name, const std::string& text) {
    const auto [reason, message] = error_of([&] { open_target(name); });
    EXPECT_EQ(reason, "cannot_load");
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  expect("cublas:,math=fast", "default, pedantic, tf32");
  expect("cublas:,workspace=much", "no number of bytes");
  expect("cublas:,stream=none", "neither own nor default");
  expect("cublas:,device=7", "no device 7");
  expect("cublas:libnone.so", "libnone.so");
  expect(std::string("cublas:") + REPROSUM_BINARY_DIR + "/libfake_sequential.so",
         "has no cublasCreate_v2");
}

TEST(CublasTarget, WithoutADriverItSaysSo) {
  const auto [reason, message] =
      error_of([] { open_target("cublas:", {.environment = {"LD_LIBRARY_PATH="}}); });
  if (reason == "no error") GTEST_SKIP() << "a real GPU is here";
  EXPECT_EQ(reason, "cannot_load");
  EXPECT_TRUE(message.find("libcuda.so.1") != std::string::npos ||
              message.find("no GPU") != std::string::npos)
      << message;
}

}  // namespace
}  // namespace reprosum::reveal
