#include <immintrin.h>

#include <cstdint>
#include <type_traits>

#include "src/exact/capped_strips.h"
#include "src/exact/tiles.h"

// Vectors of 32 bytes also where longer ones exist: only these are converted from floats in memory
// as fast as others are multiplied.
#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace reprosum::exact {
namespace {

constexpr std::int64_t kLanes = kCappedLanes;

__m256d load(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
// The first n < kLanes numbers there, then zeros.
__m128i first(std::int64_t n) {
  return _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(n)), _mm_setr_epi32(0, 1, 2, 3));
}
__m256d load_first(const float* p, std::int64_t n) {
  return _mm256_cvtps_pd(_mm_maskload_ps(p, first(n)));
}
__m256d load_first(const double* p, std::int64_t n) {
  return _mm256_maskload_pd(p, _mm256_cvtepi32_epi64(first(n)));
}

// kChains running sums of each lane of a row, which take turns.
template <int kRows, int kChains>
void sum_rows(std::int64_t depth, const float* a, std::int64_t stride, const double* x, double back,
              double* sums) {
  const __m256d factor_back = _mm256_set1_pd(back);
  __m256d total[kRows];
  for (int r = 0; r < kRows; ++r) total[r] = _mm256_setzero_pd();
  for (std::int64_t i = 0; i < depth;) {
    const std::int64_t end = i + kCappedBlock < depth ? i + kCappedBlock : depth;
    __m256d sum[kChains][kRows];
#pragma GCC unroll 2
    for (int c = 0; c < kChains; ++c) {
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sum[c][r] = _mm256_setzero_pd();
    }
    for (; i + kChains * kLanes <= end; i += kChains * kLanes) {
#pragma GCC unroll 2
      for (int c = 0; c < kChains; ++c) {
        const __m256d factor = _mm256_loadu_pd(x + i + c * kLanes);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r)
          sum[c][r] = _mm256_fmadd_pd(load(a + r * stride + i + c * kLanes), factor, sum[c][r]);
      }
    }
    for (; i < end; i += kLanes) {
      const __m256d factor = load_first(x + i, end - i);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r)
        sum[0][r] = _mm256_fmadd_pd(load_first(a + r * stride + i, end - i), factor, sum[0][r]);
    }
    i = end;
#pragma GCC unroll 2
    for (int c = 0; c < kChains; ++c) {
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) total[r] = _mm256_fmadd_pd(sum[c][r], factor_back, total[r]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    const __m128d two =
        _mm_add_pd(_mm256_castpd256_pd128(total[r]), _mm256_extractf128_pd(total[r], 1));
    sums[r] = _mm_cvtsd_f64(two) + _mm_cvtsd_f64(_mm_unpackhi_pd(two, two));
  }
}

// kWidth columns by vectors of rows: four at a time, one at a time, some rows of one. kFirst: what
// runs starts at 0. kAhead: the columns that follow these are asked for.
template <int kWidth, bool kFirst, bool kAhead>
void add_columns(std::int64_t count, const float* a, std::int64_t stride, const double* x,
                 double* running) {
  __m256d factor[kWidth];
#pragma GCC unroll 6
  for (int k = 0; k < kWidth; ++k) factor[k] = _mm256_set1_pd(x[k]);
  const auto rows = [&](std::int64_t i, auto vectors) __attribute__((always_inline)) {
    constexpr int kVectors = decltype(vectors)::value;
    __m256d sum[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      sum[v] = kFirst ? _mm256_setzero_pd() : _mm256_load_pd(running + i + v * kLanes);
#pragma GCC unroll 6
    for (int k = 0; k < kWidth; ++k) {
      // To the second-level cache: the first one has no room for them.
      if constexpr (kAhead) __builtin_prefetch(a + (k + kWidth) * stride + i, 0, 2);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v)
        sum[v] = _mm256_fmadd_pd(load(a + k * stride + i + v * kLanes), factor[k], sum[v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) _mm256_store_pd(running + i + v * kLanes, sum[v]);
  };
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) rows(i, std::integral_constant<int, 4>());
  for (; i + kLanes <= count; i += kLanes) rows(i, std::integral_constant<int, 1>());
  if (i == count) return;
  __m256d sum = kFirst ? _mm256_setzero_pd() : _mm256_load_pd(running + i);
#pragma GCC unroll 6
  for (int k = 0; k < kWidth; ++k)
    sum = _mm256_fmadd_pd(load_first(a + k * stride + i, count - i), factor[k], sum);
  _mm256_store_pd(running + i, sum);
}

}  // namespace

void CappedStrips::rows(std::int64_t rows, std::int64_t depth, const float* a, std::int64_t stride,
                        const double* x, double back, double* sums) {
  switch (rows) {
    case kCappedRows:
      return sum_rows<kCappedRows, 1>(depth, a, stride, x, back, sums);
    case kCappedNearRows:
      return sum_rows<kCappedNearRows, 2>(depth, a, stride, x, back, sums);
    default:
      return sum_rows<kCappedFewRows, 2>(depth, a, stride, x, back, sums);
  }
}

void CappedStrips::columns(std::int64_t count, std::int64_t begin, std::int64_t end,
                           std::int64_t depth, bool ahead, const float* a, std::int64_t stride,
                           const double* x, double back, double* sums) {
  constexpr int kWidth = kCappedWidth;
  alignas(64) double running[kCappedHeight + kLanes];
  const __m256d factor_back = _mm256_set1_pd(back);
  std::int64_t j = begin;
  const auto add = [&](auto width, auto first, auto ahead) {
    add_columns<decltype(width)::value, decltype(first)::value, decltype(ahead)::value>(
        count, a + j * stride, stride, x + j, running);
    j += decltype(width)::value;
  };
  constexpr std::true_type yes;
  constexpr std::false_type no;
  constexpr std::integral_constant<int, kWidth> wide;
  if (j + kWidth <= end) {
    add(wide, yes, no);
  } else {
    add(std::integral_constant<int, 1>(), yes, no);
  }
  while (ahead && j + kWidth <= end && j + 2 * kWidth <= depth) add(wide, no, yes);
  while (j + kWidth <= end) add(wide, no, no);
  while (j + 2 <= end) add(std::integral_constant<int, 2>(), no, no);
  if (j < end) add(std::integral_constant<int, 1>(), no, no);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    _mm256_storeu_pd(sums + i, _mm256_fmadd_pd(_mm256_load_pd(running + i), factor_back,
                                               _mm256_loadu_pd(sums + i)));
  for (; i < count; ++i) sums[i] = __builtin_fma(running[i], back, sums[i]);
}

}  // namespace reprosum::exact

#pragma GCC pop_options
