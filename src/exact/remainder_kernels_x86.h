// The loops that files of one instruction set each define.
#pragma once

#include "src/exact/remainder_kernels.h"

namespace reprosum::exact {

extern const RemainderKernels kVnniRemainders;

// As RemainderKernels' functions, for what differs from kVnniRemainders in the product alone: sums
// of a row, count of them a multiple of 16, reduced.
void reduce_sums(std::int64_t count, const std::int32_t* sums, const Modulus& modulus,
                 std::int16_t* out);

}  // namespace reprosum::exact
