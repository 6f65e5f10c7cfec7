// Bounds of a triangular system's sums of magnitudes by norms (solves.h): what the rows to come
// have of columns that are not in their A yet.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "src/exact/solve/solves.h"

namespace reprosum::exact {

class RowNorms {
 public:
  // N of each row, and room for 8 more; belongs to the caller.
  void keep_in(double* norms) { norms_ = norms; }
  double* of(std::int64_t row) { return norms_ + row; }

  void begin(std::int64_t rows) {
    std::fill_n(norms_, rows, 0.0);
    forget();
    spread_ = false;
  }

  // A column's size of x, and |x|.
  void note(double size, double component) {
    if (size > 0) size = std::max(size, kLeastNormed);
    ++columns_;
    sizes_ += size;
    squares_ += size * size;
    block_sizes_ += size;
    block_components_ += component;
  }
  // Errors begin to outgrow the components of a block: a closer A is worth its time then.
  void end_block() {
    spread_ = spread_ || block_sizes_ > 8 * block_components_;
    block_sizes_ = block_components_ = 0;
  }
  bool spread() const { return spread_; }
  bool complete() const { return spread_ || columns_ >= kNormColumns; }

  // Into one row's A, or into those of all rows to come.
  void add_to(std::int64_t row, double& size) {
    size += root() * std::sqrt(norms_[row]) + more();
    norms_[row] = 0;
  }
  void add_to_all(AddNorms add, std::int64_t first, std::int64_t count, double* sizes) {
    add(count, root(), more(), norms_ + first, sizes + first);
    forget();
  }

 private:
  double root() const { return std::sqrt(squares_) * kNormRoundings; }
  double more() const { return kLeastNormed * sizes_; }
  void forget() {
    columns_ = 0;
    sizes_ = squares_ = block_sizes_ = block_components_ = 0;
  }

  double* norms_ = nullptr;
  std::int64_t columns_ = 0;
  double sizes_ = 0, squares_ = 0, block_sizes_ = 0, block_components_ = 0;
  bool spread_ = false;
};

}  // namespace reprosum::exact
