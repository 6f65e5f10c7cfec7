// Sums and dot products against MPFR: short and long vectors of every kind, increments.
#include <algorithm>

#include "src/exact/machine/path_counts.h"
#include "src/exact/sums/shared_reduce.h"
#include "tests/src/exact/sums/reduce_cases.h"

namespace reprosum::exact::testing {
namespace {

std::size_t short_size(std::mt19937_64& random) { return random() % 40; }
std::size_t long_size(std::mt19937_64& random) { return random() % 9000; }

TEST(Reductions, Short) {
  check_reductions<float>(false, 20000, 1, short_size);
  check_reductions<double>(false, 20000, 2, short_size);
  check_reductions<float>(true, 20000, 3, short_size);
  check_reductions<double>(true, 20000, 4, short_size);
}

TEST(Reductions, Long) {
  check_reductions<float>(false, 300, 5, long_size);
  check_reductions<double>(false, 600, 6, long_size);
  check_reductions<float>(true, 300, 7, long_size);
  check_reductions<double>(true, 600, 8, long_size);
}

// Strided copies of the same terms, forwards, backwards and from one place, have the same bits.
template <class T>
void check_increments() {
  std::mt19937_64 random(9);
  for (const std::int64_t incx : {1, 2, -1, -3, 0}) {
    for (const std::int64_t incy : {1, -2, 5, 0}) {
      const std::int64_t n = 1 + static_cast<std::int64_t>(random() % 400);
      const auto length = [&](std::int64_t inc) {
        return static_cast<std::size_t>((n - 1) * std::abs(inc) + 1);
      };
      const Terms<T> x = make_terms<T>(Kind::near, length(incx), false, random);
      const Terms<T> y = make_terms<T>(Kind::wide, length(incy), false, random);
      const auto at = [&](const Terms<T>& v, std::int64_t inc, std::int64_t i) {
        return v.x[static_cast<std::size_t>(inc < 0 ? (i - n + 1) * inc : i * inc)];
      };
      Terms<T> flat;
      for (std::int64_t i = 0; i < n; ++i) {
        flat.x.push_back(at(x, incx, i));
        flat.y.push_back(at(y, incy, i));
      }
      Referee referee;
      const T wanted_dot = referee_result(flat, true, referee);
      const T wanted_sum = referee_result(flat, false, referee);
      EXPECT_EQ(bits(dot(n, x.x.data(), incx, y.x.data(), incy)), bits(wanted_dot));
      EXPECT_EQ(bits(sum(n, x.x.data(), incx)), bits(wanted_sum));
    }
  }
}
TEST(Reductions, Increments) {
  check_increments<float>();
  check_increments<double>();
}

// Shares of several threads, merged, are the sum of one: with terms of every kind near their ends.
template <class T>
void check_workers() {
  std::mt19937_64 random(10);
  for (int round = 0; round < 8; ++round) {
    // Enough for three.
    constexpr std::int64_t kTerms = 10'000'000 / sizeof(T);
    Terms<T> terms = make_terms<T>(round % 2 != 0 ? Kind::wide : Kind::near, kTerms, true, random);
    if (round % 3 == 0) {
      const Terms<T> special = make_terms<T>(Kind::special, 3, true, random);
      std::copy(special.x.begin(), special.x.end(), terms.x.begin() + round * 20'000);
    }
    if (round == 4) std::fill(terms.x.begin(), terms.x.end(), T(-0.0));
    const auto n = static_cast<std::int64_t>(terms.x.size());
    const T *const x = terms.x.data(), *const y = terms.y.data();
    for (const Kernels* kernels : kernels_of_this_host()) {
      const T sum = sum_with(kernels, n, x, 1), dot = dot_with(kernels, n, x, 1, y, -1);
      for (const int workers : {1, 2, 3}) {
        const std::int64_t before = path_counts().bounded_calls;
        ASSERT_EQ(bits(shared_sum(kernels, workers, n, x, 1)), bits(sum)) << round;
        ASSERT_EQ(bits(shared_dot(kernels, workers, n, x, 1, y, -1)), bits(dot)) << round;
        if (round == 2) {
          EXPECT_EQ(path_counts().bounded_calls, before + 2) << workers;
        }
      }
    }
  }
}
TEST(Reductions, WorkersChangeNoBit) {
  check_workers<float>();
  check_workers<double>();
}

}  // namespace
}  // namespace reprosum::exact::testing
