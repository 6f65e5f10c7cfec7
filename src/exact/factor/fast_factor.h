// LU factorisation in blocks, its sums kept as pairs of doubles with a proven bound.
//
// With AVX2 or AVX-512, factor works on blocks of columns (left-looking, 32 to 128 wide), each a
// block of sums kept as high + low: earlier blocks of L are subtracted by tiles of pairs
// (pairs.h: four operations for each product, off by some 2^-90 of the sum of magnitudes),
// products within a panel by two-sums. To find the pivot of a column, only sums next to the largest
// are rounded. column_bounds.h bounds the error of a pair in each column. An entry whose rounding
// this bound leaves open is computed as an exact sum, so neither the block nor the tiles change a
// bit. So are all entries of columns beyond 2^+-400, and all after an entry of L that is not at
// most 1 (NaN, infinities, subnormal pivots). fast_counts() counts them. Workers share the columns
// of a block up to its diagonal, each with memory of its own, and there the rows of large updates.
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
