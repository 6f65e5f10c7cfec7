#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "src/exact/products/capped_strips.h"

#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace reprosum::exact {

#include "src/exact/products/capped_strip_loops.h"

namespace {

struct Avx2 {
  using Type = __m256d;
  static constexpr std::int64_t kLanes = 4;
  static constexpr std::int64_t kNearRows = 6, kFarWidth = 8;
  static constexpr int kTile = 8;
  static Type load(const double* p) { return _mm256_loadu_pd(p); }
  static void store(double* p, Type v) { _mm256_storeu_pd(p, v); }
  static Type all(double v) { return _mm256_set1_pd(v); }
  // The same value, of which the compiler knows nothing.
  static Type opaque(Type v) {
    asm("" : "+x"(v));
    return v;
  }
  static Type add(Type a, Type b) { return _mm256_add_pd(a, b); }
  static Type mul(Type a, Type b) { return _mm256_mul_pd(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm256_fmadd_pd(a, b, c); }
  static Type widen(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
  // The first n < kLanes numbers there, then zeros.
  static Type load_first(const double* p, std::int64_t n) {
    return _mm256_maskload_pd(p, _mm256_cvtepi32_epi64(first(n)));
  }
  static Type widen_first(const float* p, std::int64_t n) {
    return _mm256_cvtps_pd(_mm_maskload_ps(p, first(n)));
  }
  static double sum_of_lanes(Type v) {
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(two) + _mm_cvtsd_f64(_mm_unpackhi_pd(two, two));
  }
  // Four rows together, then one by one.
  template <int kRows>
  static void sums_of_lanes(const Type (&v)[kRows], double* sums) {
    int r = 0;
    for (; r + 4 <= kRows; r += 4) {
      const Type first = _mm256_hadd_pd(v[r], v[r + 1]), then = _mm256_hadd_pd(v[r + 2], v[r + 3]);
      const Type crossed = _mm256_permute2f128_pd(first, then, 0x21);
      store(sums + r, add(crossed, _mm256_blend_pd(first, then, 12)));
    }
    for (; r < kRows; ++r) sums[r] = sum_of_lanes(v[r]);
  }

 private:
  static __m128i first(std::int64_t n) {
    return _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(n)), _mm_setr_epi32(0, 1, 2, 3));
  }
};

}  // namespace

const CappedStrips kAvx2CappedStrips = {Avx2::kNearRows, Avx2::kFarWidth, capped_rows<Avx2>,
                                        capped_columns<Avx2>, capped_tiles<Avx2>};

}  // namespace reprosum::exact

#pragma GCC pop_options
