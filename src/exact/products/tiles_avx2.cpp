#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "src/exact/products/tiles_x86.h"

#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace reprosum::exact {

#include "src/exact/machine/lanes_avx2.h"
#include "src/exact/products/anchored_strips.h"
#include "src/exact/products/strip_loops.h"
#include "src/exact/products/tile_loops.h"

const TileKernels kAvx2Tiles = {4,
                                {8, 2, run_tile<Avx2, 2, 2, true>},
                                {12, 4, run_tile<Avx2, 3, 4, false>},
                                {anchored_rows<Avx2, kStripRows>, kStripRows,
                                 anchored_rows<Avx2, kStripRows>, anchored_columns<Avx2>},
                                {wide_rows<Avx2>, wide_columns<Avx2>}};

}  // namespace reprosum::exact

#pragma GCC pop_options
