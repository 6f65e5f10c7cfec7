#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "src/exact/factor/panels_x86.h"
#include "src/exact/machine/avx512_intrinsics.h"

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,fma")

namespace reprosum::exact {

#include "src/exact/machine/lanes_avx512.h"
#include "src/exact/products/tile_loops.h"
#include "src/exact/values/nearest_lanes.h"

// After those.
#include "src/exact/factor/panel_loops.h"
#include "src/exact/factor/tile_pairs.h"

const PanelKernels kAvx512Panels = {
    {16, 4, run_pair_tile<Avx512, 2, 4>, subtract_row<Avx512>},
    {round_row<Avx512, double>, subtract_columns<Avx512, double>, pack_columns<Avx512, 2, double>,
     pack_columns<Avx512, 2, double>, divide_pairs<Avx512, double>, largest_of<Avx512>,
     largest_sum<Avx512>, next_sum<Avx512>},
    {round_row<Avx512, float>, subtract_columns<Avx512, float>, pack_columns<Avx512, 3, float>,
     pack_columns<Avx512, 3, double>, divide_pairs<Avx512, float>, largest_of<Avx512>,
     largest_sum<Avx512>, next_sum<Avx512>}};

}  // namespace reprosum::exact

#pragma GCC pop_options
