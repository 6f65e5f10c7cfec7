// gemv of floats by sums in double whose bound is that they are finite (capped_strips.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/exact/machine/scratch.h"
#include "src/exact/products/capped_strips.h"
#include "src/exact/products/gemv_entries.h"

namespace reprosum::exact {

// x is scaled by 2^scale: so that |a| < 2^exponent, which is a guess and made right where sums are
// not finite, keeps sums below 2^1024; but to 2^1024 itself at most. Small |a| leave the sums below
// 2^(1024 - kMostLoss) then, and the bound wider than it need be: those are not covered.
class CappedVector {
 public:
  CappedVector(const Kernels* kernels, const Product<float>& call)
      : kernels_(kernels),
        strips_(kernels->lanes == 8 && kernels->converts_slowly ? kAvx512CappedStrips
                                                                : kAvx2CappedStrips),
        call_(call),
        by_rows_(call.a.column == 1) {
    // x, and room for its floats if they do not lie side by side.
    const std::int64_t copied = call.b.row == 1 ? 0 : (call.k + 1) / 2;
    const std::int64_t whole_lines = (call.k + 7) / 8 * 8;
    x_ = scratch_.take(whole_lines + kCappedHeight + copied);
    sums_ = x_ + whole_lines;
    floats_ = call.b.first;
    if (copied > 0) {
      auto* const to = reinterpret_cast<float*>(sums_ + kCappedHeight);
      for (std::int64_t l = 0; l < call.k; ++l) to[l] = call.b.at(l, 0);
      floats_ = to;
    }
    constexpr auto kStride = kCappedTiledStride / static_cast<std::int64_t>(sizeof(float));
    tiled_ = call.a.column <= kStride && !matrix_beyond(kCappedTiled);
    if (matrix_beyond(kCappedNearColumns)) ask_ = reading.columns;
    measure();
    const std::int64_t block = by_rows_ ? kCappedBlock : kCappedColumns;
    const std::int64_t chains = by_rows_ ? kCappedMostChains : 1;
    const auto sums = static_cast<double>((call.k + block - 1) / block * chains);
    const double between = by_rows_ ? 8 * sums * (sums + 1) + 112 * sums : sums * (sums + 1);
    radius_ = (static_cast<double>(call.k) + between) * 0x1.01p-54;
    if (!by_rows_ && call.k >= kHopefulDepth) hope_ = kHope;
    covered_ = std::isfinite(path_) && scale_for(guessed_exponent(kernels, call, kMostExponent));
  }

  bool covered() const { return covered_; }

  void run() {
    try_hope();
    const std::int64_t height = by_rows_ ? kStripHeight : kCappedHeight;
    for (std::int64_t i = 0; i < call_.m; i += height) {
      const std::int64_t count = std::min(height, call_.m - i);
      if (by_rows_)
        rows(i, count);
      else
        columns(i, count);
      fast_counts().capped += count;
      for (std::int64_t r = 0; r < count; r += kStripHeight)
        finish(kernels_, call_, i + r, std::min(kStripHeight, count - r), sums_ + r,
               radius_ * size_);
    }
  }

 private:
  static constexpr int kMostExponent = 200, kMostLoss = 4, kMostScale = 1070;
  // Sums whose terms have both signs stay that much below what they could be. A bound as much
  // closer is worth a look at kTrialRows of the first columns where an exact sum means to gather a
  // long row.
  static constexpr int kHope = 2;
  static constexpr std::int64_t kHopefulDepth = 1024, kTrialRows = 16;
  static constexpr double kMostPath = 0x1p200;  // sums of finite floats are smaller

  bool matrix_beyond(std::int64_t bytes) const {
    return call_.m > bytes / static_cast<std::int64_t>(sizeof(float)) / call_.k;
  }

  // Vectors of a length that AVX2 has as well.
  typedef double Doubles __attribute__((vector_size(sizeof(double) * kCappedLanes)));
  typedef float Floats __attribute__((vector_size(sizeof(float) * kCappedLanes)));
  typedef std::int32_t Integers __attribute__((vector_size(sizeof(float) * kCappedLanes)));

