// Vectors of 4 doubles, as the class that the loops of products, solvers and factorisations are
// written for. Included by one file of each, in its namespace and after its target pragma, and by
// nobody else.
#pragma once

namespace {

struct Avx2 {
  using Type = __m256d;
  static constexpr std::int64_t kLanes = 4;
  static Type load(const double* p) { return _mm256_loadu_pd(p); }
  static double sum_of_lanes(Type v) {
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(two) + _mm_cvtsd_f64(_mm_unpackhi_pd(two, two));
  }
  static Type max_abs(Type m, Type v) {
    return _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), v), m);
  }
  static Type load(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
  static Type abs(Type v) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v); }
  static void store(double* p, Type v) { _mm256_storeu_pd(p, v); }
  static Type all(double v) { return _mm256_set1_pd(v); }
  static Type add(Type a, Type b) { return _mm256_add_pd(a, b); }
  static Type mul(Type a, Type b) { return _mm256_mul_pd(a, b); }
  static Type sub(Type a, Type b) { return _mm256_sub_pd(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm256_fmadd_pd(a, b, c); }
  static Type fma_minus(Type a, Type b, Type c) { return _mm256_fmsub_pd(a, b, c); }
  using FloatType = __m256;
  static FloatType load_floats(const float* p) { return _mm256_loadu_ps(p); }
  static FloatType all_floats(float v) { return _mm256_set1_ps(v); }
  static FloatType float_abs(FloatType v) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), v); }
  static FloatType float_fma(FloatType a, FloatType b, FloatType c) {
    return _mm256_fmadd_ps(a, b, c);
  }
  static Type widen_piece(FloatType v, int piece) {
    return _mm256_cvtps_pd(piece == 0 ? _mm256_castps256_ps128(v) : _mm256_extractf128_ps(v, 1));
  }
  // The first n <= kLanes numbers there, then zeros.
  static Type load_first(const double* p, std::int64_t n) {
    const __m256i lanes = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_maskload_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), lanes));
  }
  static Type load_first(const float* p, std::int64_t n) {
    const __m128i lanes = _mm_setr_epi32(0, 1, 2, 3);
    const __m128i there = _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(n)), lanes);
    return _mm256_cvtps_pd(_mm_maskload_ps(p, there));
  }
  // The same value, of which the compiler knows nothing.
  static Type opaque(Type v) {
    asm("" : "+x"(v));
    return v;
  }
  // What is made of `later` stands behind `sooner` in the code: what the compiler moves up takes
  // registers, and a sum that has none is waited for.
  static void keep_order(Type& later, Type sooner) { asm("" : "+x"(later) : "x"(sooner)); }
  // An operand in memory takes no register, and no instruction to copy it.
  static constexpr bool kReadsTwice = true;
  static Type all_bits() { return _mm256_castsi256_pd(_mm256_set1_epi64x(-1)); }
  static Type bits_and(Type a, Type b, Type c) { return _mm256_and_pd(_mm256_and_pd(b, c), a); }
  // Have all lanes the sign of -1 and its exponent's ones?
  static bool in_one_to_two(Type v) {
    const __m256i ones = _mm256_castpd_si256(_mm256_set1_pd(-1.0));
    return _mm256_testc_si256(_mm256_castpd_si256(v), ones) != 0;
  }
  // c - a b
  static Type fma_from(Type a, Type b, Type c) { return _mm256_fnmadd_pd(a, b, c); }
  static Type as_floats(Type v) { return _mm256_cvtps_pd(_mm256_cvtpd_ps(v)); }
  static double largest_lane(Type v) {
    const __m128d two = _mm_max_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_max_pd(two, _mm_unpackhi_pd(two, two)));
  }
  // Comparisons that are false for NaN, as lanes of ones, and what is done with them.
  using Truths = __m256d;
  static Truths at_most(Type a, Type b) { return _mm256_cmp_pd(a, b, _CMP_LE_OQ); }
  static Truths differ(Type a, Type b) { return _mm256_cmp_pd(a, b, _CMP_NEQ_OQ); }
  static Type or_nan(Type v, Truths t) { return _mm256_or_pd(v, _mm256_xor_pd(t, all_bits())); }
  static Type or_zero(Type v, Truths t) { return _mm256_and_pd(v, t); }
  static bool all_true(Truths t) { return _mm256_movemask_pd(t) == 0xf; }
  static int count_true(Truths t, std::int64_t lanes) {
    return std::popcount(static_cast<unsigned>(_mm256_movemask_pd(t)) & ((1u << lanes) - 1));
  }
  static int first_true(Truths t) {
    return std::countr_zero(static_cast<unsigned>(_mm256_movemask_pd(t)) | 0x10u);
  }
  static Type sqrt(Type v) { return _mm256_sqrt_pd(v); }
  static Type div(Type a, Type b) { return _mm256_div_pd(a, b); }
  static Type counting() { return _mm256_setr_pd(0, 1, 2, 3); }
  template <int kLane>
  static Type lane(Type v) {
    return _mm256_permute4x64_pd(v, kLane * 0x55);
  }
  static Type reversed(Type v) { return _mm256_permute4x64_pd(v, 0x1b); }
  static Truths both(Truths a, Truths b) { return _mm256_and_pd(a, b); }
  static void store_floats(float* p, Type v) { _mm_storeu_ps(p, _mm256_cvtpd_ps(v)); }
  // The lanes of [begin, kLanes) of those at p; zeros elsewhere.
  static Type load_from(const double* p, int begin) {
    const __m256i lanes = _mm256_setr_epi64x(1, 2, 3, 4);
    return _mm256_maskload_pd(p, _mm256_cmpgt_epi64(lanes, _mm256_set1_epi64x(begin)));
  }
  static Type load_from(const float* p, int begin) {
    const __m128i there = _mm_cmpgt_epi32(_mm_setr_epi32(1, 2, 3, 4), _mm_set1_epi32(begin));
    return _mm256_cvtps_pd(_mm_maskload_ps(p, there));
  }
  // a where a and b are the same number but zero, else NaN.
  static Type equal_or_nan(Type a, Type b) {
    const Truths same = _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
    return or_nan(a, _mm256_and_pd(same, differ(a, _mm256_setzero_pd())));
  }
};

}  // namespace
