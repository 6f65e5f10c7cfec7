// The loops of triangular systems that files of one instruction set each define.
#pragma once

#include "src/exact/machine/page_places.h"
#include "src/exact/machine/prefetch.h"
#include "src/exact/machine/room.h"
#include "src/exact/solve/solve_kernels.h"

namespace reprosum::exact {

extern const SolveKernels kAvx2Solves, kAvx512Solves;

}  // namespace reprosum::exact
