// The tiles that files of one instruction set each define.
#pragma once

#include "src/exact/prefetch.h"
#include "src/exact/tiles.h"

namespace reprosum::exact {

extern const TileKernels kAvx2Tiles, kAvx512Tiles;

}  // namespace reprosum::exact
