#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "src/exact/kernels.h"
#include "src/exact/kernels_x86.h"

// _mm512_undefined_pd of GCC 12's own header (GCC bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,fma")

namespace reprosum::exact {

#include "src/exact/brackets.h"

namespace {

struct Avx512 {
  using Type = __m512d;
  static constexpr std::int64_t kLanes = 8;
  static Type load(const double* p) { return _mm512_loadu_pd(p); }
  // The first n < kLanes numbers there, then zeros.
  static Type load_first(const double* p, std::int64_t n) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), p);
  }
  static void store(double* p, Type v) { _mm512_storeu_pd(p, v); }
  static Type all(double v) { return _mm512_set1_pd(v); }
  // The same value, of which the compiler knows nothing.
  static Type opaque(Type v) {
    asm("" : "+v"(v));
    return v;
  }
  static Type add(Type a, Type b) { return _mm512_add_pd(a, b); }
  static Type sub(Type a, Type b) { return _mm512_sub_pd(a, b); }
  static Type mul(Type a, Type b) { return _mm512_mul_pd(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm512_fmadd_pd(a, b, c); }
  static Type fma_minus(Type a, Type b, Type c) { return _mm512_fmsub_pd(a, b, c); }
  // The larger magnitude of the two, sign cleared.
  static Type max_abs(Type m, Type v) { return _mm512_range_pd(m, v, 0x0b); }
  static Type bits_or(Type a, Type b) { return _mm512_or_pd(a, b); }
  static bool only_signs(Type v) {
    const __m512i bits = _mm512_castpd_si512(v);
    return _mm512_test_epi64_mask(bits, _mm512_set1_epi64(INT64_MAX)) == 0;
  }
  static double sum_of_lanes(Type v) { return _mm512_reduce_add_pd(v); }
  static double largest_lane(Type v) { return _mm512_reduce_max_pd(v); }
  static double root(double v) { return _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set_sd(v))); }

  using FloatType = __m512;
  static constexpr std::int64_t kFloats = 16;
  static FloatType no_floats() { return _mm512_setzero_ps(); }
  static FloatType load_floats(const float* p) { return _mm512_loadu_ps(p); }
  static FloatType load_first_floats(const float* p, std::int64_t n) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), p);
  }
  static FloatType float_fma(FloatType a, FloatType b, FloatType c) {
    return _mm512_fmadd_ps(a, b, c);
  }
  static Type widen_piece(FloatType v, int piece) {
    return _mm512_cvtps_pd(piece == 0 ? _mm512_castps512_ps256(v) : _mm512_extractf32x8_ps(v, 1));
  }
  static double sum_of_floats(FloatType v) {
    return sum_of_lanes(_mm512_add_pd(widen_piece(v, 0), widen_piece(v, 1)));
  }
  static Type widen(const float* p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
};

}  // namespace

const Kernels kAvx512Kernels = {"avx512",
                                8,
                                {sum_block<Avx512, 2>, sum_block<Avx512, 5>},
                                {dot_block<Avx512, 2>, dot_block<Avx512, 5>},
                                split_products<Avx512>,
                                {sum_bracket<Avx512, kSquares>, sum_bracket<Avx512, kLargest>},
                                {dot_bracket<Avx512, kSquares>, dot_bracket<Avx512, kLargest>},
                                float_sum_bracket<Avx512>,
                                float_dot_bracket<Avx512>};

}  // namespace reprosum::exact

#pragma GCC pop_options
