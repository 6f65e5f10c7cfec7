// Vectors of 8 doubles, as the class that the loops of products, solvers and factorisations are
// written for. Included by one file of each, in its namespace and after its target pragma, and by
// nobody else.
#pragma once

namespace {

struct Avx512 {
  using Type = __m512d;
  static constexpr std::int64_t kLanes = 8;
  static Type load(const double* p) { return _mm512_loadu_pd(p); }
  static double sum_of_lanes(Type v) { return _mm512_reduce_add_pd(v); }
  // The larger magnitude of the two.
  static Type max_abs(Type m, Type v) { return _mm512_range_pd(m, v, 0x0b); }
  static Type load(const float* p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
  static Type abs(Type v) { return _mm512_abs_pd(v); }
  static void store(double* p, Type v) { _mm512_storeu_pd(p, v); }
  static Type all(double v) { return _mm512_set1_pd(v); }
  static Type add(Type a, Type b) { return _mm512_add_pd(a, b); }
  static Type mul(Type a, Type b) { return _mm512_mul_pd(a, b); }
  static Type sub(Type a, Type b) { return _mm512_sub_pd(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm512_fmadd_pd(a, b, c); }
  static Type fma_minus(Type a, Type b, Type c) { return _mm512_fmsub_pd(a, b, c); }
  using FloatType = __m512;
  static FloatType load_floats(const float* p) { return _mm512_loadu_ps(p); }
  static FloatType all_floats(float v) { return _mm512_set1_ps(v); }
  static FloatType float_abs(FloatType v) { return _mm512_abs_ps(v); }
  static FloatType float_fma(FloatType a, FloatType b, FloatType c) {
    return _mm512_fmadd_ps(a, b, c);
  }
  static Type widen_piece(FloatType v, int piece) {
    return _mm512_cvtps_pd(piece == 0 ? _mm512_castps512_ps256(v) : _mm512_extractf32x8_ps(v, 1));
  }
  // The first n <= kLanes numbers there, then zeros.
  static Type load_first(const double* p, std::int64_t n) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), p);
  }
  static Type load_first(const float* p, std::int64_t n) {
    const auto there = static_cast<__mmask16>((1u << n) - 1);
    return _mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_maskz_loadu_ps(there, p)));
  }
  // The same value, of which the compiler knows nothing.
  static Type opaque(Type v) {
    asm("" : "+v"(v));
    return v;
  }
  // There are registers enough for the compiler's own order.
  static void keep_order(Type&, Type) {}
  static constexpr bool kReadsTwice = false;
  static Type all_bits() { return _mm512_castsi512_pd(_mm512_set1_epi64(-1)); }
  static Type bits_and(Type a, Type b, Type c) {
    return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(
        _mm512_castpd_si512(a), _mm512_castpd_si512(b), _mm512_castpd_si512(c), 0x80));
  }
  // Have all lanes the sign of -1 and its exponent's ones?
  static bool in_one_to_two(Type v) {
    const __m512i ones = _mm512_castpd_si512(_mm512_set1_pd(-1.0));
    const __m512i both = _mm512_and_si512(_mm512_castpd_si512(v), ones);
    return _mm512_cmpneq_epi64_mask(both, ones) == 0;
  }
  // c - a b
  static Type fma_from(Type a, Type b, Type c) { return _mm512_fnmadd_pd(a, b, c); }
  static Type as_floats(Type v) { return _mm512_cvtps_pd(_mm512_cvtpd_ps(v)); }
  static double largest_lane(Type v) { return _mm512_reduce_max_pd(v); }
  // Comparisons that are false for NaN, and what is done with them.
  using Truths = __mmask8;
  static Truths at_most(Type a, Type b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
  static Truths differ(Type a, Type b) { return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_OQ); }
  static Type or_nan(Type v, Truths t) { return _mm512_mask_blend_pd(t, all_bits(), v); }
  static Type or_zero(Type v, Truths t) { return _mm512_maskz_mov_pd(t, v); }
  static bool all_true(Truths t) { return t == 0xff; }
  static int count_true(Truths t, std::int64_t lanes) {
    return std::popcount(t & ((1u << lanes) - 1));
  }
  static int first_true(Truths t) { return std::countr_zero(t | 0x100u); }
  static Type sqrt(Type v) { return _mm512_sqrt_pd(v); }
  static Type div(Type a, Type b) { return _mm512_div_pd(a, b); }
  static Type counting() { return _mm512_setr_pd(0, 1, 2, 3, 4, 5, 6, 7); }
  template <int kLane>
  static Type lane(Type v) {
    return _mm512_permutexvar_pd(_mm512_set1_epi64(kLane), v);
  }
  static Type reversed(Type v) {
    return _mm512_permutexvar_pd(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v);
  }
  static Truths both(Truths a, Truths b) { return a & b; }
  static void store_floats(float* p, Type v) { _mm256_storeu_ps(p, _mm512_cvtpd_ps(v)); }
  // The lanes of [begin, kLanes) of those at p; zeros elsewhere.
  static Type load_from(const double* p, int begin) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>(0xffu << begin), p);
  }
  static Type load_from(const float* p, int begin) {
    const auto there = static_cast<__mmask16>((0xffu << begin) & 0xffu);
    return _mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_maskz_loadu_ps(there, p)));
  }
  // a where a and b are the same number but zero, else NaN.
  static Type equal_or_nan(Type a, Type b) {
    const Truths same = _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
    return or_nan(a, _mm512_mask_cmp_pd_mask(same, a, _mm512_setzero_pd(), _CMP_NEQ_OQ));
  }
};

}  // namespace
