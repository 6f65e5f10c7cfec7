// The tiles that files of one instruction set each define.
#pragma once

#include "src/exact/machine/page_places.h"
#include "src/exact/machine/prefetch.h"
#include "src/exact/machine/room.h"
#include "src/exact/products/tiles.h"

namespace reprosum::exact {

extern const TileKernels kAvx2Tiles, kAvx512Tiles;

}  // namespace reprosum::exact
