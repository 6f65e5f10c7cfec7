// Bits of calls against the interpreter: increments, batches, threads, addresses.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "sample_specs.h"
#include "spec/evaluate/evaluate.h"

namespace reprosum {
namespace {

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }
std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

reprosum_status dot(const reprosum_handle* handle, std::int64_t n, const float* x,
                    std::int64_t incx, const float* y, std::int64_t incy, float* out) {
  return reprosum_sdot(handle, n, x, incx, y, incy, out);
}
reprosum_status dot(const reprosum_handle* handle, std::int64_t n, const double* x,
                    std::int64_t incx, const double* y, std::int64_t incy, double* out) {
  return reprosum_ddot(handle, n, x, incx, y, incy, out);
}
reprosum_status sum(const reprosum_handle* handle, std::int64_t n, const float* x,
                    std::int64_t incx, float* out) {
  return reprosum_ssum(handle, n, x, incx, out);
}
reprosum_status sum(const reprosum_handle* handle, std::int64_t n, const double* x,
                    std::int64_t incx, double* out) {
  return reprosum_dsum(handle, n, x, incx, out);
}
reprosum_status dots(const reprosum_handle* handle, std::int64_t n, std::int64_t rows,
                     const float* x, std::int64_t incx, std::int64_t ldx, const float* y,
                     std::int64_t incy, std::int64_t ldy, float* out) {
  return reprosum_sdot_batch(handle, n, rows, x, incx, ldx, y, incy, ldy, out);
}
reprosum_status dots(const reprosum_handle* handle, std::int64_t n, std::int64_t rows,
                     const double* x, std::int64_t incx, std::int64_t ldx, const double* y,
                     std::int64_t incy, std::int64_t ldy, double* out) {
  return reprosum_ddot_batch(handle, n, rows, x, incx, ldx, y, incy, ldy, out);
}
reprosum_status sums(const reprosum_handle* handle, std::int64_t n, std::int64_t rows,
                     const float* x, std::int64_t incx, std::int64_t ldx, float* out) {
  return reprosum_ssum_batch(handle, n, rows, x, incx, ldx, out);
}
reprosum_status sums(const reprosum_handle* handle, std::int64_t n, std::int64_t rows,
                     const double* x, std::int64_t incx, std::int64_t ldx, double* out) {
  return reprosum_dsum_batch(handle, n, rows, x, incx, ldx, out);
}

template <class T>
const T* first(const T* x, std::int64_t n, std::int64_t increment) {
  return increment < 0 ? x + (1 - n) * increment : x;
}

template <class T>
class Replay : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Replay, Types);

TYPED_TEST(Replay, EveryIncrementHasTheBitsOfItsOrder) {
  using T = TypeParam;
  reprosum_handle* handle = samples::open(samples::strided_spec());
  ASSERT_NE(handle, nullptr) << reprosum_last_error(nullptr);
  const std::vector<T> x = samples::random_data<T>(9000, 11), y = samples::random_data<T>(9000, 12);
  const spec::Order strided = samples::sequential(samples::kLargest);
  const spec::Order unit_sum = samples::lanes(8, samples::kLargest);
  const spec::Order unit_dot = samples::lanes(8, samples::kLargest, spec::Leaf::fused);
  for (const std::int64_t n : {1, 2, 3, 7, 8, 9, 64, 1001, 2999}) {
    for (std::int64_t incx = -3; incx <= 3; ++incx) {
      const T* const x0 = first(x.data(), n, incx);
      T got = -1;
      ASSERT_EQ(sum(handle, n, x.data(), incx, &got), REPROSUM_OK) << reprosum_last_error(handle);
      const T* const none = nullptr;
      EXPECT_EQ(bits(got),
                bits(spec::evaluate<T>(incx == 1 ? unit_sum : strided, n, x0, incx, none, 0)))
          << "sum n=" << n << " incx=" << incx;
      for (std::int64_t incy = -3; incy <= 3; ++incy) {
        const bool unit = incx == 1 && incy == 1;
        ASSERT_EQ(dot(handle, n, x.data(), incx, y.data(), incy, &got), REPROSUM_OK);
        EXPECT_EQ(bits(got), bits(spec::evaluate<T>(unit ? unit_dot : strided, n, x0, incx,
                                                    first(y.data(), n, incy), incy)))
            << "dot n=" << n << " incx=" << incx << " incy=" << incy;
      }
    }
  }
  reprosum_close(handle);
}

