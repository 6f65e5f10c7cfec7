#include "src/exact/products/tiles.h"

#if defined(__x86_64__)
#include "src/exact/products/tiles_x86.h"
#endif

namespace reprosum::exact {

const TileKernels* tile_kernels([[maybe_unused]] int lanes) {
#if defined(__x86_64__)
  if (lanes == 8) return &kAvx512Tiles;
  if (lanes == 4) return &kAvx2Tiles;
#endif
  return nullptr;
}

}  // namespace reprosum::exact
