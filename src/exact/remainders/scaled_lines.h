// Rows of A and columns of B as integers: scales, norms, and what rounding drops.
#pragma once

#include <cstdint>
#include <vector>

#include "src/exact/entries/view.h"
#include "src/exact/remainders/remainders.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// A row of A or a column of B that is scaled by 2^s: scale is that, unscale 2^-s. `norm` bounds its
// norm and `dropped` that of what rounding it to integers leaves. A line that the proof does not
// cover has a norm that is NaN, which fails every rounding test, and a scale of 0.
struct ScaledLine {
  double norm, scale, unscale, dropped;
  signed char whole = -1;  // are all numbers integers when scaled? -1: nobody asked
};

// A ScaledLine for each of `count` rows of a view, with nothing dropped yet.
std::vector<ScaledLine> scaled_lines(const Kernels* kernels, View<const double> v,
                                     std::int64_t count, std::int64_t depth,
                                     const Remainders& remainders, int workers);

// Does a line become integers without rounding? `from` points to its `depth` numbers. Workers that
// ask for one line at the same time find the same.
bool becomes_integers(ScaledLine& line, const double* from, std::int64_t depth, std::int64_t step);

// A tile's numbers as RemainderKernels::convert wants them, scaled: `count` lines and `depth`
// elements of a view, zeros beyond and where the scale is 0.
void gather_tile(View<const double> v, const double* scales, std::int64_t count, std::int64_t depth,
                 bool of_rows, double* to);

}  // namespace reprosum::exact
