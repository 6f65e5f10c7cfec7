// Sums and dot products by several threads: each adds up a share exactly, and the accumulators are
// merged. The bits are those of one thread.
#pragma once

#include <cstdint>

#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// As sum_with and dot_with. @pre workers >= 1
template <class T>
T shared_sum(const Kernels* kernels, int workers, std::int64_t n, const T* x, std::int64_t incx);

template <class T>
T shared_dot(const Kernels* kernels, int workers, std::int64_t n, const T* x, std::int64_t incx,
             const T* y, std::int64_t incy);

}  // namespace reprosum::exact
