#include "src/exact/fast_gemv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "src/exact/fast_counts.h"
#include "src/exact/float_bits.h"
#include "src/exact/host.h"
#include "src/exact/round_entries.h"
#include "src/exact/scratch.h"
#include "src/exact/tiles.h"

namespace reprosum::exact {
namespace {

constexpr double kU = 0x1p-53;

// value < 2^exponent. @pre value is finite and at least 0
int exponent_above(double value) {
  return (static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff) - 1022;
}

// With all |a| <= 2^E, a cut to a multiple of 2^(E - bits), and x cut to a multiple of 2^h where a
// block of x has sum |x| (1 + 2^-18) <= 2^(53 - bits + h): partial sums of a0 x0 are multiples of
// 2^(E - bits + h) of at most 2^E * sum |x0| <= 2^(53 + E - bits + h), and so exact, in any order.
// The rest is as in tiles.h with sum |a0 x1| + |a1 x| <= 2^E sum |x1| + 2^(E - bits - 1) sum |x|
// and the longest chain of additions in place of 2 * kDepth. E is a guess, and holds if the largest
// |a| that the loop saw does not exceed it; a NaN or an infinity in a row makes its sums NaN.
// Floats are not cut: their chain is of products' sums.
template <class T>
class FastVector {
 public:
  static constexpr bool kSplit = Format<T>::kDouble;

  FastVector(const Kernels* kernels, const TileKernels& tiles, const Product<T>& call, bool by_rows)
      : kernels_(kernels), call_(call), by_rows_(by_rows) {
    if constexpr (kSplit)
      strip_ = &tiles.strip;
    else
      strip_ = &tiles.float_strip;
    const std::int64_t k = call.k;
    const std::int64_t block = by_rows ? kRowBlock : kColumnBlock;
    parts_ = scratch_.take(3 * k + 2 * kStripHeight);
    high_ = parts_ + 3 * k;
    low_ = high_ + kStripHeight;
    bits_ = by_rows ? 22 : 24;
    double widest = 0, all = 0, low_parts = 0;
    for (std::int64_t begin = 0; begin < k; begin += block) {
      double sum = 0;
      for (std::int64_t l = begin; l < std::min(k, begin + block); ++l)
        sum += std::fabs(static_cast<double>(call.b.at(l, 0)));
      widest = std::max(widest, sum);
      all += sum;
    }
    const double slack = 1 + 0x1p-16;
    const int exponent = std::isfinite(all) ? exponent_above(widest * slack) : 5000;
    covered_ = exponent <= 400;
    if (!covered_) return;
    const double cut = 1.5 * std::ldexp(1.0, std::max(exponent, -400) - 53 + bits_ + 52);
    for (std::int64_t l = 0; l < k; ++l) {
      const auto x = static_cast<double>(call.b.at(l, 0));
      const double x0 = kSplit ? (x + cut) - cut : x;
      parts_[l] = x0;
      parts_[k + l] = x - x0;
      parts_[2 * k + l] = x;
      low_parts += std::fabs(x - x0);
    }
    const auto blocks = static_cast<double>((k + block - 1) / block);
    const std::int64_t length = by_rows ? kRowBlock / tiles.lanes + 1 + tiles.lanes : kColumnBlock;
    const double chain =
        (static_cast<double>((kSplit ? 2 : 1) * length) + 2 * blocks + 4) * kU * 1.01;
    const double from_low =
        kSplit ? low_parts * slack + std::ldexp(all * slack, -bits_ - 1) : all * slack;
    relative_ = chain * from_low + 4 * blocks * blocks * kU * kU * all * slack;
  }

  bool covered() const { return covered_; }

  void run() {
    guess();
    for (std::int64_t i = 0; i < call_.m; i += kStripHeight) {
      const std::int64_t count = std::min(kStripHeight, call_.m - i);
      if (by_rows_) {
        rows(i, count);
      } else {
        const double size = bounded([&] { return columns(i, count); });
        std::fill_n(sizes_, count, size);
      }
      finish(i, count);
    }
  }

 private:
  // From some elements of the first row or column.
  void guess() {
    double most = 0;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(call_.m, 64); ++i) {
      for (std::int64_t l = 0; l < std::min<std::int64_t>(call_.k, 8); ++l) {
        const double value = std::fabs(static_cast<double>(call_.a.at(i, l)));
        if (std::isfinite(value)) most = std::max(most, value);
      }
    }
    exponent_ = std::clamp(exponent_above(most), -400, 400);
  }

