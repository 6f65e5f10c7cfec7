#include "src/exact/products/fast_gemv.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>

#include "src/exact/machine/fast_counts.h"
#include "src/exact/machine/host.h"
#include "src/exact/machine/scratch.h"
#include "src/exact/products/gemv_entries.h"
#include "src/exact/products/tiles.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/values/float_bits.h"

#if defined(__x86_64__)
#include "src/exact/products/capped_gemv.h"
#endif

namespace reprosum::exact {
namespace {

constexpr double kU = 0x1p-53;
// What magnitudes may be for the proofs: below 2^kMostExponent. Smaller ones than its inverse are
// taken to be as large as that.
constexpr int kMostExponent = 400;

// Doubles, by sums that are anchored (anchored_strips.h). x is scaled by 2^-scale, where the sums'
// path through a block is at most 2^(scale - 1) long: the exponents of the largest |a| and of the
// largest sum of |x| that a lane has, and one more. That of |a| is a guess, and is made right where
// the premise does not hold. All the error of a row, beside sums of size 1, with blocks of n_b
// terms and m terms at most in a lane: the sum of n_b ((m + 1) / 2 + 9) u^2 by the blocks, and two
// roundings for each block as they are added to `low`. That is at most u (1 + 2^-20) (k + the sum
// of |high| so far, of at most 2 for each block).
class AnchoredVector {
 public:
  AnchoredVector(const Kernels* kernels, const TileKernels& tiles, const Product<double>& call)
      : kernels_(kernels), strips_(tiles.anchored), lanes_(tiles.lanes), call_(call) {
    by_rows_ = call.a.column == 1;
    lead_ = lead();
    const std::int64_t pad = by_rows_ ? (lanes_ - lead_) % lanes_ : 0;
    padded_ = (pad + call.k + kMostLanes - 1) / kMostLanes * kMostLanes;
    if (!by_rows_ && call.m > kNearColumns / call.k) ask_ = reading.columns;
    height_ = ask_ == Ask::kSameColumns ? kTallStripHeight : kStripHeight;
    double* const x = scratch_.take(padded_ + 4 * height_ + kStripRoom + kStripHeight);
    sizes_ = x + padded_ + 4 * height_ + kStripRoom;
    high_ = x + padded_;
    low_ = high_ + height_;
    room_ = low_ + height_;
    x_ = x + pad;
    std::fill_n(x, padded_, 0.0);
    for (std::int64_t l = 0; l < call.k; ++l) x_[l] = call.b.at(l, 0);
    const double path = longest_path(x) * (1 + 0x1p-16);
    path_exponent_ = std::max(exponent_above(path), -kMostExponent);
    const std::int64_t block = by_rows_ ? kRowBlock : kColumnBlock;
    const auto blocks = static_cast<double>((call.k + block - 1) / block);
    const std::int64_t length = std::min(block, call.k);
    const auto chain = static_cast<double>(by_rows_ ? length / lanes_ + 2 : length);
    const auto depth = static_cast<double>(call.k);
    const double in_blocks = depth * ((chain + 1) / 2 + 9);
    const double between = 2 * blocks * (depth + blocks * (blocks + 1));
    radius_ = (in_blocks + between) * (kU * kU * 1.01) + 0x1p-600;
    covered_ = path_exponent_ <= kMostExponent &&
               scale_for(guessed_exponent(kernels, call, kMostExponent));
  }

  bool covered() const { return covered_; }

  void run() {
    for (std::int64_t i = 0; i < call_.m;) {
      std::int64_t count = std::min(height_, call_.m - i);
      if (by_rows_) {
        rows(i, count);
        finish(kernels_, call_, i, count, high_, low_, sizes_, radius_);
      } else {
        // Strips after the first begin where a vector does.
        const std::int64_t lead = i == 0 ? lead_ : 0;
        if (count == height_ && lead > 0) count = height_ - lanes_ + lead;
        scale_back(count, trusted(i, count, [&] { return columns(i, count, lead); }));
        for (std::int64_t r = 0; r < count; r += kStripHeight)
          finish(kernels_, call_, i + r, std::min(kStripHeight, count - r), high_ + r, low_ + r,
                 sizes_, radius_);
      }
      i += count;
    }
  }

 private:
  static constexpr std::int64_t kMostLanes = 8;
  // Elements of a matrix up to which columns are not asked for in advance, 14 MiB, and up to which
  // few rows are summed together, 4 MiB.
  static constexpr std::int64_t kNearColumns = (std::int64_t{14} << 20) / sizeof(double);
  static constexpr std::int64_t kNearRows = (std::int64_t{4} << 20) / sizeof(double);

  // Elements or rows before the first that lies at the start of a vector.
  std::int64_t lead() const {
    const auto beyond = reinterpret_cast<std::uintptr_t>(call_.a.first) / sizeof(double) %
                        static_cast<std::uintptr_t>(lanes_);
    return (lanes_ - static_cast<std::int64_t>(beyond)) % lanes_;
  }

