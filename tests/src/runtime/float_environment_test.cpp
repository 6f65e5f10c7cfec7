// A caller's rounding mode, flush-to-zero, traps and flags neither change a bit nor are changed.
#include <gtest/gtest.h>
#if defined(__SSE2__)
#include <xmmintrin.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "sample_specs.h"

namespace reprosum {
namespace {

// Restores the test process's own register, whatever happens.
struct OwnRegister {
  const unsigned saved = _mm_getcsr();
  ~OwnRegister() { _mm_setcsr(saved); }
};

TEST(FloatEnvironment, CallerKeepsItsOwnAndGetsTheBits) {
  const OwnRegister own;
  reprosum_handle* handle = samples::open(samples::strided_spec());
  ASSERT_NE(handle, nullptr);
  std::vector<double> x = samples::random_data<double>(999, 3);
  const std::vector<double> y = samples::random_data<double>(999, 4);
  // Subnormals that flushing would lose: alone in a call, so that they are the whole result.
  const double tiny[3] = {std::numeric_limits<double>::denorm_min(), 0x1p-1060, 0x1p-1050};
  double wanted[4], got[4];
  const auto calls = [&](double* out) {
    EXPECT_EQ(reprosum_ddot(handle, 999, x.data(), 1, y.data(), 1, &out[0]), REPROSUM_OK);
    EXPECT_EQ(reprosum_ddot(handle, 300, x.data(), -3, y.data(), 2, &out[1]), REPROSUM_OK);
    EXPECT_EQ(reprosum_dsum(handle, 3, tiny, 1, &out[2]), REPROSUM_OK);
    EXPECT_EQ(reprosum_dsum_batch(handle, 999, 1, x.data(), 1, 0, &out[3]), REPROSUM_OK);
  };
  _mm_setcsr(0x1f80);
  calls(wanted);
  EXPECT_EQ(wanted[2], 0x1p-1074 + 0x1p-1060 + 0x1p-1050);
  const unsigned rounding[] = {0x0000, 0x2000, 0x4000, 0x6000};
  const unsigned flushing[] = {0x0000, 0x8000, 0x0040, 0x8040};
  // Unmasked exceptions would kill the process at the first inexact addition of ours.
  const unsigned masks[] = {0x1f80, 0x0000};
  const unsigned flags[] = {0x00, 0x3f, 0x20};
  for (const unsigned r : rounding) {
    for (const unsigned f : flushing) {
      for (const unsigned m : masks) {
        for (const unsigned s : flags) {
          const unsigned mode = r | f | m | s;
          for (double& value : got) value = -1;
          _mm_setcsr(mode);
          calls(got);
          const unsigned after = _mm_getcsr();
          _mm_setcsr(0x1f80);
          EXPECT_EQ(after, mode) << std::hex << mode;
          for (int i = 0; i < 4; ++i) {
            EXPECT_EQ(std::bit_cast<std::uint64_t>(got[i]), std::bit_cast<std::uint64_t>(wanted[i]))
                << "call " << i << " under " << std::hex << mode;
          }
        }
      }
    }
  }
  reprosum_close(handle);
}

// The first call generates code, and a generator that folds constants would round like its caller.
TEST(FloatEnvironment, CodeIsGeneratedInTheDefaultOne) {
  const OwnRegister own;
  const std::vector<double> x = samples::random_data<double>(999, 3);
  double wanted = 0, got = 1;
  reprosum_handle* plain = samples::open(samples::plain_spec());
  reprosum_handle* towards_zero = samples::open(samples::plain_spec());
  ASSERT_NE(plain, nullptr);
  ASSERT_NE(towards_zero, nullptr);
  _mm_setcsr(0x1f80);
  ASSERT_EQ(reprosum_dsum(plain, 999, x.data(), 1, &wanted), REPROSUM_OK);
  _mm_setcsr(0xffc0);
  const reprosum_status status = reprosum_dsum(towards_zero, 999, x.data(), 1, &got);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(0x1f80);
  EXPECT_EQ(status, REPROSUM_OK);
  EXPECT_EQ(after, 0xffc0u);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(wanted));
  reprosum_close(plain);
  reprosum_close(towards_zero);
}

}  // namespace
}  // namespace reprosum
#endif
