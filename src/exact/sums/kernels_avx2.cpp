#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "src/exact/sums/capped_sums.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/sums/kernels_x86.h"

#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace reprosum::exact {

#include "src/exact/sums/brackets.h"

namespace {

struct Avx2 {
  using Type = __m256d;
  using Element = double;
  static constexpr std::int64_t kLanes = 4;
  static constexpr int kChains = 6, kFewChains = 6, kStreams = 3;
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
  // Copies of what was loaded cost as much as loading it again.
  static Type in_register(Type v) { return v; }
  static Type add(Type a, Type b) { return _mm256_add_pd(a, b); }
  static Type sub(Type a, Type b) { return _mm256_sub_pd(a, b); }
  static Type mul(Type a, Type b) { return _mm256_mul_pd(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm256_fmadd_pd(a, b, c); }
  static Type fma_minus(Type a, Type b, Type c) { return _mm256_fmsub_pd(a, b, c); }
  // c - a b.
  static Type fma_negated(Type a, Type b, Type c) { return _mm256_fnmadd_pd(a, b, c); }
  static Type max_abs(Type m, Type v) {
    return _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), v), m);
  }
  static Type all_bits() { return _mm256_castsi256_pd(_mm256_set1_epi64x(-1)); }
  static Type bits_and(Type a, Type b, Type c) { return _mm256_and_pd(_mm256_and_pd(b, c), a); }
  // Those bits of a that b has not.
  static Type bits_without(Type a, Type b) { return _mm256_andnot_pd(b, a); }
  // Have all lanes the sign of -1 and its exponent's ones?
  static bool in_one_to_two(Type v) {
    const __m256i ones = _mm256_castpd_si256(_mm256_set1_pd(-1.0));
    return _mm256_testc_si256(_mm256_castpd_si256(v), ones) != 0;
  }
  // a, and the bits in which b and c differ; have they no sign and no exponent?
  static Type or_differing(Type a, Type b, Type c) { return _mm256_or_pd(a, _mm256_xor_pd(b, c)); }
  static bool of_same_exponent(Type v) {
    const __m256i ones = _mm256_set1_epi64x(static_cast<long long>(0xfff0000000000000));
    return _mm256_testz_si256(_mm256_castpd_si256(v), ones) != 0;
  }
  static Type bits_or(Type a, Type b) { return _mm256_or_pd(a, b); }
  static bool only_signs(Type v) {
    return _mm256_testz_si256(_mm256_castpd_si256(v), _mm256_set1_epi64x(INT64_MAX)) != 0;
  }
  static double sum_of_lanes(Type v) {
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
  struct Two {
    double one, other;
  };
  static Two sums_of_lanes(Type a, Type b) {
    const Type pairs = _mm256_hadd_pd(a, b);
    const __m128d both = _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1));
    return {_mm_cvtsd_f64(both), _mm_cvtsd_f64(_mm_unpackhi_pd(both, both))};
  }
  // Are the magnitudes of all lanes below that? False for NaN.
  static bool all_below(Type v, double limit) {
    const Type magnitudes = _mm256_andnot_pd(_mm256_set1_pd(-0.0), v);
    return _mm256_movemask_pd(_mm256_cmp_pd(magnitudes, all(limit), _CMP_NLT_UQ)) == 0;
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

struct Avx2Floats {
  using Type = __m256;
  using Element = float;
  using Wide = Avx2;
  static constexpr std::int64_t kLanes = 8;
  static constexpr int kChains = 4, kStreams = 1;
  static Type load(const float* p) { return _mm256_loadu_ps(p); }
  static Type load_first(const float* p, std::int64_t n) { return Avx2::load_first_floats(p, n); }
  static Type all(float v) { return _mm256_set1_ps(v); }
  static Type opaque(Type v) {
    asm("" : "+x"(v));
    return v;
  }
  // Copies of what was loaded cost as much as loading it again.
  static Type in_register(Type v) { return v; }
  static Type add(Type a, Type b) { return _mm256_add_ps(a, b); }
  static Type sub(Type a, Type b) { return _mm256_sub_ps(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm256_fmadd_ps(a, b, c); }
  static Type fma_minus(Type a, Type b, Type c) { return _mm256_fmsub_ps(a, b, c); }
  // c - a b.
  static Type fma_negated(Type a, Type b, Type c) { return _mm256_fnmadd_ps(a, b, c); }
  static Type all_bits() { return _mm256_castsi256_ps(_mm256_set1_epi32(-1)); }
  static Type bits_and(Type a, Type b, Type c) { return _mm256_and_ps(_mm256_and_ps(b, c), a); }
  static bool in_one_to_two(Type v) {
    const __m256i ones = _mm256_castps_si256(_mm256_set1_ps(-1.0f));
    return _mm256_testc_si256(_mm256_castps_si256(v), ones) != 0;
  }
  static Type or_differing(Type a, Type b, Type c) { return _mm256_or_ps(a, _mm256_xor_ps(b, c)); }
  static bool of_same_exponent(Type v) {
    const __m256i ones = _mm256_set1_epi32(static_cast<int>(0xff800000));
    return _mm256_testz_si256(_mm256_castps_si256(v), ones) != 0;
  }
};

}  // namespace

void wide_sum_of_fours(const float* x, std::int64_t n, Bracket<float>& out) {
  wide_sum_bracket<Avx2>(x, n, out);
}
void wide_dot_of_fours(const float* x, const float* y, std::int64_t n, Bracket<float>& out) {
  wide_dot_bracket<Avx2>(x, y, n, out);
}

const Kernels kAvx2Kernels = {"avx2",
                              4,
                              {sum_block<Avx2, 2>, sum_block<Avx2, 5>},
                              {dot_block<Avx2, 2>, dot_block<Avx2, 5>},
                              split_products<Avx2>,
                              sum_bracket<Avx2>,
                              dot_bracket<Avx2>,
                              float_sum_bracket<Avx2Floats>,
                              float_dot_bracket<Avx2Floats>,
                              capped_sum,
                              capped_dot,
                              wide_sum_of_fours,
                              wide_dot_of_fours,
                              largest_term<Avx2>,
                              largest_product<Avx2>,
                              kNoSize,
                              {1 << 10, 1 << 13},
                              true};

}  // namespace reprosum::exact

#pragma GCC pop_options
