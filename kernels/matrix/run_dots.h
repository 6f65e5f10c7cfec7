// Outputs whose summands are neighbours in memory: dot products, several at a time.
#pragma once

#include <cstdint>

#include "kernels/matrix/class_code.h"
#include "kernels/matrix/pack.h"

namespace reprosum::kernels {

// One step of a fold for `outputs` outputs, output i at c + i*c_step. Both operands' summands are
// neighbours (summand_step == 1); `kernel` is the step's piece as a dot product.
template <class T>
void run_dots(const Kernel<T>& kernel, const ClassCode::Step& step, const Operand<T>& operand,
              const T* other, std::int64_t outputs, T alpha, T beta, T* c, std::int64_t c_step);

}  // namespace reprosum::kernels
