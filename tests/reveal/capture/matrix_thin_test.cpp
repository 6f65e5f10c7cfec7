// Products of one row or one column that have other bits where a matrix has gaps.
#include <gtest/gtest.h>

#include <memory>

#include "kernels/replay.h"
#include "kernels/replay_matrix.h"
#include "reveal/capture.h"
#include "tests/reveal/capture/planted_matrices.h"

namespace reprosum::reveal {
namespace {

// With gaps in B, thin products are all like the rows that are left over.
TargetFactory thin_ones_differ(bool only_one_output) {
  const auto plain = testing::rows_by_four();
  const auto function = [=](const MatrixCall& call, std::int64_t i, std::int64_t j, const double* a,
                            const double* b, double alpha, double beta, double c) {
    const bool is_thin = call.n == 1 && (!only_one_output || call.m == 1);
    if (is_thin && call.pad_b > 0)
      return only_one_output ? testing::blocked<double>(alpha, beta, c, call.k, a, b, 7)
                             : testing::two_lanes<double>(alpha, beta, c, call.k, a, b);
    return plain(call, i, j, a, b, alpha, beta, c);
  };
  return [=](int) { return std::make_unique<FunctionTarget>(function); };
}

TEST(ThinProducts, AloneAreLeftOut) {
  for (const bool only_one_output : {false, true}) {
    CaptureOptions options;
    options.replay = kernels::replay;
    options.update_replay = kernels::replay_update<UpdateScalars>;
    options.matrix_replay = kernels::replay_matrix;
    options.routines = {{spec::Routine::gemm, spec::Type::f64}};
    options.largest = {96, 96, 200};
    options.matrix_work = 4e6;
    const spec::Spec spec = capture(thin_ones_differ(only_one_output), options);
    ASSERT_FALSE(spec.matrices.empty());
    for (const spec::MatrixEntry& entry : spec.matrices) {
      const auto covered = [&](std::int64_t m, std::int64_t n) {
        const auto map = spec::regions(entry.regimes, {m, n, 30});
        if (!map) return false;
        for (const spec::Stretch& rows : map->rows)
          for (const spec::Stretch& columns : map->columns)
            if (map->class_at(rows.first, columns.first) < 0) return false;
        return true;
      };
      for (const std::int64_t m : {1, 2, 4, 7, 40, 61}) {
        EXPECT_TRUE(covered(m, 2)) << m;
        EXPECT_TRUE(covered(m, 33)) << m;
        EXPECT_EQ(covered(m, 1), only_one_output && m > 1) << m;
      }
    }
    EXPECT_TRUE(verify(spec, thin_ones_differ(only_one_output), options).holds);
  }
}

}  // namespace
}  // namespace reprosum::reveal
