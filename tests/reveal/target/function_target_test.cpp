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
    call.n = static_cast<std::int64_t>(engine() % 12);
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
  const Batch batch{.call = {Routine::dot, Type::f32, 1}, .x = x, .y = {}, .probes = {}};
  EXPECT_THROW(target.run(batch), TargetError);
}

}  // namespace
}  // namespace reprosum::reveal
