// The loops that files of one instruction set each define.
#pragma once

#include "src/exact/remainder_kernels.h"
#include "src/exact/room.h"

namespace reprosum::exact {

extern const RemainderKernels kVnniRemainders;

}  // namespace reprosum::exact
