// Vectors of the largest supported sizes.
#include <gtest/gtest.h>

#include "reveal/target.h"
#include "tests/paths.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;

TEST(LargeBatch, TenMillionAndMoreSummands) {
  const auto target =
      open_target(std::string("blas:") + REPROSUM_BINARY_DIR + "/libfake_sequential.so");
  for (const auto& [n, type, incx, incy] :
       {std::tuple{10'000'000, Type::f64, 1, 1}, std::tuple{16'700'000, Type::f64, 2, -2},
        std::tuple{16'700'000, Type::f32, -1, 2}, std::tuple{1000, Type::f64, 1, 1}}) {
    SCOPED_TRACE(n);
    std::vector<double> x(static_cast<std::size_t>(n), 1.0);
    x.back() = 3;
    x.front() = -5;
    Batch batch{.call = call_of_vectors(Routine::dot, type, n, incx, incy),
                .x = x,
                .y = {},
                .probes = {{}, {}}};
    batch.probes[1] = {{{n / 2, 10.0}, {0, -6.0}}, {{n - 1, 2.0}}};
    const double plain = n - 2 + 3 - 5;
    for (int again = 0; again < 2; ++again) {
      batch.base_id = 4;
      EXPECT_EQ(target->run(batch), (std::vector<double>{plain, plain + 9 - 1 + 3}));
    }
  }
}

}  // namespace
}  // namespace reprosum::reveal