TYPED_TEST(Replay, BatchIsTheSingleCallsBitForBit) {
  using T = TypeParam;
  reprosum_handle* handle = samples::open(samples::strided_spec());
  ASSERT_NE(handle, nullptr);
  constexpr std::uint64_t seed = 2027;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 engine(seed);
  const auto pick = [&](std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(engine);
  };
  const std::vector<T> data = samples::random_data<T>(40000, seed);
  const T* const middle = data.data() + 16000;
  for (int round = 0; round < 200; ++round) {
    const std::int64_t n = pick(1, 200), rows = pick(1, 90);
    const std::int64_t incx = round % 2 == 0 ? 1 : pick(-3, 3);
    const std::int64_t incy = round % 2 == 0 ? 1 : pick(-3, 3);
    const std::int64_t ldx = pick(-150, 150), ldy = round % 3 == 0 ? 0 : pick(-150, 150);
    std::vector<T> got(static_cast<std::size_t>(rows) + 1, T(-7));
    ASSERT_EQ(dots(handle, n, rows, middle, incx, ldx, middle + 1, incy, ldy, got.data()),
              REPROSUM_OK)
        << reprosum_last_error(handle);
    for (std::int64_t i = 0; i < rows; ++i) {
      T wanted = 0;
      ASSERT_EQ(dot(handle, n, middle + i * ldx, incx, middle + 1 + i * ldy, incy, &wanted),
                REPROSUM_OK);
      EXPECT_EQ(bits(got[static_cast<std::size_t>(i)]), bits(wanted)) << "row " << i;
    }
    EXPECT_EQ(got.back(), T(-7));
    ASSERT_EQ(sums(handle, n, rows, middle, incx, ldx, got.data()), REPROSUM_OK);
    for (std::int64_t i = 0; i < rows; ++i) {
      T wanted = 0;
      ASSERT_EQ(sum(handle, n, middle + i * ldx, incx, &wanted), REPROSUM_OK);
      EXPECT_EQ(bits(got[static_cast<std::size_t>(i)]), bits(wanted)) << "row " << i;
    }
    EXPECT_EQ(got.back(), T(-7));
  }
  reprosum_close(handle);
}

TYPED_TEST(Replay, WhatIsSummedOfNothingIsTheSpecs) {
  using T = TypeParam;
  reprosum_handle* handle = samples::open(samples::plain_spec());
  ASSERT_NE(handle, nullptr);
  const T* const none = nullptr;
  T out = -1;
  // No increment and no address matters.
  EXPECT_EQ(sum(handle, 0, none, 77, &out), REPROSUM_OK);
  EXPECT_EQ(bits(out), bits(T(-0.0)));
  out = -1;
  EXPECT_EQ(dot(handle, 0, none, 0, none, -5, &out), REPROSUM_OK);
  EXPECT_EQ(bits(out), bits(T(0)));
  EXPECT_EQ(dot(handle, -3, none, 1, none, 1, &out), REPROSUM_OK);
  EXPECT_EQ(bits(out), bits(T(-0.0)));
  EXPECT_EQ(sum(handle, -3, none, 1, &out), REPROSUM_NOT_COVERED);
  EXPECT_NE(std::string(reprosum_last_error(handle)).find("n = -3 was not captured"),
            std::string::npos)
      << reprosum_last_error(handle);
  T outs[2] = {-1, -1};
  EXPECT_EQ(sums(handle, 0, 2, none, 1, 0, outs), REPROSUM_OK);
  EXPECT_EQ(bits(outs[0]), bits(T(-0.0)));
  EXPECT_EQ(bits(outs[1]), bits(T(-0.0)));
  T* const nowhere = nullptr;
  EXPECT_EQ(sums(handle, 3, 0, none, 1, 0, nowhere), REPROSUM_OK);
  reprosum_close(handle);
}

