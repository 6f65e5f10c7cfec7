#include "src/exact/products/fast_product.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "src/exact/entries/exact_entry.h"
#include "src/exact/entries/line_squares.h"
#include "src/exact/entries/round_entries.h"
#include "src/exact/machine/fast_counts.h"
#include "src/exact/machine/host.h"
#include "src/exact/machine/path_counts.h"
#include "src/exact/machine/scratch.h"
#include "src/exact/products/tiles.h"
#include "src/exact/remainders/remainder_product.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/values/float_bits.h"

namespace reprosum::exact {
namespace {

constexpr std::int64_t kBlockRows = 96;  // a multiple of every tile's rows
constexpr std::int64_t kPanelBytes = std::int64_t{48} << 20;
constexpr double kU = 0x1p-53;

// A row of A or a column of B: what cuts it, and bounds of the norms of it and of its low parts.
// A line that the proof does not cover has a norm that is NaN, which fails every rounding test.
struct Line {
  double anchor, norm, low_norm;
};

// `squares` of all the line, `block` the largest sum of squares of a block, both by additions that
// are off by less than 2^-20 of them, or below 2^-900. `bits` as in tiles.h.
Line line_of(double squares, double block, std::int64_t depth, int bits) {
  const double slack = 1 + 0x1p-18, widest = std::sqrt(block) * slack * slack;
  const auto field = static_cast<int>(std::bit_cast<std::uint64_t>(widest) >> 52) & 0x7ff;
  const int exponent = std::max(field - 1022, -400);  // widest < 2^exponent
  if (!std::isfinite(squares) || exponent > 400)
    return {1, std::numeric_limits<double>::quiet_NaN(), 0};
  const int unit = exponent - bits;
  return {1.5 * std::ldexp(1.0, unit + 52), std::sqrt(squares) * slack + 0x1p-440,
          std::ldexp(std::sqrt(static_cast<double>(depth)) * slack, unit - 1)};
}

template <class T>
std::vector<Line> lines_of(const Kernels* kernels, View<const T> v, std::int64_t count,
                           std::int64_t depth, int bits) {
  std::vector<Line> lines(static_cast<std::size_t>(count));
  for_line_squares(kernels, v, count, depth, kDepth,
                   [&](std::int64_t line, double all, double most) {
                     lines[static_cast<std::size_t>(line)] = line_of(all, most, depth, bits);
                   });
  return lines;
}

// Packs lines [begin, begin + wide) of a view as tiles.h has it, for all the depth; lines beyond
// `count` are zeros. `parts`: 1 x; 2 x0 and x1 in groups of `wide`; 3 x0, x1 and x for each line.
template <class T>
void pack(const Kernels* kernels, View<const T> v, const Line* lines, std::int64_t begin,
          std::int64_t count, std::int64_t wide, std::int64_t depth, int parts, double* out) {
  constexpr std::int64_t kMost = 32;
  double anchors[kMost] = {};
  const std::int64_t there = std::min(wide, count - begin);
  for (std::int64_t k = 0; k < there; ++k) anchors[k] = lines[begin + k].anchor;
  const T* const first = v.first + begin * v.row;
  const std::int64_t step = v.row, next = v.column;
  const double* const cut = anchors;
  run_vectorized(lanes_of(kernels), [=]() REPROSUM_INLINED {
    double* to = out;
    for (std::int64_t l = 0; l < depth; ++l, to += wide * parts) {
      const T* const p = first + l * next;
      for (std::int64_t k = 0; k < wide; ++k) {
        const double x = k < there ? static_cast<double>(p[k * step]) : 0.0;
        const double x0 = (x + cut[k]) - cut[k];
        if (parts == 1) {
          to[k] = x;
        } else if (parts == 2) {
          to[k] = x0;
          to[wide + k] = x - x0;
        } else {
          to[3 * k] = x0;
          to[3 * k + 1] = x - x0;
          to[3 * k + 2] = x;
        }
      }
    }
  });
}

template <class T>
class FastProduct {
 public:
  static constexpr bool kSplit = Format<T>::kDouble;

