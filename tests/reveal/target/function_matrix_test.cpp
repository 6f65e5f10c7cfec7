// gemv and gemm of a function target.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "reveal/target/function_target.h"
#include "tests/reveal/target/matrix_batches.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;

double sequential(const Call& call, std::int64_t, std::int64_t, const double* a, const double* b,
                  double alpha, double beta, double c) {
  double sum = 0;
  for (std::int64_t p = 0; p < call.k; ++p) sum += a[p] * b[p];
  return alpha * sum + (beta == 0 ? 0 : beta * c);
}

TEST(FunctionMatrix, AnswersRandomBatchesInEveryContext) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  FunctionTarget target(sequential);
  target.take_empty_calls();
  std::int64_t calls = 0;
  for (int round = 0; round < 3000; ++round) {
    const Call call = testing::random_matrix_call(engine);
    const int probes = static_cast<int>(engine() % 5);
    testing::IntegerMatrixBatch data(engine, call, probes);
    ASSERT_EQ(target.run_matrix(data.batch()), data.expected()) << "round " << round;
    ASSERT_EQ(target.calls(), calls += std::max(1, probes));
  }
}

TEST(FunctionMatrix, TellsOutputsApartByTheirPlaceAndC) {
  FunctionTarget target([](const Call&, std::int64_t i, std::int64_t j, const double*,
                           const double*, double, double, double c) {
    return 10 * static_cast<double>(i) + static_cast<double>(j) + (std::isnan(c) ? 0.5 : c);
  });
  const std::vector<double> two(2, 1.0);
  MatrixBatch batch{.call = {.routine = spec::Routine::gemm, .m = 2, .n = 3, .k = 2},
                    .a = two,
                    .b = two,
                    .c = {}};
  EXPECT_EQ(target.run_matrix(batch), (std::vector<double>{0.5, 10.5, 1.5, 11.5, 2.5, 12.5}));
  const double hundred = 100;
  batch.c = std::span(&hundred, 1);
  batch.outputs = {{1, 2}};
  EXPECT_EQ(target.run_matrix(batch), std::vector<double>{112});
}

// Even rows with fused products, odd ones without; the last column from the end.
TEST(FunctionMatrix, SignaturesShowPlantedRegions) {
  FunctionTarget target([](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                           const double* b, double, double, double) {
    double sum = 0;
    for (std::int64_t q = 0; q < call.k; ++q) {
      const std::int64_t p = j + 1 == call.n ? call.k - 1 - q : q;
      sum = i % 2 == 0 ? std::fma(a[p], b[p], sum) : sum + a[p] * b[p];
    }
    return sum;
  });
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  std::vector<UniformProbe> probes(4);
  for (UniformProbe& probe : probes) {
    for (int p = 0; p < 30; ++p) {
      probe.a.push_back(std::ldexp(static_cast<double>(engine()) - 0x1p63, -63));
      probe.b.push_back(std::ldexp(static_cast<double>(engine()) - 0x1p63, -63));
    }
  }
  const auto of = [&](std::int64_t m, std::int64_t n) {
    return target.signatures({.routine = Routine::gemm, .m = m, .n = n, .k = 30}, probes);
  };
  const auto hashes = of(5, 4);
  EXPECT_EQ(target.calls(), 4);
  EXPECT_EQ(std::set(hashes.begin(), hashes.end()).size(), 4u);
  for (std::size_t j = 0; j < 4; ++j) {
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(hashes[i + 5 * j], hashes[i % 2 + (j == 3 ? 15 : 0)]);
    }
  }
  const auto other = of(2, 2);  // another shape, the same hashes
  EXPECT_EQ(other, (std::vector<std::uint64_t>{hashes[0], hashes[1], hashes[15], hashes[16]}));
}

TEST(FunctionMatrix, HasWhatItWasGiven) {
  FunctionTarget matrices(sequential);
  EXPECT_TRUE(matrices.has(Routine::gemm, Type::f32));
  EXPECT_FALSE(matrices.has(Routine::dot, Type::f64));
  FunctionTarget vectors([](const Call&, const double*, const double*) { return 1.0; });
  EXPECT_FALSE(vectors.has(Routine::gemv, Type::f64));
  EXPECT_THROW(vectors.signatures({.routine = Routine::gemm, .m = 1, .n = 1, .k = 0}, {}),
               TargetError);
  vectors.set_matrix_function(sequential);
  EXPECT_TRUE(vectors.has(Routine::gemv, Type::f64) && vectors.has(Routine::dot, Type::f64));
  FunctionTarget one(sequential, {{Routine::gemm, Type::f64}});
  EXPECT_FALSE(one.has(Routine::gemv, Type::f64));
}

}  // namespace
}  // namespace reprosum::reveal
