// LU factorisation in blocks, its sums kept as pairs of doubles with a proven bound.
#pragma once

#include <cstdint>

#include "src/exact/entries/view.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

inline constexpr std::int64_t kMostFactorBlock = 128;

// What `factor` gives, and its `info`; false, with nothing written, where there is no fast way.
// `block` columns at a time: a multiple of 8 up to kMostFactorBlock, or 0 for one that suits n; it
// changes no bit, nor does the number of workers.
// @pre the default floating-point environment; workers >= 1
template <class T>
bool factor_fast(const Kernels* kernels, std::int64_t m, std::int64_t n, View<T> a,
                 std::int64_t* pivots, std::int64_t block, int workers, std::int64_t& info);

}  // namespace reprosum::exact
