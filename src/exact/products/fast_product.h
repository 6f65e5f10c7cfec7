// gemm by remainders or by tiles of rounded products with a bound, whichever is faster for the
// sizes, and exact sums where the rounding test fails.
//
// With AVX2 or AVX-512, a product with n >= 4, or a gemv whose matrix has a unit stride, is
// first computed as high + low, with a bound of its error. gemm by splitting: the factors are
// cut so that the products of the high parts add up exactly, the rest is an ordinary sum
// (tiles.h). gemm by remainders is below. gemv: doubles are summed as dot products are, with x
// scaled so that no running sum leaves its binade; a strip that is seen to have left it is run
// again, scaled for its largest element (anchored_strips.h). Floats are summed in double, with x
// scaled so that sums larger than expected overflow: a sum that comes out finite proves its
// bound, for no operation (capped_strips.h); matrices that the second-level cache holds are cut
// into tiles of rows whose sums stay in registers. Columns in depths of 1024 or more are scaled
// for terms of both signs, which leaves a sixth of the exact sums, unless the first columns have
// one sign. Matrices below some 2^-8 do not scale up so far: their largest element is looked for
// (strip_loops.h), which takes some 1.7 times as long. round_entries.h adds alpha, beta and C
// and asks whether all numbers within the bound round alike; entries for which they do not are
// exact sums. So are all products with other strides, of fewer than 8 summands, with an alpha
// beyond 2^+-200, and on machines without AVX2. fast_counts() says how many entries the calling
// thread tried, how many the test left, and how many strips were run again.
//
// What decides the share that is left: the size of an entry beside the norms of its row and
// column. Data of one size leaves of split gemm 0.01 to 2 in a hundred, of gemm by remainders a
// tenth or less of that, of gemv next to none. Rows of gemm that mix sizes beyond 2^30 (gemv:
// 2^50), and entries that cancel, are left all, and cost an exact sum each.
//
// Both factors are converted once for all workers, which then share the columns. Entries that
// are left to exact sums wait for others of the same columns, so that strided columns are copied
// eight at a time.
#pragma once

#include "src/exact/entries/view.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// Computes the product, entry for entry what `multiply` promises; false, and nothing is written, if
// there are no tiles for these kernels, the scalars are of unusual size, the sizes are too small to
// be worth it, or there is no memory. @pre alpha != 0, k > 0, the default floating-point
// environment
template <class T>
bool multiply_fast(const Kernels* kernels, const Product<T>& call);

// The same for the products that are multiplied by remainders, by several workers; false for
// others.
bool multiply_together(const Kernels* kernels, const Product<double>& call, int workers);

// The same by splitting alone, whatever would be faster. @pre |alpha| is 2^-200 to 2^200
template <class T>
bool multiply_by_splitting(const Kernels* kernels, const Product<T>& call);

}  // namespace reprosum::exact
