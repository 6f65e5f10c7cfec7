// What may be spent on products, by several targets together.
#include "reveal/capture/budget_target.h"

#include <gtest/gtest.h>

#include "tests/reveal/capture/planted_matrices.h"

namespace reprosum::reveal {
namespace {

TEST(BudgetTarget, EndsAllThatShareIt) {
  FunctionTarget target(testing::rows_by_four());
  MatrixBatch batch;
  batch.call.routine = spec::Routine::gemm;
  batch.call.m = batch.call.n = batch.call.k = 2;
  const std::vector<double> operand{1, 2, 3, 4};
  batch.a = batch.b = batch.c = operand;
  const std::vector<MatrixBatch> two{batch, batch};
  double seconds = counted_seconds(3.5, 8);
  BudgetTarget first(target, seconds), other(target, seconds);
  EXPECT_EQ(first.run_matrix(batch), target.run_matrix(batch));
  EXPECT_EQ(other.run_matrices(two), target.run_matrices(two));
  const std::int64_t calls = target.calls();
  for (BudgetTarget* limited : {&first, &other}) try {
      limited->run_matrix(batch);
      ADD_FAILURE() << "nothing is left";
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.reason, "not_probed");
    }
  EXPECT_EQ(target.calls(), calls);
}

// A call of many probes is as many calls.
TEST(BudgetTarget, CountsProbes) {
  FunctionTarget target(testing::rows_by_four());
  Call call;
  call.routine = spec::Routine::gemm;
  call.m = call.n = call.k = 2;
  const std::vector<UniformProbe> probes(5, {{1, 2}, {3, 4}, 1, 0, 0});
  double seconds = counted_seconds(4.5, 8);
  BudgetTarget limited(target, seconds);
  EXPECT_THROW(limited.signatures(call, probes), Refused);
}

}  // namespace
}  // namespace reprosum::reveal
