#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "src/exact/machine/avx512_intrinsics.h"
#include "src/exact/solve/solve_kernels_x86.h"

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,fma")

namespace reprosum::exact {

#include "src/exact/machine/lanes_avx512.h"
#include "src/exact/solve/residual_loops.h"
#include "src/exact/solve/solve_loops.h"
#include "src/exact/values/nearest_lanes.h"

// After those.
#include "src/exact/solve/block_loops.h"

namespace {

// AMD's processors (family 25, model 17) convert four floats in half the time of eight and a half.
struct Half {
  using Type = __m256d;
  static constexpr std::int64_t kLanes = 4;
  static Type load(const double* p) { return _mm256_loadu_pd(p); }
  static Type load(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
  static void store(double* p, Type v) { _mm256_storeu_pd(p, v); }
  static Type all(double v) { return _mm256_set1_pd(v); }
  static Type fma(Type a, Type b, Type c) { return _mm256_fmadd_pd(a, b, c); }
};

}  // namespace

const SolveKernels kAvx512Solves = {
    {solve_rows<Avx512, double, true>, solve_columns<Avx512, double, true>,
     solve_columns<Avx512, double, true, true>},
    add_norms<Avx512>,
    {solve_rows<Avx512, float, true>, solve_columns<Avx512, float, true>, nullptr},
    {solve_rows<Avx512, float, false>, solve_columns<Avx512, float, false>, nullptr},
    {plain_rows<Avx512>, plain_columns<Avx512>, nullptr},
    {plain_rows<Avx512>, plain_columns<Avx512, Half>, nullptr},
    {plain_block<Avx512, false>, plain_block<Avx512, true>},
    {pair_block<Avx512, float, false>, pair_block<Avx512, float, true>},
    {pair_block<Avx512, double, false>, pair_block<Avx512, double, true>},
    {solve_rows<Avx512, double, false>, solve_columns<Avx512, double, false>, nullptr},
    {residual_rows<Avx512, double>, residual_columns<Avx512, double>},
    {residual_rows<Avx512, float>, residual_columns<Avx512, float>}};

}  // namespace reprosum::exact

#pragma GCC pop_options
