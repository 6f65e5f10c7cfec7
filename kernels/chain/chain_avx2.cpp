#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/chain/code_table.h"

#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi")

namespace reprosum::kernels::chain {
namespace {

struct Doubles {
  using Element = double;
  using Bits = std::uint64_t;
  using Type = __m256d;
  static constexpr int kLanes = 4, kFraction = 52;
  static constexpr Bits kLargestField = 0x7ff;
  static constexpr unsigned kAllLanes = 0xf;
  static constexpr int kUnitVectors = 4, kBlockVectors = 32;
  static constexpr int kCost = 140, kCostFused = 60;
  static Type load(const double* p) { return _mm256_loadu_pd(p); }
  static void store(double* p, Type v) { _mm256_storeu_pd(p, v); }
  static Type all(double v) { return _mm256_set1_pd(v); }
  static Type all_bits() { return _mm256_castsi256_pd(_mm256_set1_epi64x(-1)); }
  static Type fma(Type a, Type b, Type c) { return _mm256_fmadd_pd(a, b, c); }
  static Type abs(Type v) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v); }
  static Type differing(Type a, Type b) { return _mm256_xor_pd(a, b); }
  static Type and_differing(Type all, Type a, Type b) {
    return _mm256_and_pd(all, _mm256_xor_pd(a, b));
  }
  static unsigned less(Type a, Type b) {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)));
  }
  static unsigned first_bits(Type v) { return bits_at<63>(v); }
  static unsigned second_bits(Type v) { return bits_at<62>(v); }

 private:
  template <int kLeft>
  static unsigned bits_at(Type v) {
    const __m256i moved = _mm256_slli_epi64(_mm256_castpd_si256(v), kLeft);
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(moved)));
  }
};

struct Floats {
  using Element = float;
  using Bits = std::uint32_t;
  using Type = __m256;
  static constexpr int kLanes = 8, kFraction = 23;
  static constexpr Bits kLargestField = 0xff;
  static constexpr unsigned kAllLanes = 0xff;
  static constexpr int kUnitVectors = 2, kBlockVectors = 32;
  static constexpr int kCost = 140, kCostFused = 60;
  static Type load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Type v) { _mm256_storeu_ps(p, v); }
  static Type all(float v) { return _mm256_set1_ps(v); }
  static Type all_bits() { return _mm256_castsi256_ps(_mm256_set1_epi32(-1)); }
  static Type fma(Type a, Type b, Type c) { return _mm256_fmadd_ps(a, b, c); }
  static Type abs(Type v) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), v); }
  static Type differing(Type a, Type b) { return _mm256_xor_ps(a, b); }
  static Type and_differing(Type all, Type a, Type b) {
    return _mm256_and_ps(all, _mm256_xor_ps(a, b));
  }
  static unsigned less(Type a, Type b) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)));
  }
  static unsigned first_bits(Type v) { return bits_at<31>(v); }
  static unsigned second_bits(Type v) { return bits_at<30>(v); }

 private:
  template <int kLeft>
  static unsigned bits_at(Type v) {
    const __m256i moved = _mm256_slli_epi32(_mm256_castps_si256(v), kLeft);
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(moved)));
  }
};

#include "kernels/chain/lanes.h"
// In this sequence.
#include "kernels/chain/blocks.h"
// In this sequence.
#include "kernels/chain/walk.h"

}  // namespace

constinit const CodeTable kAvx2Chains{
    {walk<Floats, Op::sum>, walk<Floats, Op::rounded>, walk<Floats, Op::fused>},
    {walk<Doubles, Op::sum>, walk<Doubles, Op::rounded>, walk<Doubles, Op::fused>}};

}  // namespace reprosum::kernels::chain

#pragma GCC pop_options
