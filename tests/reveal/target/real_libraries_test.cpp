// The target on the BLAS libraries of this system, where they are installed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/reveal/target/batches.h"
#include "tests/reveal/target/installed.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;
using testing::IntegerBatch;

class RealLibrary : public ::testing::TestWithParam<const char*> {};

TEST_P(RealLibrary, AddsIntegersExactly) {
  const std::string path = testing::installed_path(GetParam());
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not installed";
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  for (const char* threads : {"1", "2"}) {
    const auto target = testing::open_with_threads(path, threads);
    const std::int64_t increments[] = {1, 2, -1, -2, 0};
    const auto identity = target->identity();
    EXPECT_TRUE(std::any_of(identity.begin(), identity.end(),
                            [](const auto& fact) { return fact.first == "symbol.ddot"; }));
    for (int round = 0; round < 300; ++round) {
      Call call;
      call.type = testing::type_of(engine() % 2);
      call.k = static_cast<std::int64_t>(engine() % (round % 50 == 0 ? 30'000 : 300));
      call.incx = increments[engine() % 5];
      call.incy = increments[engine() % 5];
      // ATLAS 3.10.3 answers 0 for this pair.
      if (call.incx == -2 && call.incy == 0) call.incx = -1;
      call.align_a = static_cast<int>(engine() % 8) * 8;
      call.align_b = static_cast<int>(engine() % 8) * 8;
      // Sums of up to 30 000 products of at most 64 are exact in f32 as well.
      IntegerBatch data(engine, call, 2, 3, engine() % 2);
      ASSERT_EQ(target->run(data.batch()), data.expected())
          << "round " << round << " n=" << call.k << " incx=" << call.incx << " incy=" << call.incy;
    }
    // Not the f32 sum: that of OpenBLAS 0.3.21 drops and repeats summands from n = 16 on where the
    // processor has AVX-512.
    if (!target->has(Routine::sum, Type::f64)) continue;
    for (std::int64_t n = 0; n < 200; n += 7) {
      IntegerBatch data(engine, call_of_vectors(Routine::sum, Type::f64, n, 1 + n % 2, 1, 0, 0), 2,
                        2, false);
      ASSERT_EQ(target->run(data.batch()), data.expected()) << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Installed, RealLibrary, ::testing::ValuesIn(testing::kInstalled));

}  // namespace
}  // namespace reprosum::reveal
