#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "src/exact/kernels.h"
#include "src/exact/kernels_x86.h"

#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace reprosum::exact {

#include "src/exact/slices.h"

namespace {

struct Avx2 {
  using Type = __m256d;
  static constexpr std::int64_t kLanes = 4;
  static Type load(const double* p) { return _mm256_loadu_pd(p); }
  static Type all(double v) { return _mm256_set1_pd(v); }
  static Type add(Type a, Type b) { return _mm256_add_pd(a, b); }
  static Type sub(Type a, Type b) { return _mm256_sub_pd(a, b); }
  static Type mul(Type a, Type b) { return _mm256_mul_pd(a, b); }
  static Type fma_minus(Type a, Type b, Type c) { return _mm256_fmsub_pd(a, b, c); }
  static Type max_abs(Type m, Type v) {
    return _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), v), m);
  }
  static Type bits_or(Type a, Type b) { return _mm256_or_pd(a, b); }
  static bool only_signs(Type v) {
    return _mm256_testz_si256(_mm256_castpd_si256(v), _mm256_set1_epi64x(INT64_MAX)) != 0;
  }
  static double sum_of_lanes(Type v) {
    double lane[4];
    _mm256_storeu_pd(lane, v);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
  }
  static double largest_lane(Type v) {
    double lane[4];
    _mm256_storeu_pd(lane, v);
    double most = 0;
    for (const double one : lane) most = one > most ? one : most;
    return most;
  }
};

}  // namespace

const Kernels kAvx2Kernels = {
    "avx2", 4, {sum_block<Avx2, 2>, sum_block<Avx2, 5>}, {dot_block<Avx2, 2>, dot_block<Avx2, 5>}};

}  // namespace reprosum::exact

#pragma GCC pop_options
