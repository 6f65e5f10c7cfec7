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

#include "src/exact/slices.h"

namespace {

struct Avx512 {
  using Type = __m512d;
  static constexpr std::int64_t kLanes = 8;
  static Type load(const double* p) { return _mm512_loadu_pd(p); }
  static Type all(double v) { return _mm512_set1_pd(v); }
  static Type add(Type a, Type b) { return _mm512_add_pd(a, b); }
  static Type sub(Type a, Type b) { return _mm512_sub_pd(a, b); }
  static Type mul(Type a, Type b) { return _mm512_mul_pd(a, b); }
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
};

}  // namespace

const Kernels kAvx512Kernels = {"avx512",
                                8,
                                {sum_block<Avx512, 2>, sum_block<Avx512, 5>},
                                {dot_block<Avx512, 2>, dot_block<Avx512, 5>}};

}  // namespace reprosum::exact

#pragma GCC pop_options