  // The largest sum of |x| that a running sum sees, rounded, and so off by less than 2^-20 of it:
  // that of one lane in a block of rows, to which lanes from `padded` on fit but for the elements
  // before the first whole vector, or of a block of columns.
  double longest_path(const double* padded) const {
    static_assert(kRowBlock % kMostLanes == 0 && kColumnBlock % kMostLanes == 0);
    double lane_sums[kMostLanes], longest = 0;
    double* const sums = lane_sums;
    const std::int64_t block = by_rows_ ? kRowBlock : kColumnBlock;
    for (std::int64_t begin = 0; begin < padded_; begin += block) {
      const std::int64_t count = std::min(block, padded_ - begin);
      const double* const from = padded + begin;
      run_vectorized(lanes_of(kernels_), [=]() REPROSUM_INLINED {
        for (std::int64_t k = 0; k < kMostLanes; ++k) sums[k] = 0;
        for (std::int64_t l = 0; l < count; l += kMostLanes)
          for (std::int64_t k = 0; k < kMostLanes; ++k) sums[k] += std::fabs(from[l + k]);
      });
      for (std::int64_t k = by_rows_ ? lanes_ : 1; k < kMostLanes; ++k)
        sums[by_rows_ ? k - lanes_ : 0] += sums[k];
      for (const double sum : lane_sums) longest = sum > longest || sum != sum ? sum : longest;
    }
    double most = 0;
    for (std::int64_t l = 0; by_rows_ && l < std::min(lead_, call_.k); ++l)
      most = std::max(most, std::fabs(x_[l]));
    return longest + most;
  }

  // Scales x for |a| < 2^exponent; false if that is not exact.
  bool scale_for(int exponent) {
    exponent_ = exponent;
    const int scale = exponent + path_exponent_ + 1;
    const double factor = std::ldexp(1.0, -scale), back = std::ldexp(1.0, scale);
    size_ = back;
    const double* const from = call_.b.first;
    const std::int64_t step = call_.b.row, count = call_.k;
    double* const to = x_;
    bool same = true;
    bool* const all_same = &same;
    run_vectorized(lanes_of(kernels_), [=]() REPROSUM_INLINED {
      std::int64_t differ = 0;
      for (std::int64_t l = 0; l < count; ++l) {
        const double x = from[l * step];
        to[l] = x * factor;
        differ += to[l] * back != x ? 1 : 0;
      }
      *all_same = differ == 0;
    });
    return same;
  }

  // Runs a loop over rows, again if the guess was too low. Gives the size of sums of 1, or NaN if
  // the sums are not to be trusted.
  template <class Loop>
  double trusted(std::int64_t begin, std::int64_t count, Loop&& loop) {
    if (loop()) return size_;
    const int needed = exponent_above(largest_element(kernels_, call_, begin, count));
    if (needed > kMostExponent || needed <= exponent_ || !scale_for(needed)) return kNan;
    ++fast_counts().rescaled;
    return loop() ? size_ : kNan;
  }

  void rows(std::int64_t begin, std::int64_t count) {
    double high[kMostStripRows], low[kMostStripRows];
    // Lines far from the core are waited for, asked for or not: more rows wait together.
    const bool far = call_.m >= strips_.far_rows && call_.m > kNearRows / call_.k;
    const std::int64_t together = far ? strips_.far_rows : kStripRows;
    const auto sum = far ? strips_.rows_together : strips_.rows;
    for (std::int64_t i = begin; i < begin + count; i += together) {
      // The last strip may begin before its turn; only its new rows are kept.
      const std::int64_t first = std::min(i, call_.m - together);
      const double size = trusted(first, together, [&] {
        return sum(call_.k, lead_, &call_.a.at(first, 0), call_.a.row, x_, high, low);
      });
      for (std::int64_t r = i - first; r < together; ++r) {
        high_[first + r - begin] = high[r] * size;
        low_[first + r - begin] = low[r] * size;
        sizes_[first + r - begin] = size;
      }
    }
  }

  bool columns(std::int64_t begin, std::int64_t count, std::int64_t lead) {
    std::fill_n(high_, count, 0.0);
    std::fill_n(low_, count, 0.0);
    bool held = true;
    for (std::int64_t l = 0; l < call_.k && held; l += kColumnBlock) {
      held = strips_.columns(count, lead, l, std::min(call_.k, l + kColumnBlock), ask_,
                             &call_.a.at(begin, 0), call_.a.column, x_, room_, high_, low_);
    }
    return held;
  }

  // Rows of columns, whose sums are all of one size.
  void scale_back(std::int64_t count, double size) {
    for (std::int64_t k = 0; k < count; ++k) high_[k] *= size, low_[k] *= size;
    std::fill_n(sizes_, std::min(count, kStripHeight), size);
  }

