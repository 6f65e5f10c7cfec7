#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "src/exact/machine/avx512_intrinsics.h"
#include "src/exact/sums/capped_sums.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/sums/kernels_x86.h"

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,fma")

namespace reprosum::exact {

#include "src/exact/sums/anchored_sums.h"

namespace {

struct Avx512 {
  using Type = __m512d;
  using Element = double;
  static constexpr std::int64_t kLanes = 8;
  static constexpr int kChains = 8, kFewChains = 4, kStreams = 4;
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
  static Type in_register(Type v) { return opaque(v); }
  static Type add(Type a, Type b) { return _mm512_add_pd(a, b); }
  static Type sub(Type a, Type b) { return _mm512_sub_pd(a, b); }
  static Type mul(Type a, Type b) { return _mm512_mul_pd(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm512_fmadd_pd(a, b, c); }
  static Type fma_minus(Type a, Type b, Type c) { return _mm512_fmsub_pd(a, b, c); }
  // c - a b.
  static Type fma_negated(Type a, Type b, Type c) { return _mm512_fnmadd_pd(a, b, c); }
  // The larger magnitude of the two, sign cleared.
  static Type max_abs(Type m, Type v) { return _mm512_range_pd(m, v, 0x0b); }
  static Type all_bits() { return _mm512_castsi512_pd(_mm512_set1_epi64(-1)); }
  static Type bits_and(Type a, Type b, Type c) {
    return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(
        _mm512_castpd_si512(a), _mm512_castpd_si512(b), _mm512_castpd_si512(c), 0x80));
  }
  // Those bits of a that b has not.
  static Type bits_without(Type a, Type b) { return _mm512_andnot_pd(b, a); }
  // Have all lanes the sign of -1 and its exponent's ones?
  static bool in_one_to_two(Type v) {
    const __m512i ones = _mm512_castpd_si512(_mm512_set1_pd(-1.0));
    const __m512i both = _mm512_and_si512(_mm512_castpd_si512(v), ones);
    return _mm512_cmpneq_epi64_mask(both, ones) == 0;
  }
  // a, and the bits in which b and c differ; have they no sign and no exponent?
  static Type or_differing(Type a, Type b, Type c) {
    return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(
        _mm512_castpd_si512(a), _mm512_castpd_si512(b), _mm512_castpd_si512(c), 0xf6));
  }
  static bool of_same_exponent(Type v) {
    const __m512i ones = _mm512_set1_epi64(static_cast<long long>(0xfff0000000000000));
    return _mm512_test_epi64_mask(_mm512_castpd_si512(v), ones) == 0;
  }
  static Type bits_or(Type a, Type b) { return _mm512_or_pd(a, b); }
  static bool only_signs(Type v) {
    const __m512i bits = _mm512_castpd_si512(v);
    return _mm512_test_epi64_mask(bits, _mm512_set1_epi64(INT64_MAX)) == 0;
  }
  static double sum_of_lanes(Type v) { return _mm512_reduce_add_pd(v); }
  struct Two {
    double one, other;
  };
  static Two sums_of_lanes(Type a, Type b) {
    const Type pairs = _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
    const __m256d four =
        _mm256_add_pd(_mm512_castpd512_pd256(pairs), _mm512_extractf64x4_pd(pairs, 1));
    const __m128d both = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return {_mm_cvtsd_f64(both), _mm_cvtsd_f64(_mm_unpackhi_pd(both, both))};
  }
  // Are the magnitudes of all lanes below that? False for NaN.
  static bool all_below(Type v, double limit) {
    return _mm512_cmp_pd_mask(_mm512_abs_pd(v), all(limit), _CMP_NLT_UQ) == 0;
  }
  static double largest_lane(Type v) { return _mm512_reduce_max_pd(v); }

  using FloatType = __m512;
  static FloatType load_first_floats(const float* p, std::int64_t n) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), p);
  }
  static Type widen_piece(FloatType v, int piece) {
    return _mm512_cvtps_pd(piece == 0 ? _mm512_castps512_ps256(v) : _mm512_extractf32x8_ps(v, 1));
  }
};

struct Avx512Floats {
  using Type = __m512;
  using Element = float;
  using Wide = Avx512;
  static constexpr std::int64_t kLanes = 16;
  static constexpr int kChains = 8, kStreams = 1;
  static Type load(const float* p) { return _mm512_loadu_ps(p); }
  static Type load_first(const float* p, std::int64_t n) { return Avx512::load_first_floats(p, n); }
  static Type all(float v) { return _mm512_set1_ps(v); }
  static Type opaque(Type v) {
    asm("" : "+v"(v));
    return v;
  }
  static Type in_register(Type v) { return opaque(v); }
  static Type add(Type a, Type b) { return _mm512_add_ps(a, b); }
  static Type sub(Type a, Type b) { return _mm512_sub_ps(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm512_fmadd_ps(a, b, c); }
  static Type fma_minus(Type a, Type b, Type c) { return _mm512_fmsub_ps(a, b, c); }
  // c - a b.
  static Type fma_negated(Type a, Type b, Type c) { return _mm512_fnmadd_ps(a, b, c); }
  static Type all_bits() { return _mm512_castsi512_ps(_mm512_set1_epi32(-1)); }
  static Type bits_and(Type a, Type b, Type c) {
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
        _mm512_castps_si512(a), _mm512_castps_si512(b), _mm512_castps_si512(c), 0x80));
  }
  static bool in_one_to_two(Type v) {
    const __m512i ones = _mm512_castps_si512(_mm512_set1_ps(-1.0f));
    const __m512i both = _mm512_and_si512(_mm512_castps_si512(v), ones);
    return _mm512_cmpneq_epi32_mask(both, ones) == 0;
  }
  static Type bits_or(Type a, Type b) { return _mm512_or_ps(a, b); }
  static Type or_differing(Type a, Type b, Type c) {
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
        _mm512_castps_si512(a), _mm512_castps_si512(b), _mm512_castps_si512(c), 0xf6));
  }
  static bool of_same_exponent(Type v) {
    const __m512i ones = _mm512_set1_epi32(static_cast<int>(0xff800000));
    return _mm512_test_epi32_mask(_mm512_castps_si512(v), ones) == 0;
  }
};

}  // namespace

const Kernels kAvx512Kernels = {"avx512",
                                8,
                                {sum_block<Avx512, 2>, sum_block<Avx512, 5>},
                                {dot_block<Avx512, 2>, dot_block<Avx512, 5>},
                                split_products<Avx512>,
                                sum_bracket<Avx512>,
                                dot_bracket<Avx512>,
                                float_sum_bracket<Avx512Floats>,
                                float_dot_bracket<Avx512Floats>,
                                capped_sum,
                                capped_dot,
                                wide_sum_of_fours,
                                wide_dot_of_fours,
                                largest_term<Avx512>,
                                largest_product<Avx512>,
                                {1280, 1 << 19},
                                {640, 1 << 18},
                                true};

}  // namespace reprosum::exact

#pragma GCC pop_options
