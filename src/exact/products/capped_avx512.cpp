#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "src/exact/machine/avx512_intrinsics.h"
#include "src/exact/products/capped_strips.h"

#pragma GCC push_options
#pragma GCC target("avx512f,fma")

namespace reprosum::exact {

#include "src/exact/products/capped_strip_loops.h"

namespace {

struct Avx512 {
  using Type = __m512d;
  static constexpr std::int64_t kLanes = 8;
  static constexpr std::int64_t kNearRows = 8, kFarWidth = 6;
  static constexpr int kTile = 16;
  static Type load(const double* p) { return _mm512_loadu_pd(p); }
  static void store(double* p, Type v) { _mm512_storeu_pd(p, v); }
  static Type all(double v) { return _mm512_set1_pd(v); }
  static Type add(Type a, Type b) { return _mm512_add_pd(a, b); }
  static Type mul(Type a, Type b) { return _mm512_mul_pd(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm512_fmadd_pd(a, b, c); }
  static Type widen(const float* p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
  // The first n < kLanes numbers there, then zeros.
  static Type load_first(const double* p, std::int64_t n) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), p);
  }
  static Type widen_first(const float* p, std::int64_t n) {
    const __m512 there = _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), p);
    return _mm512_cvtps_pd(_mm512_castps512_ps256(there));
  }
  static double sum_of_lanes(Type v) { return _mm512_reduce_add_pd(v); }
  // Eight rows together: lanes are added, then pairs of them, then pairs of these.
  static void sums_of_lanes(const Type (&v)[8], double* sums) {
    Type pairs[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k)
      pairs[k] = add(_mm512_unpacklo_pd(v[2 * k], v[2 * k + 1]),
                     _mm512_unpackhi_pd(v[2 * k], v[2 * k + 1]));
    store(sums, halves(halves(pairs[0], pairs[1]), halves(pairs[2], pairs[3])));
  }
  template <int kRows>
  static void sums_of_lanes(const Type (&v)[kRows], double* sums) {
    for (int r = 0; r < kRows; ++r) sums[r] = sum_of_lanes(v[r]);
  }

 private:
  // Every other pair of lanes of a and then b, and the ones between them.
  static Type halves(Type a, Type b) {
    return add(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
  }
};

}  // namespace

const CappedStrips kAvx512CappedStrips = {Avx512::kNearRows, Avx512::kFarWidth, capped_rows<Avx512>,
                                          capped_columns<Avx512>, capped_tiles<Avx512>};

}  // namespace reprosum::exact

#pragma GCC pop_options