  FastProduct(const Kernels* kernels, const TileKernel& tile, const Product<T>& call)
      : kernels_(kernels),
        tile_(tile),
        call_(call),
        rows_(lines_of<T>(kernels, call.a, call.m, call.k, kBitsOfA)),
        columns_(lines_of<T>(kernels, call.b.transposed(), call.n, call.k, kBitsOfB)) {
    const std::int64_t per_column = call.k * (kSplit ? 3 : 1) * 8;
    panel_ = std::max<std::int64_t>(kPanelBytes / per_column / tile.columns, 1) * tile.columns;
    panel_ = std::min(panel_, (call.n + tile.columns - 1) / tile.columns * tile.columns);
    const std::int64_t packed_a = kBlockRows * call.k * (kSplit ? 2 : 1);
    const std::int64_t packed_b = panel_ * call.k * (kSplit ? 3 : 1);
    packed_a_ = scratch_.take(packed_a + packed_b + 2 * kBlockRows * panel_);
    packed_b_ = packed_a_ + packed_a;
    high_ = packed_b_ + packed_b;
    low_ = high_ + kBlockRows * panel_;
    // u * (the kernels' roundings, the blocks' and some), and u^2 for the sums' own lower parts.
    const auto blocks = static_cast<double>((call.k + kDepth - 1) / kDepth);
    first_order_ = ((kSplit ? 2 : 1) * kDepth + 2 * blocks + 4) * kU * 1.01;
    second_order_ = 4 * blocks * blocks * kU * kU;
  }

  void run() {
    for (std::int64_t j = 0; j < call_.n; j += panel_) {
      const std::int64_t columns = std::min(panel_, call_.n - j);
      const std::int64_t sliver = call_.k * tile_.columns * (kSplit ? 3 : 1);
      for (std::int64_t jj = 0, s = 0; jj < columns; jj += tile_.columns, ++s)
        pack<T>(kernels_, call_.b.transposed(), columns_.data(), j + jj, call_.n, tile_.columns,
                call_.k, kSplit ? 3 : 1, packed_b_ + s * sliver);
      for (std::int64_t i = 0; i < call_.m; i += kBlockRows)
        block(i, std::min(kBlockRows, call_.m - i), j, columns);
    }
  }

 private:
  void block(std::int64_t i, std::int64_t rows, std::int64_t j, std::int64_t columns) {
    constexpr int a_parts = kSplit ? 2 : 1, b_parts = kSplit ? 3 : 1;
    const std::int64_t a_sliver = call_.k * tile_.rows * a_parts;
    const std::int64_t b_sliver = call_.k * tile_.columns * b_parts;
    for (std::int64_t ii = 0, s = 0; ii < rows; ii += tile_.rows, ++s)
      pack<T>(kernels_, call_.a, rows_.data(), i + ii, call_.m, tile_.rows, call_.k, a_parts,
              packed_a_ + s * a_sliver);
    for (std::int64_t l = 0; l < call_.k; l += kDepth) {
      const std::int64_t depth = std::min(kDepth, call_.k - l);
      for (std::int64_t jj = 0, t = 0; jj < columns; jj += tile_.columns, ++t) {
        for (std::int64_t ii = 0, s = 0; ii < rows; ii += tile_.rows, ++s) {
          const std::int64_t at = ii + jj * kBlockRows;
          tile_.run(depth, packed_a_ + s * a_sliver + l * tile_.rows * a_parts,
                    packed_b_ + t * b_sliver + l * tile_.columns * b_parts, l == 0, high_ + at,
                    low_ + at, kBlockRows);
        }
      }
    }
    finish(i, rows, j, columns);
  }

  void finish(std::int64_t i, std::int64_t rows, std::int64_t j, std::int64_t columns) {
    double p[kBlockRows], q[kBlockRows];
    T before[kBlockRows] = {}, out[kBlockRows];
    for (std::int64_t k = 0; k < rows; ++k) {
      const Line& line = rows_[static_cast<std::size_t>(i + k)];
      p[k] = line.norm + (kSplit ? line.low_norm : 0);
      q[k] = kSplit ? line.low_norm : 0;
    }
    std::fill_n(copied_, kBlockRows, false);
    const bool reads_c = !is_zero(call_.beta);
    const T alpha = call_.alpha, beta = reads_c ? call_.beta : T(0);
    const double *const pp = p, *const qq = q;
    const T* const cc = before;
    T* const oo = out;
    for (std::int64_t jj = 0; jj < columns; ++jj) {
      const Line& line = columns_[static_cast<std::size_t>(j + jj)];
      const double from_p =
          kSplit ? first_order_ * line.low_norm + second_order_ * (line.norm + line.low_norm)
                 : (first_order_ + second_order_) * line.norm;
      // Also NaN where the column is not covered.
      const double from_q = first_order_ * line.norm;
      const double *const high = high_ + jj * kBlockRows, *const low = low_ + jj * kBlockRows;
      T* const c = &call_.c.at(i, j + jj);
      const std::int64_t step = call_.c.row;
      if (reads_c)
        for (std::int64_t k = 0; k < rows; ++k) before[k] = c[k * step];
      run_vectorized(lanes_of(kernels_), [=]() REPROSUM_INLINED {
        round_column(rows, alpha, beta, high, low, pp, qq, from_p, from_q, cc, oo);
      });
      for (std::int64_t k = 0; k < rows; ++k) {
        if (out[k] == out[k]) {
          c[k * step] = out[k];
        } else {
          c[k * step] = settle(i, k, j + jj);
          ++fast_counts().settled;
        }
      }
    }
    fast_counts().tried += rows * columns;
  }