TYPED_TEST(Replay, ASpecThatDoesNotSayRefusesNothing) {
  using T = TypeParam;
  spec::Spec spec = samples::plain_spec();
  spec.empty_rules.clear();
  reprosum_handle* handle = samples::open(spec);
  ASSERT_NE(handle, nullptr);
  const T* const none = nullptr;
  T out = -1;
  EXPECT_EQ(sum(handle, 0, none, 1, &out), REPROSUM_NOT_COVERED);
  EXPECT_EQ(dot(handle, 0, none, 1, none, 1, &out), REPROSUM_NOT_COVERED);
  EXPECT_NE(std::string(reprosum_last_error(handle)).find("n = 0 was not captured"),
            std::string::npos)
      << reprosum_last_error(handle);
  EXPECT_EQ(out, T(-1));
  reprosum_close(handle);
}

// Two classes of addresses, two orders.
spec::Spec aligned_spec() {
  spec::Spec spec;
  const spec::Guard even = spec::vector_guard({{1, 1}}, {1}, spec::vector_addresses(16, {{0, 0}}));
  const spec::Guard odd =
      spec::vector_guard({{1, 1}}, {1}, spec::vector_addresses(16, {{0, 8}, {8, 0}}));
  samples::add(spec, spec::Routine::dot, spec::Type::f64, even, samples::lanes(4, 1000), 1000);
  samples::add(spec, spec::Routine::dot, spec::Type::f64, odd, samples::sequential(1000), 1000);
  return spec;
}

TEST(Addresses, SelectTheOrder) {
  reprosum_handle* handle = samples::open(aligned_spec());
  ASSERT_NE(handle, nullptr);
  alignas(64) double x[512], y[512];
  const std::vector<double> data = samples::random_data<double>(1024, 5);
  std::copy_n(data.begin(), 512, x);
  std::copy_n(data.begin() + 512, 512, y);
  const spec::Order even = samples::lanes(4, 1000), odd = samples::sequential(1000);
  int differing = 0;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      double got = 77;
      const reprosum_status status = reprosum_ddot(handle, 400, x + i, 1, y + j, 1, &got);
      if (i % 2 == 1 && j % 2 == 1) {
        EXPECT_EQ(status, REPROSUM_NOT_COVERED);
        EXPECT_NE(std::string(reprosum_last_error(handle)).find("(x mod 16, y mod 16) = (8, 8)"),
                  std::string::npos)
            << reprosum_last_error(handle);
        EXPECT_EQ(got, 77);
        continue;
      }
      ASSERT_EQ(status, REPROSUM_OK);
      const double a = spec::evaluate<double>(even, 400, x + i, 1, y + j, 1);
      const double b = spec::evaluate<double>(odd, 400, x + i, 1, y + j, 1);
      differing += bits(a) != bits(b);
      EXPECT_EQ(bits(got), bits(i % 2 == 0 && j % 2 == 0 ? a : b)) << i << " " << j;
    }
  }
  EXPECT_GT(differing, 8);  // else the test could not tell the orders apart
  reprosum_close(handle);
}