  double anchor() const { return 1.5 * std::ldexp(1.0, exponent_ - bits_ + 52); }

  // Runs a loop that gives its largest |a|, again if the guess was too low. Gives 2^E, or NaN if
  // the sums are not to be trusted.
  template <class Loop>
  double bounded(Loop&& loop) {
    double largest = loop();
    if (std::isfinite(largest) && largest > std::ldexp(1.0, exponent_)) {
      exponent_ = exponent_above(largest);
      if (exponent_ <= 400) largest = loop();
    }
    const double size = std::ldexp(1.0, exponent_);
    return exponent_ <= 400 && largest <= size ? size : std::numeric_limits<double>::quiet_NaN();
  }

  void rows(std::int64_t begin, std::int64_t count) {
    double high[kStripRows], low[kStripRows];
    for (std::int64_t i = begin; i < begin + count; i += kStripRows) {
      // The last strip may begin before its turn; only its new rows are kept.
      const std::int64_t first = std::min(i, call_.m - kStripRows);
      const double size = bounded([&] {
        double largest = 0;
        strip_->rows(call_.k, call_.a.first + first * call_.a.row, call_.a.row, parts_, anchor(),
                     high, low, &largest);
        return largest;
      });
      for (std::int64_t r = i - first; r < kStripRows; ++r) {
        high_[first + r - begin] = high[r];
        low_[first + r - begin] = low[r];
        sizes_[first + r - begin] = size;
      }
    }
  }

  double columns(std::int64_t begin, std::int64_t count) {
    double largest = 0;
    std::fill_n(high_, 2 * kStripHeight, 0.0);
    for (std::int64_t l = 0; l < call_.k; l += kColumnBlock) {
      strip_->columns(count, l, std::min(call_.k, l + kColumnBlock), call_.k,
                      call_.a.first + begin * call_.a.row, call_.a.column, parts_, anchor(), high_,
                      low_, &largest);
    }
    return largest;
  }

  void finish(std::int64_t begin, std::int64_t count) {
    double zeros[kStripHeight];
    T before[kStripHeight] = {}, out[kStripHeight];
    std::fill_n(zeros, count, 0.0);
    const bool reads_c = !is_zero(call_.beta);
    if (reads_c)
      for (std::int64_t k = 0; k < count; ++k) before[k] = call_.c.at(begin + k, 0);
    const T alpha = call_.alpha, beta = reads_c ? call_.beta : T(0);
    const double radius = relative_;
    const double *const high = high_, *const low = low_, *const sizes = sizes_, *const none = zeros;
    const T* const cc = before;
    T* const oo = out;
    run_vectorized(kernels_, [=]() REPROSUM_INLINED {
      round_column(count, alpha, beta, high, low, sizes, none, radius, 0.0, cc, oo);
    });
    for (std::int64_t k = 0; k < count; ++k) {
      const bool proven = out[k] == out[k];
      call_.c.at(begin + k, 0) = proven ? out[k] : exact_entry(kernels_, call_, begin + k, 0);
      fast_counts().settled += !proven;
    }
    fast_counts().tried += count;
  }

  const Kernels* kernels_;
  const Product<T>& call_;
  const bool by_rows_;
  const StripKernel<T>* strip_ = nullptr;
  Scratch scratch_;
  double *parts_ = nullptr, *high_ = nullptr, *low_ = nullptr;
  double sizes_[kStripHeight];  // of each row's bound
  int bits_ = 0, exponent_ = 0;
  bool covered_ = false;
  double relative_ = 0;  // the radius, of |a| <= 1
};

}  // namespace

template <class T>
bool multiply_vector_fast(const Kernels* kernels, const Product<T>& call) {
  if (kernels == nullptr || call.n != 1 || call.m < kStripRows || call.k < 8) return false;
  const TileKernels* const tiles = tile_kernels(kernels->lanes);
  const double size = std::fabs(static_cast<double>(call.alpha));
  if (tiles == nullptr || !(size >= 0x1p-200 && size <= 0x1p200)) return false;
  const bool by_rows = call.a.column == 1;
  if (!by_rows && call.a.row != 1) return false;
  try {
    FastVector<T> product(kernels, *tiles, call, by_rows);
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
