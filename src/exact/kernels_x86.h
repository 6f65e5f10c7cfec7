#pragma once

#include "src/exact/kernels.h"

namespace reprosum::exact {

extern const Kernels kAvx512Kernels;  // needs AVX512F and AVX512DQ
extern const Kernels kAvx2Kernels;    // needs AVX2 and FMA

}  // namespace reprosum::exact
