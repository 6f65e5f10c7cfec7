// The C API of exact sums and dot products: statuses, messages, the caller's environment.
#include <gtest/gtest.h>
#include <reprosum/exact.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace {

TEST(ExactC, SumsAndDots) {
  const double x[4] = {1e200, 1, -1e200, 0x1p-600}, y[4] = {1e200, 2, 1e200, 0x1p-600};
  const float s[3] = {1e30f, 1, -1e30f}, t[3] = {1e30f, 3, 1e30f};
  double d = -1;
  float f = -1;
  EXPECT_EQ(reprosum_exact_dsum(3, x, 1, &d), REPROSUM_OK);
  EXPECT_EQ(d, 1);
  EXPECT_EQ(reprosum_exact_ddot(4, x, 1, y, 1, &d), REPROSUM_OK);
  EXPECT_EQ(d, 2);
  EXPECT_EQ(reprosum_exact_ssum(2, s, -2, &f), REPROSUM_OK);
  EXPECT_EQ(f, 0);
  EXPECT_EQ(reprosum_exact_sdot(3, s, -1, t, -1, &f), REPROSUM_OK);
  EXPECT_EQ(f, 3);
  EXPECT_EQ(reprosum_exact_ddot(0, nullptr, 1, nullptr, 1, &d), REPROSUM_OK);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(d), 0u);
}

TEST(ExactC, Refusals) {
  double out = 42;
  const double x = 1;
  const auto refused = [](reprosum_status status, const char* words) {
    EXPECT_EQ(status, REPROSUM_BAD_ARGUMENT) << words;
    EXPECT_NE(std::string(reprosum_last_error(nullptr)).find(words), std::string::npos)
        << reprosum_last_error(nullptr);
  };
  refused(reprosum_exact_dsum(-1, &x, 1, &out), "n = -1 is negative");
  refused(reprosum_exact_dsum(1, nullptr, 1, &out), "x is null");
  refused(reprosum_exact_ddot(1, &x, 1, nullptr, 1, &out), "y is null");
  refused(reprosum_exact_dsum(1, &x, 1, nullptr), "out is null");
  refused(reprosum_exact_dsum(INT64_MAX, &x, 2, &out), "beyond the address space");
  EXPECT_EQ(out, 42);
}

#if defined(__SSE2__)
// Rounding modes, flushing, unmasked exceptions and flags: the same bits, the same register after.
TEST(ExactC, CallersEnvironment) {
  const unsigned own = _mm_getcsr();
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  // Bounded sums of one chunk and of several; the ladder, buckets among it, where all else cancels.
  for (const int length : {3, 40, 700, 5000, 20000, -700, -20000}) {
    const int n = std::abs(length);
    std::vector<double> x(static_cast<std::size_t>(n), 0x1.23456789abcdep-3), y = x;
    for (std::size_t i = 0; length < 0 && i < x.size(); ++i) {
      x[i] = i < x.size() / 2 ? std::ldexp(x[i], static_cast<int>(i % 600) - 300)
                              : -x[i - x.size() / 2];
    }
    std::vector<float> s(x.begin(), x.end());
    x[0] = y[1] = 1, x[1] = -3 * kTiny, x[2] = 0x1p-60, y[2] = 0x1p-1000;
    s[1] = std::numeric_limits<float>::denorm_min();
    double d[2], wanted_d[2];
    float f[2], wanted_f[2];
    const auto calls = [&](double* doubles, float* floats) {
      reprosum_exact_dsum(n, x.data(), 1, doubles);
      reprosum_exact_ddot(n, x.data(), 1, y.data(), 1, doubles + 1);
      reprosum_exact_ssum(n, s.data(), 1, floats);
      reprosum_exact_sdot(n, s.data(), 1, s.data(), 1, floats + 1);
    };
    _mm_setcsr(0x1f80);
    calls(wanted_d, wanted_f);
    for (const unsigned rounding : {0x0000u, 0x2000u, 0x4000u, 0x6000u}) {
      for (const unsigned flushing : {0x0000u, 0x8000u, 0x0040u, 0x8040u}) {
        for (const unsigned masks : {0x1f80u, 0x0000u}) {
          for (const unsigned flags : {0x00u, 0x3fu, 0x20u}) {
            const unsigned mode = rounding | flushing | masks | flags;
            _mm_setcsr(mode);
            calls(d, f);
            const unsigned after = _mm_getcsr();
            _mm_setcsr(own);
            ASSERT_EQ(after, mode) << std::hex << mode;
            for (int i = 0; i < 2; ++i) {
              ASSERT_EQ(std::bit_cast<std::uint64_t>(d[i]),
                        std::bit_cast<std::uint64_t>(wanted_d[i]))
                  << n << ", " << i << " under " << std::hex << mode;
              ASSERT_EQ(std::bit_cast<std::uint32_t>(f[i]),
                        std::bit_cast<std::uint32_t>(wanted_f[i]))
                  << n << ", " << i << " under " << std::hex << mode;
            }
          }
        }
      }
    }
  }
}
#endif

}  // namespace
