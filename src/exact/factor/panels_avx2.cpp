#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "src/exact/factor/panels_x86.h"

#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace reprosum::exact {

#include "src/exact/machine/lanes_avx2.h"
#include "src/exact/products/tile_loops.h"
#include "src/exact/values/nearest_lanes.h"

// After those.
#include "src/exact/factor/panel_loops.h"
#include "src/exact/factor/tile_pairs.h"

const PanelKernels kAvx2Panels = {
    {8, 2, run_pair_tile<Avx2, 2, 2>, subtract_row<Avx2>},
    {round_row<Avx2, double>, subtract_columns<Avx2, double>, pack_columns<Avx2, 2, double>,
     pack_columns<Avx2, 2, double>, divide_pairs<Avx2, double>, largest_of<Avx2>, largest_sum<Avx2>,
     next_sum<Avx2>},
    {round_row<Avx2, float>, subtract_columns<Avx2, float>, pack_columns<Avx2, 3, float>,
     pack_columns<Avx2, 3, double>, divide_pairs<Avx2, float>, largest_of<Avx2>, largest_sum<Avx2>,
     next_sum<Avx2>}};

}  // namespace reprosum::exact

#pragma GCC pop_options
