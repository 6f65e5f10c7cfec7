#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/chain/code_table.h"

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx2,fma,bmi")

namespace reprosum::kernels::chain {
namespace {

constexpr int kAndDiffering = 0x60;  // a & (b ^ c)

struct Doubles {
  using Element = double;
  using Bits = std::uint64_t;
  using Type = __m512d;
  static constexpr int kLanes = 8, kFraction = 52;
  static constexpr Bits kLargestField = 0x7ff;
  static constexpr unsigned kAllLanes = 0xff;
  static constexpr int kUnitVectors = 2, kBlockVectors = 32;
  static constexpr int kCost = 110, kCostFused = 50;
  static Type load(const double* p) { return _mm512_loadu_pd(p); }
  static void store(double* p, Type v) { _mm512_storeu_pd(p, v); }
  static Type all(double v) { return _mm512_set1_pd(v); }
  static Type all_bits() { return _mm512_castsi512_pd(_mm512_set1_epi64(-1)); }
  static Type fma(Type a, Type b, Type c) { return _mm512_fmadd_pd(a, b, c); }
  static Type abs(Type v) { return _mm512_andnot_pd(_mm512_set1_pd(-0.0), v); }
  static Type differing(Type a, Type b) { return _mm512_xor_pd(a, b); }
  static Type and_differing(Type all, Type a, Type b) {
    return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(
        _mm512_castpd_si512(all), _mm512_castpd_si512(a), _mm512_castpd_si512(b), kAndDiffering));
  }
  static unsigned less(Type a, Type b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
  static unsigned first_bits(Type v) {
    return _mm512_test_epi64_mask(_mm512_castpd_si512(v), _mm512_set1_epi64(1));
  }
  static unsigned second_bits(Type v) {
    return _mm512_test_epi64_mask(_mm512_castpd_si512(v), _mm512_set1_epi64(2));
  }
};

struct Floats {
  using Element = float;
  using Bits = std::uint32_t;
  using Type = __m512;
  static constexpr int kLanes = 16, kFraction = 23;
  static constexpr Bits kLargestField = 0xff;
  static constexpr unsigned kAllLanes = 0xffff;
  static constexpr int kUnitVectors = 1, kBlockVectors = 32;
  static constexpr int kCost = 180, kCostFused = 80;
  static Type load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, Type v) { _mm512_storeu_ps(p, v); }
  static Type all(float v) { return _mm512_set1_ps(v); }
  static Type all_bits() { return _mm512_castsi512_ps(_mm512_set1_epi32(-1)); }
  static Type fma(Type a, Type b, Type c) { return _mm512_fmadd_ps(a, b, c); }
  static Type abs(Type v) { return _mm512_andnot_ps(_mm512_set1_ps(-0.0F), v); }
  static Type differing(Type a, Type b) { return _mm512_xor_ps(a, b); }
  static Type and_differing(Type all, Type a, Type b) {
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
        _mm512_castps_si512(all), _mm512_castps_si512(a), _mm512_castps_si512(b), kAndDiffering));
  }
  static unsigned less(Type a, Type b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
  static unsigned first_bits(Type v) {
    return _mm512_test_epi32_mask(_mm512_castps_si512(v), _mm512_set1_epi32(1));
  }
  static unsigned second_bits(Type v) {
    return _mm512_test_epi32_mask(_mm512_castps_si512(v), _mm512_set1_epi32(2));
  }
};

#include "kernels/chain/lanes.h"
// In this sequence.
#include "kernels/chain/blocks.h"
// In this sequence.
#include "kernels/chain/walk.h"

}  // namespace

constinit const CodeTable kAvx512Chains{
    {walk<Floats, Op::sum>, walk<Floats, Op::rounded>, walk<Floats, Op::fused>},
    {walk<Doubles, Op::sum>, walk<Doubles, Op::rounded>, walk<Doubles, Op::fused>}};

}  // namespace reprosum::kernels::chain

#pragma GCC pop_options
