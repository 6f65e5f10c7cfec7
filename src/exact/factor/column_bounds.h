// Bounds for a column of sums a_ij - (l_i1 u_1j + l_i2 u_2j + ...), |l| <= 1, that are kept as
// pairs high + low. They hold for all rows of the column and decide how far rounding tests can
// trust a pair.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/exact/sums/pairs.h"

namespace reprosum::exact {

// u = 2^-53. `most` is the largest |a_ij|, `sum` that of |u_kj| so far; so |high| <= Q = (most +
// sum) * (1 + 2^-30), which counts the rounding of high by fewer than 2^20 blocks. |low| <= `low`,
// and high + low is off by at most `off`.
//
// A block of d products (pairs.h) with s = sum of its |u_kj| and anchor 1.5 * 2^e brings an L of at
// most d * 2^(e-53) (1 + 2^-40) that is off by its bound; the error of the exact sum into high is
// at most u * Q, and what low becomes is rounded twice, each time by at most u times its new bound.
// Floats: L is 0, and high's sum of exact products itself off by at most u times its running sums,
// which are at most those of |u_kj|: these added up are its `path`, at most d * s. Their roundings
// and those of the bounds are at most d^2 * u of it.
//
// Single products (at most kSingles in a row, the numbers of a pair kept apart): p = l u rounded
// and its exact error e go to high and low in the same way: low grows by at most 2 u Q, and is
// rounded twice, by at most u * (low + 2 u Q) in all for the first and u * low for the second.
//
// Each bound is computed with roundings that are far below its slack of 2^-20. Underflow of all
// products adds less than 2^-1000.
class ColumnBounds {
 public:
  static constexpr int kSingles = 15;
  static constexpr double kU = 0x1p-53, kRange = 0x1p400, kSlack = 1 + 0x1p-20;

  explicit ColumnBounds(std::int64_t columns) : all_(static_cast<std::size_t>(columns)) {}

  void start(std::int64_t c, double most) { at(c) = {most, 0, 0, 0}; }
  void add_factor(std::int64_t c, double u) { at(c).sum += std::fabs(u); }
  // Are all u_kj zeros so far?
  bool untouched(std::int64_t c) const { return all_[static_cast<std::size_t>(c)].sum == 0; }

  // An anchor for a block with that sum; 1.02 and its rounding leave kAnchored.
  static double anchor(double s) {
    if (!(s <= kRange)) return 1.5;  // add_block sees to it that it is not trusted
    const auto field = static_cast<int>(std::bit_cast<std::uint64_t>(s * 1.02) >> 52) & 0x7ff;
    return anchor_of(std::max(field - 1021, -400));
  }
  // `path` is zero for doubles, that of a block of floats else.
  void add_block(std::int64_t c, std::int64_t depth, double s, double anchor, double path) {
    Bounds& b = at(c);
    const auto d = static_cast<double>(depth);
    const double unit = anchor * kU * (1.0 / 1.5);  // 2^(e-53)
    b.low += kU * (b.most + b.sum) * kSlack + (path > 0 ? 0 : d * unit * kSlack);
    b.off += (path > 0 ? kU * path : (d * d / 2 + 2 * d) * kU * unit) * kSlack + 2 * kU * b.low;
    if (!(s <= kRange)) b.off = std::numeric_limits<double>::quiet_NaN();
  }

  // How far high + low may be off after blocks and up to kSingles single products: 0 if nothing was
  // subtracted, NaN if the numbers are beyond the proof.
  double radius(std::int64_t c) const {
    const Bounds& b = all_[static_cast<std::size_t>(c)];
    return radius_of(b.most, b.sum, b.low, b.off);
  }
  [[gnu::always_inline]] static double radius_of(double most, double sum, double low, double off) {
    const double q = (most + sum) * kSlack;
    const double grown = low + (2 * kSingles + 2) * kU * q;
    const double r = (off + 2 * kSingles * kU * grown) * kSlack + 0x1p-1000;
    const double trusted = q <= kRange ? r : std::numeric_limits<double>::quiet_NaN();
    return sum == 0 ? 0 : trusted;
  }

  // The bounds of columns c .. c + 7 side by side, for loops over single products; set_sum() takes
  // each `sum` back.
  struct Eight {
    double most[8], sum[8], low[8], off[8];
  };
  Eight eight(std::int64_t c) const {
    Eight out;
    for (std::size_t q = 0; q < 8; ++q) {
      const Bounds& b = all_[static_cast<std::size_t>(c) + q];
      out.most[q] = b.most, out.sum[q] = b.sum, out.low[q] = b.low, out.off[q] = b.off;
    }
    return out;
  }
  void set_sum(std::int64_t c, double sum) { at(c).sum = sum; }

 private:
  struct Bounds {
    double most, sum, low, off;
  };
  Bounds& at(std::int64_t c) { return all_[static_cast<std::size_t>(c)]; }
  std::vector<Bounds> all_;
};

}  // namespace reprosum::exact
