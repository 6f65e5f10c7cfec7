#include "reveal/target/layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace reprosum::reveal {
namespace {

TEST(VectorLayout, FollowsTheBlasConvention) {
  for (std::int64_t n = 1; n < 9; ++n) {
    for (std::int64_t inc = -3; inc <= 3; ++inc) {
      const VectorLayout layout{n, inc};
      EXPECT_EQ(layout.span(), 1 + (n - 1) * std::abs(inc));
      for (std::int64_t k = 0; k < n; ++k) {
        // The reference BLAS, with its indices from 1: IX = (1 - N) * INCX + 1 if INCX < 0, else 1.
        const std::int64_t start = inc < 0 ? (1 - n) * inc + 1 : 1;
        EXPECT_EQ(layout.position(k), start + k * inc - 1);
        EXPECT_GE(layout.position(k), 0);
        EXPECT_LT(layout.position(k), layout.span());
      }
    }
  }
  EXPECT_EQ((VectorLayout{0, 5}).span(), 0);
}

template <typename T>
void check_guards(spec::Type type) {
  const std::vector<double> values{1, 2, 3, 4};
  for (const std::int64_t inc : {1, -1, 2, -2, 3, 0}) {
    const VectorLayout layout{4, inc};
    std::vector<T> memory(static_cast<std::size_t>(layout.span() + 2 * kGuardElements), T{9});
    T* first = memory.data() + kGuardElements;
    place_guarded(type, layout, values, reinterpret_cast<std::byte*>(first));
    std::vector<T> expected(memory.size(), std::nan(""));
    for (std::int64_t k = 3; k >= 0; --k) {  // with an increment of 0, x[0] stays
      expected[static_cast<std::size_t>(kGuardElements + layout.position(k))] =
          static_cast<T>(values[static_cast<std::size_t>(k)]);
    }
    for (std::size_t i = 0; i < memory.size(); ++i) {
      if (std::isnan(expected[i])) {
        EXPECT_TRUE(std::isnan(memory[i])) << inc << " " << i;
      } else {
        EXPECT_EQ(memory[i], expected[i]) << inc << " " << i;
      }
    }
  }
}

TEST(VectorLayout, HasNaNEverywhereElse) {
  check_guards<float>(spec::Type::f32);
  check_guards<double>(spec::Type::f64);
}

}  // namespace
}  // namespace reprosum::reveal