  // The largest |x|, and the largest sum of |x| that a running sum sees, rounded: NaN or infinite
  // if an x is. Sizes are compared as integers, which takes one operation.
  void measure() {
    const float* const from = floats_;
    const std::int64_t count = call_.k, block = by_rows_ ? kCappedBlock : kCappedColumns;
    for (std::int64_t begin = 0; begin < count; begin += block) {
      const std::int64_t end = std::min(count, begin + block);
      double sums[kCappedLanes];
      float largest[kCappedLanes];
      double* const all = sums;
      float* const most = largest;
      run_vectorized(lanes_of(kernels_), [=]() REPROSUM_INLINED {
        Doubles sum[2] = {};
        Integers greatest{};
        const auto look = [&](int k, const float* x, std::int64_t n) REPROSUM_INLINED {
          Integers size{};
          __builtin_memcpy(&size, x, static_cast<std::size_t>(n) * sizeof(float));
          size &= std::numeric_limits<std::int32_t>::max();
          greatest = greatest < size ? size : greatest;
          Floats floats;
          __builtin_memcpy(&floats, &size, sizeof floats);
          sum[k] += __builtin_convertvector(floats, Doubles);
        };
        std::int64_t l = begin;
        for (; l + 2 * kCappedLanes <= end; l += 2 * kCappedLanes) {
          look(0, from + l, kCappedLanes);
          look(1, from + l + kCappedLanes, kCappedLanes);
        }
        for (; l < end; l += kCappedLanes) look(0, from + l, std::min(kCappedLanes, end - l));
        sum[0] += sum[1];
        __builtin_memcpy(all, &sum[0], sizeof sum[0]);
        __builtin_memcpy(most, &greatest, sizeof greatest);
      });
      double whole = 0, lane = 0;
      for (std::int64_t k = 0; k < kCappedLanes; ++k) {
        whole += sums[k];
        lane = std::max(lane, sums[k]);
        largest_x_ = std::max(largest_x_, static_cast<double>(largest[k]));
      }
      path_ = whole <= kMostPath ? std::max(path_, by_rows_ ? lane : whole) : kNan;
      if (path_ != path_) return;
    }
  }

  bool scale_for(int exponent) {
    const int fitting = 1024 - exponent - exponent_above(path_);
    const int scale = std::min({fitting + hope_, 1024 - exponent_above(largest_x_), kMostScale});
    if (fitting - scale > kMostLoss) return false;
    exponent_ = exponent;
    size_ = power_of_two(1024 - scale);
    back_ = power_of_two(-scale);
    const double half = power_of_two(scale / 2), other = power_of_two(scale - scale / 2);
    const float* const from = floats_;
    const std::int64_t count = call_.k;
    double* const to = x_;
    run_vectorized(lanes_of(kernels_), [=]() REPROSUM_INLINED {
      std::int64_t l = 0;
      for (; l + kCappedLanes <= count; l += kCappedLanes) {
        Floats floats;
        __builtin_memcpy(&floats, from + l, sizeof floats);
        const Doubles scaled = __builtin_convertvector(floats, Doubles) * half * other;
        __builtin_memcpy(to + l, &scaled, sizeof scaled);
      }
      for (; l < count; ++l) to[l] = static_cast<double>(from[l]) * half * other;
    });
    return true;
  }