  // The entry (i + k, j) by an exact sum, of a row that is copied once for a block.
  T settle(std::int64_t i, std::int64_t k, std::int64_t j) {
    // Part of the output is written by now: without memory it has to go on.
    if (copies_ == nullptr)
      copies_.reset(new (std::nothrow) T[static_cast<std::size_t>(kBlockRows * call_.k)]);
    if (copies_ == nullptr) return exact_entry(kernels_, call_, i + k, j);
    T* const copy = copies_.get() + k * call_.k;
    if (!copied_[k]) {
      for (std::int64_t l = 0; l < call_.k; ++l) copy[l] = call_.a.at(i + k, l);
      copied_[k] = true;
    }
    Product<T> one = call_;
    one.a = {copy, 0, 1};
    one.c.first += (i + k) * call_.c.row;
    return exact_entry(kernels_, one, 0, j);
  }

  const Kernels* kernels_;
  const TileKernel& tile_;
  const Product<T>& call_;
  const std::vector<Line> rows_, columns_;
  std::int64_t panel_;
  Scratch scratch_;
  double *packed_a_, *packed_b_, *high_, *low_;
  std::unique_ptr<T[]> copies_;
  bool copied_[kBlockRows];
  double first_order_, second_order_;
};

// The loops that multiply these sizes by remainders faster than tiles split them, or null. Beside
// what each multiplication takes stand a line's conversion and an entry's reconstruction: shares of
// the time that go as 1 / m + 1 / n and as 2 / k.
const RemainderKernels* remainders_worth_while(const Kernels& kernels,
                                               const Product<double>& call) {
  if (kernels.lanes != 8 || call.k > kMostDepth) return nullptr;
  const RemainderKernels* const amx = amx_remainders();
  const RemainderKernels* const loops = amx != nullptr ? amx : vnni_remainders();
  if (loops == nullptr) return nullptr;
  const double beside = 1 / static_cast<double>(call.m) + 1 / static_cast<double>(call.n) +
                        2 / static_cast<double>(call.k);
  return beside <= loops->most_beside ? loops : nullptr;
}

}  // namespace

template <class T>
bool multiply_by_splitting(const Kernels* kernels, const Product<T>& call) {
  const TileKernels* const tiles = kernels != nullptr ? tile_kernels(kernels->lanes) : nullptr;
  if (tiles == nullptr) return false;
  const TileKernel& tile = FastProduct<T>::kSplit ? tiles->split : tiles->whole;
  try {
    FastProduct<T> product(kernels, tile, call);
    product.run();
    if constexpr (FastProduct<T>::kSplit) ++path_counts().split_products;
    return true;
  } catch (const std::bad_alloc&) {
    return false;  // from the constructor, before anything was written
  }
}

namespace {

template <class T>
bool worth_trying(const Kernels* kernels, const Product<T>& call) {
  constexpr std::int64_t kLeastDepth = 8;
  if (kernels == nullptr || call.m < 4 || call.n < 4 || call.k < kLeastDepth) return false;
  const double size = std::fabs(static_cast<double>(call.alpha));
  return size >= 0x1p-200 && size <= 0x1p200;
}

}  // namespace

bool multiply_together(const Kernels* kernels, const Product<double>& call, int workers) {
  if (!worth_trying(kernels, call)) return false;
  const RemainderKernels* const loops = remainders_worth_while(*kernels, call);
  return loops != nullptr && multiply_by_remainders(kernels, *loops, call, nullptr, workers);
}

template <class T>
bool multiply_fast(const Kernels* kernels, const Product<T>& call) {
  if (!worth_trying(kernels, call)) return false;
  if constexpr (FastProduct<T>::kSplit) {
    if (multiply_together(kernels, call, 1)) return true;
  }
  return multiply_by_splitting(kernels, call);
}

template bool multiply_by_splitting(const Kernels*, const Product<float>&);
template bool multiply_by_splitting(const Kernels*, const Product<double>&);
template bool multiply_fast(const Kernels*, const Product<float>&);
template bool multiply_fast(const Kernels*, const Product<double>&);

}  // namespace reprosum::exact
