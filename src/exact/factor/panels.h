// The loops of a panel of getrf, columns side by side with their pairs of doubles, for one
// instruction set.
#pragma once

#include <cstdint>

#include "src/exact/factor/column_bounds.h"
#include "src/exact/sums/pairs.h"

namespace reprosum::exact {

// `high` and `low` have room for 8 more than `count` numbers, which may be written to.
// @pre the default floating-point environment
template <class T>
struct PanelKernel {
  // Rounds eight sums, of eight columns, to T: within ColumnBounds::radius_of, or `poison` if that
  // is NaN. What is not certain becomes NaN. If none is, true, and their sizes go into bounds.sum.
  bool (*round_row)(double* high, const double* low, ColumnBounds::Eight& bounds, double poison);
  // Columns of L, `ld` apart, times factors[0 .. depth) into a column of pairs, as pairs.h has it.
  // Floats have no use for an anchor: their products are exact.
  void (*subtract)(std::int64_t count, std::int64_t depth, const double* lower, std::int64_t ld,
                   const double* factors, double anchor, double* high, double* low);
  // As many rows of L as a tile has, side by side for each of `depth` columns, `next` apart.
  void (*pack)(std::int64_t depth, const T* l, std::int64_t next, double* out);
  void (*pack_doubles)(std::int64_t depth, const double* l, std::int64_t next, double* out);
  // Divides pairs by u (factor_panel.cpp). What is not certain becomes NaN; gives how many are NaN
  // or beyond 1.
  std::int64_t (*divide)(std::int64_t count, double u, double off, double* high, const double* low);
  // The largest |x_i|, as if NaN were not there.
  double (*largest)(std::int64_t count, const double* x);
  // The largest |high + low|, or NaN if one is not finite.
  double (*largest_sum)(std::int64_t count, const double* high, const double* low);
  // The first index from `begin` on whose |high + low| is not below `least`; count if there is
  // none.
  std::int64_t (*next_sum)(std::int64_t begin, std::int64_t count, const double* high,
                           const double* low, double least);
};

struct PanelKernels {
  PairTile pair;
  PanelKernel<double> panel;
  PanelKernel<float> float_panel;
};

// For kernels of `lanes` doubles; null where there are none.
const PanelKernels* panel_kernels(int lanes);

}  // namespace reprosum::exact