  // Runs a loop that gives a strip's sums, again if the guess was too low for some of them. Those
  // that are not finite after that are not to be trusted.
  template <class Loop>
  void trusted(std::int64_t begin, std::int64_t count, Loop&& loop) {
    loop();
    bool held = finite(count);
    if (!held && hope_ != 0) {
      despair();
      ++fast_counts().rescaled;
      loop();
      held = finite(count);
    }
    if (!held) {
      const int needed = exponent_above(largest_element(kernels_, call_, begin, count));
      if (needed > kMostExponent || needed <= exponent_ || !scale_for(needed)) return;
      ++fast_counts().rescaled;
      loop();
    }
  }
  // What is covered with hope is covered without.
  void despair() {
    hope_ = 0;
    scale_for(exponent_);
  }
  // Leaves the hope to data that use at most half of what it gives them.
  void try_hope() {
    if (hope_ == 0) return;
    const std::int64_t count = std::min(kTrialRows, call_.m);
    std::fill_n(sums_, count, 0.0);
    add_columns(0, count, 0);
    const bool holds =
        std::all_of(sums_, sums_ + count, [&](double sum) { return std::fabs(sum) <= size_ / 2; });
    if (!holds) despair();
  }

  // False if one of the sums is not finite.
  bool finite(std::int64_t count) const {
    const double* const sums = sums_;
    double nothing = 0;
    double* const to = &nothing;
    run_vectorized(lanes_of(kernels_), [=]() REPROSUM_INLINED {
      Doubles zeros[2] = {};
      std::int64_t r = 0;
      for (; r + 2 * kCappedLanes <= count; r += 2 * kCappedLanes) {
        for (int k = 0; k < 2; ++k) {
          Doubles some;
          __builtin_memcpy(&some, sums + r + k * kCappedLanes, sizeof some);
          zeros[k] += some - some;
        }
      }
      double all = 0;
      for (; r < count; ++r) all += sums[r] - sums[r];
      for (int k = 0; k < kCappedLanes; ++k) all += zeros[0][k] + zeros[1][k];
      *to = all;
    });
    return nothing == 0;
  }

  void rows(std::int64_t begin, std::int64_t count) {
    const std::int64_t together = call_.m < kCappedRows        ? kCappedFewRows
                                  : matrix_beyond(kCappedNear) ? kCappedRows
                                                               : strips_.near_rows;
    trusted(begin, count, [&] {
      const std::int64_t groups = count / together, grouped = groups * together;
      sum_groups(together, groups, begin, sums_);
      if (grouped == count) return;
      // The last rows begin before their turn; only new ones are kept.
      double sums[kCappedRows];
      const std::int64_t first = std::min(begin + grouped, call_.m - together);
      sum_groups(together, 1, first, sums);
      for (std::int64_t r = grouped; r < count; ++r) sums_[r] = sums[begin + r - first];
    });
  }
  void sum_groups(std::int64_t together, std::int64_t groups, std::int64_t first, double* sums) {
    strips_.rows(together, groups, call_.k, &call_.a.at(first, 0), call_.a.row, x_, back_, sums);
  }

  void columns(std::int64_t begin, std::int64_t count) {
    trusted(begin, count, [&] {
      std::fill_n(sums_, count, 0.0);
      for (std::int64_t l = 0; l < call_.k; l += kCappedColumns) add_columns(begin, count, l);
    });
  }
  void add_columns(std::int64_t begin, std::int64_t count, std::int64_t l) {
    const std::int64_t end = std::min(call_.k, l + kCappedColumns);
    const float* const a = &call_.a.at(begin, 0);
    const std::int64_t stride = call_.a.column;
    if (tiled_)
      strips_.tiles(count, l, end, a, stride, x_, back_, sums_);
    else
      strips_.columns(matrix_beyond(kCappedNear) ? strips_.far_width : kCappedWidth, count, l, end,
                      call_.k, ask_, a, stride, x_, back_, sums_);
  }

  const Kernels* kernels_;
  const CappedStrips& strips_;
  const Product<float>& call_;
  const bool by_rows_;
  bool covered_ = false, tiled_ = false;
  Ask ask_ = Ask::kNothing;
  Scratch scratch_;
  double *x_ = nullptr, *sums_ = nullptr;
  const float* floats_ = nullptr;  // x, side by side
  double path_ = 0, largest_x_ = 0;
  int exponent_ = 0, hope_ = 0;
  double size_ = 0, back_ = 0, radius_ = 0;
};

}  // namespace reprosum::exact
