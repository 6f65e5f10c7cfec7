// The state of an LU factorisation in blocks. Its parts: fast_factor.cpp has the order of work,
// factor_update.cpp rows of U and what they take off, factor_panel.cpp pivots and columns of L.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/exact/entries/view.h"
#include "src/exact/factor/column_bounds.h"
#include "src/exact/factor/fast_factor.h"
#include "src/exact/factor/panels.h"
#include "src/exact/machine/scratch.h"
#include "src/exact/products/tiles.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/values/accumulator.h"
#include "src/exact/values/float_bits.h"

namespace reprosum::exact {

// Left-looking in blocks of columns. A block starts as its columns of A, rows in the order that the
// pivots so far give them, as pairs high + low. Each earlier block of L then brings its rows of U:
// a triangle of L makes sums into entries of U, the rest of L and those entries are subtracted from
// the rows below. At the diagonal the block is factored in halves, down to kNarrow columns. An
// entry is rounded once its sum is complete, if all numbers within the radius of its column
// (ColumnBounds) round alike, and otherwise from an exact sum; so no order of work shows. Finished
// entries of U and L stand in `high`. A itself keeps the numbers that the block started from, which
// exact sums need, until the block is stored. Workers share the columns of the block while earlier
// blocks are subtracted, each with memory of its own, and the rows of large updates afterwards.
template <class T>
class FastFactor {
 public:
  FastFactor(const Kernels* kernels, const TileKernels& tiles, const PanelKernels& loops,
             std::int64_t m, std::int64_t n, View<T> a, std::int64_t* pivots, std::int64_t block,
             int workers);

  // Products that are worth a thread's start: some 40 microseconds.
  static constexpr std::int64_t kShare = Format<T>::kDouble ? 500'000 : 1'500'000;

  // Writes the factors and pivots, and gives LAPACK's info.
  std::int64_t run();

 private:
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  static constexpr bool kSplit = Format<T>::kDouble;
  static constexpr std::int64_t kNarrow = 8, kShort = 16, kPad = 8, kGroup = 8;
  static_assert(kShort - 1 <= ColumnBounds::kSingles && kNarrow <= kShort);

  // A worker's own memory.
  struct Place {
    double *packed_a, *packed_b, *triangle;
    std::vector<T> row, column;
  };

  double* high(std::int64_t i, std::int64_t c) { return high_ + i + c * ld_; }
  double* low(std::int64_t i, std::int64_t c) { return low_ + i + c * ld_; }
  double radius(std::int64_t c) const { return poisoned_ ? kNan : bounds_.radius(c); }

  // Columns [begin, end) of the block: of A into pairs, then without what earlier blocks bring.
  void begin_columns(std::int64_t begin, std::int64_t end, Place& place);
  void load(std::int64_t begin, std::int64_t end);
  // The block's columns back into A, and its rows of earlier columns to where its pivots want them.
  void store();
  // The entry's sum over k < depth, exactly.
  Accumulator<double> exact(std::int64_t i, std::int64_t c, std::int64_t depth, Place& place);
  // The same, rounded.
  T settled(std::int64_t i, std::int64_t c, std::int64_t depth, Place& place);
  T original(std::int64_t i, std::int64_t c) const {
    return a_.at(original_[static_cast<std::size_t>(i)], first_ + c);
  }
  // +0 less zeros is +0.
  bool plainly_zero(std::int64_t i, std::int64_t c) const {
    const T value = original(i, c);
    return !poisoned_ && bounds_.untouched(c) && is_zero(value) && !std::signbit(value);
  }

  // Rows [k, k + depth) of columns [begin, end), all blocks before k subtracted, become entries of
  // U. `lower` is the unit triangle of L in these rows.
  void solve(std::int64_t k, std::int64_t depth, std::int64_t begin, std::int64_t end,
             const double* lower, std::int64_t ld, Place& place);
  // Up to 8 columns side by side, each row by single products.
  void solve_short(std::int64_t k, std::int64_t depth, std::int64_t begin, std::int64_t columns,
                   const double* lower, std::int64_t ld, Place& place);
  // Subtracts L's columns k .. k + depth, in `l` from row `from` on, times U's rows from rows
  // [from, to) of columns [begin, end). Tiles reach beyond them: what they subtract there is zero.
  // Alone, or with other workers.
  template <class S>
  void update(View<const S> l, std::int64_t from, std::int64_t to, std::int64_t k,
              std::int64_t depth, std::int64_t begin, std::int64_t end, int workers, Place& place);
  // `count` rows of L side by side for each column; beyond them are zeros.
  template <class S>
  void pack(View<const S> l, std::int64_t count, std::int64_t depth, double* out);

  // Columns [begin, begin + columns) of the block, of which all before first_ + begin is
  // subtracted.
  void factor_columns(std::int64_t begin, std::int64_t columns);
  // A few columns, one by one; their own rows change places at once, those of the block's other
  // columns afterwards.
  void factor_panel(std::int64_t begin, std::int64_t columns);
  // Rows [top, top + depth) of column c, in the panel that begins at row `top`, by single products.
  void solve_one(std::int64_t top, std::int64_t depth, std::int64_t c);
  // The panel's columns before c from c's rows below them.
  void subtract_panel(std::int64_t begin, std::int64_t c, std::int64_t depth);
  // Rounds the sums of rows j and below into rounded_.
  void round_column(std::int64_t c, std::int64_t j);
  // The first of the largest entries from row j on, rounded into rounded_. Rounding keeps order, so
  // only sums next to the largest are rounded: |v| of the others is less by more than 2^-22 of it,
  // a last place or two. Sums, h + l rounded, are off by `off` and 2^-53 of them.
  std::int64_t pivot_from(std::int64_t c, std::int64_t j);
  // The same among the rounded entries.
  std::int64_t largest_from(std::int64_t j) const;
  // Swaps the pivot into row j of the panel.
  void exchange(std::int64_t begin, std::int64_t columns, std::int64_t j, std::int64_t pivot);
  // Rows below j of the column become entries of L.
  void divide_column(std::int64_t c, std::int64_t j);

  const Kernels* kernels_;
  const TileKernel& whole_;
  const PairTile& pair_;
  const PanelKernel<T>& panel_loops_;
  const std::int64_t tile_rows_, tile_columns_, m_, n_, block_;
  const int workers_;
  const std::int64_t ld_;
  const View<T> a_;
  std::int64_t* const pivots_;
  ColumnBounds bounds_;
  // Where the row that is now at i stood in A, when the block began and when the panel began.
  std::vector<std::int64_t> original_, block_start_, panel_start_;
  std::vector<T> rounded_;
  Scratch scratch_;
  double *high_, *low_;
  std::vector<Place> places_;  // of the workers
  std::int64_t first_ = 0, width_ = 0, panel_ = 0, info_ = 0;
  bool poisoned_ = false;  // an entry of L is beyond the proof
};

}  // namespace reprosum::exact
