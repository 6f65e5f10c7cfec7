// What the ending of a tile does, for values that are computed already.
#pragma once

#include <cstdint>

#include "kernels/program/tile.h"

namespace reprosum::kernels {

// c[i * c_step] becomes what `ending` says of it and values[i], i < count.
template <class T>
void end_values(Ending ending, const T* values, std::int64_t count, T alpha, T beta, T* c,
                std::int64_t c_step);

}  // namespace reprosum::kernels
