#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "src/exact/solve/solve_kernels_x86.h"

#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace reprosum::exact {

#include "src/exact/machine/lanes_avx2.h"
#include "src/exact/solve/residual_loops.h"
#include "src/exact/solve/solve_loops.h"
#include "src/exact/values/nearest_lanes.h"

// After those.
#include "src/exact/solve/block_loops.h"

const SolveKernels kAvx2Solves = {
    {solve_rows<Avx2, double, true>, solve_columns<Avx2, double, true>,
     solve_columns<Avx2, double, true, true>},
    add_norms<Avx2>,
    {solve_rows<Avx2, float, true>, solve_columns<Avx2, float, true>, nullptr},
    {solve_rows<Avx2, float, false>, solve_columns<Avx2, float, false>, nullptr},
    {plain_rows<Avx2>, plain_columns<Avx2>, nullptr},
    {plain_rows<Avx2>, plain_columns<Avx2>, nullptr},
    {plain_block<Avx2, false>, plain_block<Avx2, true>},
    {pair_block<Avx2, float, false>, pair_block<Avx2, float, true>},
    {pair_block<Avx2, double, false>, pair_block<Avx2, double, true>},
    {solve_rows<Avx2, double, false>, solve_columns<Avx2, double, false>, nullptr},
    {residual_rows<Avx2, double>, residual_columns<Avx2, double>},
    {residual_rows<Avx2, float>, residual_columns<Avx2, float>}};

}  // namespace reprosum::exact

#pragma GCC pop_options