  const Kernels* kernels_;
  const AnchoredStrips& strips_;
  const std::int64_t lanes_;
  const Product<double>& call_;
  bool by_rows_ = false, covered_ = false;
  std::int64_t lead_ = 0, padded_ = 0;
  Scratch scratch_;
  Ask ask_ = Ask::kNothing;
  std::int64_t height_ = kStripHeight;
  double *x_ = nullptr, *high_ = nullptr, *low_ = nullptr, *room_ = nullptr;
  double* sizes_ = nullptr;  // kStripHeight: of each row's sums
  int path_exponent_ = 0, exponent_ = 0;
  double size_ = 0, radius_ = 0;
};

// Floats that CappedVector does not cover, by sums of their products in double: they err by at most
// u times the longest chain of additions times sum |a x|, of which |a| is taken to be as large as
// the largest that the loop saw.
class WideVector {
 public:
  WideVector(const Kernels* kernels, const TileKernels& tiles, const Product<float>& call)
      : kernels_(kernels), strips_(tiles.wide), call_(call), by_rows_(call.a.column == 1) {
    x_ = scratch_.take(call.k + 3 * kStripHeight);
    sums_ = x_ + call.k;
    low_ = sums_ + kStripHeight;
    sizes_ = low_ + kStripHeight;
    double all = 0;
    for (std::int64_t l = 0; l < call.k; ++l) {
      x_[l] = static_cast<double>(call.b.at(l, 0));
      all += std::fabs(x_[l]);
    }
    covered_ = std::isfinite(all);
    const std::int64_t block = by_rows_ ? kWideRowBlock : kWideColumnBlock;
    const auto blocks = static_cast<double>((call.k + block - 1) / block);
    const std::int64_t length =
        by_rows_ ? kWideRowBlock / tiles.lanes + 1 + tiles.lanes : kWideColumnBlock;
    const double chain = (static_cast<double>(length) + 2 * blocks + 4) * kU * 1.01;
    radius_ = chain * all * (1 + 0x1p-16);
  }

  bool covered() const { return covered_; }

  void run() {
    for (std::int64_t i = 0; i < call_.m; i += kStripHeight) {
      const std::int64_t count = std::min(kStripHeight, call_.m - i);
      std::fill_n(low_, count, 0.0);
      if (by_rows_)
        rows(i, count);
      else
        columns(i, count);
      finish(kernels_, call_, i, count, sums_, low_, sizes_, radius_);
    }
  }

 private:
  void rows(std::int64_t begin, std::int64_t count) {
    double sums[kStripRows];
    for (std::int64_t i = begin; i < begin + count; i += kStripRows) {
      const std::int64_t first = std::min(i, call_.m - kStripRows);
      double largest = 0;
      strips_.rows(call_.k, &call_.a.at(first, 0), call_.a.row, x_, sums, &largest);
      for (std::int64_t r = i - first; r < kStripRows; ++r) {
        sums_[first + r - begin] = sums[r];
        sizes_[first + r - begin] = largest;
      }
    }
  }

  void columns(std::int64_t begin, std::int64_t count) {
    double largest = 0;
    std::fill_n(sums_, count, 0.0);
    for (std::int64_t l = 0; l < call_.k; l += kWideColumnBlock) {
      strips_.columns(count, l, std::min(call_.k, l + kWideColumnBlock), &call_.a.at(begin, 0),
                      call_.a.column, x_, sums_, &largest);
    }
    std::fill_n(sizes_, count, largest);
  }

  const Kernels* kernels_;
  const WideStrips& strips_;
  const Product<float>& call_;
  const bool by_rows_;
  bool covered_ = false;
  Scratch scratch_;
  double *x_ = nullptr, *sums_ = nullptr, *low_ = nullptr;
  double* sizes_ = nullptr;
  double radius_ = 0;
};

}  // namespace

template <class T>
bool multiply_vector_fast(const Kernels* kernels, const Product<T>& call) {
  using Vector = std::conditional_t<Format<T>::kDouble, AnchoredVector, WideVector>;
  if (kernels == nullptr || call.n != 1 || call.m < kStripRows || call.k < 8) return false;
  const TileKernels* const tiles = tile_kernels(kernels->lanes);
  const double size = std::fabs(static_cast<double>(call.alpha));
  if (tiles == nullptr || !(size >= 0x1p-200 && size <= 0x1p200)) return false;
  if (call.a.column != 1 && call.a.row != 1) return false;
  try {
#if defined(__x86_64__)
    if constexpr (!Format<T>::kDouble) {
      CappedVector product(kernels, call);
      if (product.covered()) {
        product.run();
        return true;
      }
    }
#endif
    Vector product(kernels, *tiles, call);
    if (!product.covered()) return false;
    product.run();
    return true;
  } catch (const std::bad_alloc&) {
    return false;  // from the constructor, before anything was written
  }
}

template bool multiply_vector_fast(const Kernels*, const Product<float>&);
template bool multiply_vector_fast(const Kernels*, const Product<double>&);

}  // namespace reprosum::exact
