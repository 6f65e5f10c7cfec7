#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "src/exact/kernels.h"
#include "src/exact/kernels_x86.h"

#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace reprosum::exact {

#include "src/exact/brackets.h"

namespace {

struct Avx2 {
  using Type = __m256d;
  static constexpr std::int64_t kLanes = 4;
  static Type load(const double* p) { return _mm256_loadu_pd(p); }
  // The first n < kLanes numbers there, then zeros.
  static Type load_first(const double* p, std::int64_t n) {
    const __m256i lanes = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_maskload_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), lanes));
  }
  static void store(double* p, Type v) { _mm256_storeu_pd(p, v); }
  static Type all(double v) { return _mm256_set1_pd(v); }
  // The same value, of which the compiler knows nothing.
  static Type opaque(Type v) {
    asm("" : "+x"(v));
    return v;
  }
  static Type add(Type a, Type b) { return _mm256_add_pd(a, b); }
  static Type sub(Type a, Type b) { return _mm256_sub_pd(a, b); }
  static Type mul(Type a, Type b) { return _mm256_mul_pd(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm256_fmadd_pd(a, b, c); }
  static Type fma_minus(Type a, Type b, Type c) { return _mm256_fmsub_pd(a, b, c); }
  static Type max_abs(Type m, Type v) {
    return _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), v), m);
  }
  static Type bits_or(Type a, Type b) { return _mm256_or_pd(a, b); }
  static bool only_signs(Type v) {
    return _mm256_testz_si256(_mm256_castpd_si256(v), _mm256_set1_epi64x(INT64_MAX)) != 0;
  }
  static double sum_of_lanes(Type v) {
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
  static double root(double v) { return _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set_sd(v))); }
  static double largest_lane(Type v) {
    const __m128d two = _mm_max_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
  }

  using FloatType = __m256;
  static constexpr std::int64_t kFloats = 8;
  static FloatType no_floats() { return _mm256_setzero_ps(); }
  static FloatType load_floats(const float* p) { return _mm256_loadu_ps(p); }
  static FloatType load_first_floats(const float* p, std::int64_t n) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lanes));
  }
  static FloatType float_fma(FloatType a, FloatType b, FloatType c) {
    return _mm256_fmadd_ps(a, b, c);
  }
  static Type widen_piece(FloatType v, int piece) {
    return _mm256_cvtps_pd(piece == 0 ? _mm256_castps256_ps128(v) : _mm256_extractf128_ps(v, 1));
  }
  static double sum_of_floats(FloatType v) {
    return sum_of_lanes(_mm256_add_pd(widen_piece(v, 0), widen_piece(v, 1)));
  }
  static Type widen(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
};

}  // namespace

const Kernels kAvx2Kernels = {"avx2",
                              4,
                              {sum_block<Avx2, 2>, sum_block<Avx2, 5>},
                              {dot_block<Avx2, 2>, dot_block<Avx2, 5>},
                              split_products<Avx2>,
                              {sum_bracket<Avx2, kSquares>, sum_bracket<Avx2, kLargest>},
                              {dot_bracket<Avx2, kSquares>, dot_bracket<Avx2, kLargest>},
                              float_sum_bracket<Avx2>,
                              float_dot_bracket<Avx2>};

}  // namespace reprosum::exact

#pragma GCC pop_options
