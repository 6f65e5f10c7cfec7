// The loops that files of one instruction set each define.
#pragma once

#include "src/exact/machine/room.h"
#include "src/exact/remainders/remainder_kernels.h"

namespace reprosum::exact {

extern const RemainderKernels kVnniRemainders;

}  // namespace reprosum::exact
