#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "src/exact/machine/avx512_intrinsics.h"
#include "src/exact/products/tiles_x86.h"

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,fma")

namespace reprosum::exact {

#include "src/exact/machine/lanes_avx512.h"
#include "src/exact/products/anchored_strips.h"
#include "src/exact/products/strip_loops.h"
#include "src/exact/products/tile_loops.h"

// 24 sums, four vectors of A and a few of B fill 32 registers.
const TileKernels kAvx512Tiles = {
    8,
    {16, 6, run_tile<Avx512, 2, 6, true>},
    {24, 8, run_tile<Avx512, 3, 8, false>},
    {anchored_rows<Avx512, kStripRows>, 8, anchored_rows<Avx512, 8>, anchored_columns<Avx512>},
    {wide_rows<Avx512>, wide_columns<Avx512>}};

}  // namespace reprosum::exact

#pragma GCC pop_options
