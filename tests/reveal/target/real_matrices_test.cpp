// gemv and gemm of the BLAS libraries of this system, where they are installed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/reveal/target/installed.h"
#include "tests/reveal/target/matrix_batches.h"

namespace reprosum::reveal {
namespace {

using testing::IntegerMatrixBatch;

class RealMatrices : public ::testing::TestWithParam<const char*> {};

TEST_P(RealMatrices, MultiplyIntegersExactly) {
  const std::string path = testing::installed_path(GetParam());
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not installed";
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  for (const char* threads : {"1", "2"}) {
    const auto target = testing::open_with_threads(path, threads);
    for (int round = 0; round < 1500; ++round) {
      // Sums of up to 300 products of at most 64, times 8, are exact in f32 as well.
      const std::int64_t largest = round % 100 == 0 ? 300 : round % 10 == 0 ? 60 : 20;
      // Not k = 0, where gemv leaves y alone whatever beta.
      const Call call = testing::random_matrix_call(engine, {.largest = largest, .empty = false});
      // Without C every batch with beta = 0 has NaN there.
      IntegerMatrixBatch data(engine, call, 3);
      // ATLAS computes alpha * (A * B + (beta / alpha) * C), so that the quotient must be exact.
      const double alphas[] = {1, -1, 2, -4, 8};
      data.batch().alpha = alphas[engine() % 5];
      ASSERT_EQ(target->run_matrix(data.batch()), data.expected())
          << "round " << round << " threads " << threads << " gemm "
          << (call.routine == spec::Routine::gemm) << " trans "
          << (call.trans_a == spec::Trans::yes) << (call.trans_b == spec::Trans::yes)
          << " row_major " << call.row_major << " m=" << call.m << " n=" << call.n
          << " k=" << call.k << " incx=" << call.incx << " incy=" << call.incy << " alpha "
          << data.batch().alpha << " beta " << data.batch().beta << " c " << data.batch().c.size();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Installed, RealMatrices, ::testing::ValuesIn(testing::kInstalled));

}  // namespace
}  // namespace reprosum::reveal
