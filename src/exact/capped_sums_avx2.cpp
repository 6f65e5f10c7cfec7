#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "src/exact/capped_sums.h"

// Vectors of 32 bytes also where longer ones exist: see capped_strips_avx2.cpp.
#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace reprosum::exact {
namespace {

constexpr std::int64_t kLanes = 4;
constexpr int kChains = static_cast<int>(kCappedChains);

__m256d load(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
// The first n < kLanes numbers there, then zeros.
__m256d load_first(const float* p, std::int64_t n) {
  const __m128i there =
      _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(n)), _mm_setr_epi32(0, 1, 2, 3));
  return _mm256_cvtps_pd(_mm_maskload_ps(p, there));
}

double power_of_two(int e) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52);
}

// Long chunks are read as kStreams parts side by side: see anchored_sums.h. Lines are asked for
// kAhead floats before they are used.
constexpr std::int64_t kFewestOfStreams = 4096, kAhead = 512;
constexpr int kStreams = 4;

// add(sum, i, count): the terms from i on, a vector of them or the first `count` of one. ask(i)
// asks for the line that begins with them.
template <class Add, class Ask>
[[gnu::always_inline]] inline void add_all(std::int64_t n, int scale, Bracket<float>& out,
                                           Add&& add, Ask&& ask) {
  __m256d sum[kChains];
#pragma GCC unroll 8
  for (int k = 0; k < kChains; ++k) sum[k] = _mm256_setzero_pd();
  std::int64_t i = 0;
  if (n >= kFewestOfStreams) {
    constexpr std::int64_t kLine = 64 / sizeof(float);
    constexpr int kEach = kChains / kStreams;
    const std::int64_t part = n / kStreams / kLine * kLine;
    for (; i < part; i += kLine) {
#pragma GCC unroll 4
      for (int s = 0; s < kStreams; ++s) {
        ask(s * part + i + kAhead);
#pragma GCC unroll 4
        for (int k = 0; k < kLine / kLanes; ++k) {
          __m256d& to = sum[s * kEach + k % kEach];
          to = add(to, s * part + i + k * kLanes, kLanes);
        }
      }
    }
    i = kStreams * part;
  }
  for (; i + kChains * kLanes <= n; i += kChains * kLanes) {
#pragma GCC unroll 8
    for (int k = 0; k < kChains; ++k) sum[k] = add(sum[k], i + k * kLanes, kLanes);
  }
#pragma GCC unroll 8
  for (int k = 0; k < kChains - 1; ++k) {
    if (i + kLanes > n) break;
    sum[k] = add(sum[k], i, kLanes);
    i += kLanes;
  }
  if (i < n) sum[kChains - 1] = add(sum[kChains - 1], i, n - i);
  const double back = power_of_two(-scale);
  const __m256d factor = _mm256_set1_pd(back);
#pragma GCC unroll 8
  for (int k = 0; k < kChains; ++k) sum[k] = _mm256_mul_pd(sum[k], factor);
  const __m256d all =
      _mm256_add_pd(_mm256_add_pd(_mm256_add_pd(sum[0], sum[1]), _mm256_add_pd(sum[2], sum[3])),
                    _mm256_add_pd(_mm256_add_pd(sum[4], sum[5]), _mm256_add_pd(sum[6], sum[7])));
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(all), _mm256_extractf128_pd(all, 1));
  out.high = _mm_cvtsd_f64(two) + _mm_cvtsd_f64(_mm_unpackhi_pd(two, two));
  out.low = 0;
  out.error = static_cast<double>(n + 640) * 0x1.03p970 * back;
  out.roomy = false;
  out.holds = out.high - out.high == 0;
  out.below = static_cast<float>(out.high - out.error);
  out.above = static_cast<float>(out.high + out.error);
}

// 2^-s is a normal number, too.
int scale_of(int exponent) { return std::clamp(1024 - exponent, 0, 1022); }

}  // namespace

void capped_sum(const float* x, std::int64_t n, int exponent, Bracket<float>& out) {
  const int scale = scale_of(exponent);
  const __m256d factor = _mm256_set1_pd(power_of_two(scale));
  add_all(
      n, scale, out,
      [=](__m256d sum, std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
        const __m256d v = count == kLanes ? load(x + i) : load_first(x + i, count);
        return _mm256_fmadd_pd(v, factor, sum);
      },
      [=](std::int64_t i) __attribute__((always_inline)) { __builtin_prefetch(x + i); });
}

void capped_dot(const float* x, const float* y, std::int64_t n, int exponent, Bracket<float>& out) {
  const int scale = scale_of(exponent);
  const __m256d factor = _mm256_set1_pd(power_of_two(scale));
  add_all(
      n, scale, out,
      [=](__m256d sum, std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
        const bool whole = count == kLanes;
        const __m256d v = whole ? load(x + i) : load_first(x + i, count);
        const __m256d w = whole ? load(y + i) : load_first(y + i, count);
        return _mm256_fmadd_pd(_mm256_mul_pd(v, factor), w, sum);
      },
      [=](std::int64_t i) __attribute__((always_inline)) {
        __builtin_prefetch(x + i);
        __builtin_prefetch(y + i);
      });
}

}  // namespace reprosum::exact

#pragma GCC pop_options