TEST(Addresses, RowsOfABatchFollowTheirOwn) {
  reprosum_handle* handle = samples::open(aligned_spec());
  ASSERT_NE(handle, nullptr);
  alignas(64) double x[2048];
  const std::vector<double> data = samples::random_data<double>(2048, 6);
  std::copy(data.begin(), data.end(), x);
  double got[20];
  ASSERT_EQ(reprosum_ddot_batch(handle, 100, 20, x, 1, 33, x, 1, 0, got), REPROSUM_OK);
  for (int i = 0; i < 20; ++i) {
    double wanted = 0;
    ASSERT_EQ(reprosum_ddot(handle, 100, x + 33 * i, 1, x, 1, &wanted), REPROSUM_OK);
    EXPECT_EQ(bits(got[i]), bits(wanted)) << i;
  }
  // The second row is not covered, so the first must not be written.
  double untouched[2] = {77, 77};
  EXPECT_EQ(reprosum_ddot_batch(handle, 100, 2, x, 1, 33, x, 1, 33, untouched),
            REPROSUM_NOT_COVERED);
  EXPECT_EQ(untouched[0], 77);
  EXPECT_EQ(untouched[1], 77);
  reprosum_close(handle);
}

TEST(Threads, SelectTheOrder) {
  spec::Spec spec;
  const spec::Order two = samples::lanes(2, 1000), four = samples::lanes(4, 1000);
  samples::add(spec, spec::Routine::sum, spec::Type::f64, spec::vector_guard({{1, 0}}, {2}), two,
               1000);
  samples::add(spec, spec::Routine::sum, spec::Type::f64, spec::vector_guard({{1, 0}}, {4, 8}),
               four, 1000);
  reprosum_handle* handle = samples::open(spec);
  ASSERT_NE(handle, nullptr);
  const std::vector<double> x = samples::random_data<double>(1000, 8);
  const double* const none = nullptr;
  const double wanted_two = spec::evaluate<double>(two, 1000, x.data(), 1, none, 0);
  const double wanted_four = spec::evaluate<double>(four, 1000, x.data(), 1, none, 0);
  ASSERT_NE(bits(wanted_two), bits(wanted_four));
  int threads = 0;
  double got = 0;
  EXPECT_EQ(reprosum_get_threads(handle, &threads), REPROSUM_OK);
  EXPECT_EQ(threads, 2);  // 1 was not captured: the smallest
  EXPECT_EQ(reprosum_dsum(handle, 1000, x.data(), 1, &got), REPROSUM_OK);
  EXPECT_EQ(bits(got), bits(wanted_two));
  EXPECT_EQ(reprosum_set_threads(handle, 8), REPROSUM_OK);
  EXPECT_EQ(reprosum_dsum(handle, 1000, x.data(), 1, &got), REPROSUM_OK);
  EXPECT_EQ(bits(got), bits(wanted_four));
  EXPECT_EQ(reprosum_set_threads(handle, 1), REPROSUM_NOT_COVERED);
  EXPECT_EQ(reprosum_get_threads(handle, &threads), REPROSUM_OK);
  EXPECT_EQ(threads, 8);
  reprosum_close(handle);
}

// The way that a call finds its kernel must not depend on the calls before it.
TEST(Entries, OfOneContextAreChosenBySizeWhateverCameBefore) {
  spec::Spec spec;
  const spec::Guard guard = spec::vector_guard({{1, 0}}, {1});
  samples::add(spec, spec::Routine::sum, spec::Type::f64, guard, samples::lanes(2, 100), 100);
  samples::add(spec, spec::Routine::sum, spec::Type::f64, guard, samples::lanes(4, 1000), 1000);
  const std::vector<double> x = samples::random_data<double>(1000, 9);
  const auto short_sum = [&](reprosum_handle* handle) {
    double got = 0;
    EXPECT_EQ(reprosum_dsum(handle, 90, x.data(), 1, &got), REPROSUM_OK);
    return bits(got);
  };
  reprosum_handle* fresh = samples::open(spec);
  reprosum_handle* used = samples::open(spec);
  double long_sum = 0;
  for (int again = 0; again < 3; ++again)
    ASSERT_EQ(reprosum_dsum(used, 1000, x.data(), 1, &long_sum), REPROSUM_OK);
  EXPECT_EQ(short_sum(used), short_sum(fresh));
  reprosum_close(fresh);
  reprosum_close(used);
}

}  // namespace
}  // namespace reprosum
