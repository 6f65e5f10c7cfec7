#include "reveal/target/function_target.h"

#include <gtest/gtest.h>

#include "tests/reveal/target/batches.h"
#include "tests/reveal/target/refusing_targets.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;
using testing::IntegerBatch;

TEST(FunctionTarget, AnswersRandomBatchesInEveryContext) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  FunctionTarget target(testing::sequential());
  target.take_empty_calls();
  const std::int64_t increments[] = {1, 2, -1, 0};
  std::int64_t calls = 0;
  for (int round = 0; round < 2000; ++round) {
    Call call;
    call.routine = engine() % 2 ? Routine::sum : Routine::dot;
    call.type = testing::type_of(engine() % 2);
    call.k = static_cast<std::int64_t>(engine() % 12);
    call.incx = increments[engine() % 4];
    call.incy = increments[engine() % 4];
    IntegerBatch data(engine, call, 1 + static_cast<std::int64_t>(engine() % 3),
                      static_cast<int>(engine() % 4), engine() % 2);
    const auto got = target.run(data.batch());
    ASSERT_EQ(got, data.expected()) << "round " << round << " incx=" << call.incx;
    calls += static_cast<std::int64_t>(got.size());
    ASSERT_EQ(target.calls(), calls);
  }
}

TEST(FunctionTarget, ServesTheRoutinesItWasGiven) {
  FunctionTarget target(testing::constant(1), {{Routine::sum, Type::f32}}, "one");
  EXPECT_TRUE(target.has(Routine::sum, Type::f32));
  EXPECT_FALSE(target.has(Routine::sum, Type::f64));
  EXPECT_FALSE(target.has(Routine::dot, Type::f32));
  EXPECT_EQ(target.identity().front().second, "function:one");
  const std::vector<double> x(1, 1.0);
  const Batch batch{
      .call = call_of_vectors(Routine::dot, Type::f32, 1), .x = x, .y = {}, .probes = {}};
  EXPECT_THROW(target.run(batch), TargetError);
}

// The length of a sum is k; what says n would be taken for a matrix.
TEST(FunctionTarget, RefusesVectorsOfSeveralOutputs) {
  FunctionTarget target(testing::constant(1));
  const std::vector<double> x(3, 1.0);
  Batch batch{.call = call_of_vectors(Routine::dot, Type::f64, 3), .x = x, .y = {}, .probes = {}};
  EXPECT_EQ(target.run(batch), std::vector<double>{1});
  batch.call.n = 3;
  EXPECT_THROW(target.run(batch), InternalError);
  batch.call = {.routine = Routine::gemm, .k = 3};
  EXPECT_THROW(target.run(batch), InternalError);
}

TEST(Call, IsNamedByWhatItIs) {
  using spec::Trans;
  EXPECT_EQ(describe(call_of_vectors(Routine::dot, Type::f64, 7, 2, -1, 0, 8)),
            "ddot n=7 incx=2 incy=-1 align=(0,8)");
  EXPECT_EQ(describe(call_of_vectors(Routine::sum, Type::f32, 0)), "ssum incx=1 align=(0)");
  EXPECT_EQ(describe(call_without_sizes(Routine::dot, Type::f64)),
            "ddot incx=1 incy=1 align=(0,0)");
  EXPECT_EQ(describe(call_without_sizes(Routine::gemm, Type::f32, Trans::no, Trans::yes)),
            "sgemm NT");
  Call call{.routine = Routine::gemm, .trans_b = Trans::yes, .row_major = true, .n = 4, .k = 0};
  EXPECT_EQ(describe(call), "dgemm NT m=1 n=4 k=0 by rows");
  call.pad_b = 2;
  call.align_c = 8;
  EXPECT_EQ(describe(call), "dgemm NT m=1 n=4 k=0 pad_b=2 align_c=8 by rows");
  const Call gemv{.routine = Routine::gemv, .trans_a = Trans::yes, .m = 3, .k = 5, .incx = 2};
  EXPECT_EQ(describe(gemv), "dgemv T m=3 k=5 incx=2 incy=1");
}

}  // namespace
}  // namespace reprosum::reveal
