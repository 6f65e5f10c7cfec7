#include "src/exact/remainders/remainder_product.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <vector>

#include "src/base/workers.h"
#include "src/exact/entries/open_entries.h"
#include "src/exact/entries/round_entries.h"
#include "src/exact/machine/fast_counts.h"
#include "src/exact/machine/host.h"
#include "src/exact/machine/path_counts.h"
#include "src/exact/machine/room.h"
#include "src/exact/machine/scratch.h"
#include "src/exact/remainders/remainder_choice.h"
#include "src/exact/remainders/scaled_lines.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/values/float_bits.h"
#include "src/exact/values/triple.h"

namespace reprosum::exact {
namespace {

// Beyond what planes of one modulus each take: so that what all of them have at one place does not
// share a set of the caches.
constexpr std::int64_t kApart = 192;
constexpr std::int64_t kMostColumns = 512;  // of a block
// What rows and columns may take at once.
constexpr std::int64_t kRowBytes = std::int64_t{64} << 20, kColumnBytes = std::int64_t{160} << 20;

// What a worker has of its own: its columns' reduced sums, and entries that wait.
struct Desk {
  OpenEntries open;
  std::int8_t* reduced = nullptr;
};

class RemainderProduct {
 public:
  RemainderProduct(const Kernels* kernels, const RemainderKernels& loops,
                   const Product<double>& call, const Remainders& remainders, int workers)
      : kernels_(kernels),
        loops_(loops),
        call_(call),
        remainders_(remainders),
        workers_(workers),
        rows_(scaled_lines(kernels, call.a, call.m, call.k, remainders, workers)),
        columns_(scaled_lines(kernels, call.b.transposed(), call.n, call.k, remainders, workers)),
        tiles_((call.k + kTileDepth - 1) / kTileDepth),
        line_block_(tiles_ * kTileBytes) {
    block_rows_ = lines(std::min(loops.blocking.rows, fitting(kRowBytes)), call.m);
    a_plane_ = block_rows_ / kTileLines * line_block_ + kApart;
    // Each panel converts A once more. Two panels that fit the memory that is kept take less time
    // than fresh memory for one.
    const std::int64_t most_columns = std::min(loops.blocking.columns, kMostColumns);
    const std::int64_t kept = fitting(
        Scratch::kMostKept - (a_plane_ + block_rows_ * most_columns * workers) * remainders.count);
    panel_ = lines(2 * kept >= call.n + 2 * kTileLines ? kept : fitting(kColumnBytes), call.n);
    block_columns_ = lines(most_columns, (panel_ + workers - 1) / workers);
    b_plane_ = panel_ / kTileLines * line_block_ + kApart;
    sum_plane_ = block_rows_ * block_columns_ + kApart;
    const std::int64_t a_bytes = a_plane_ * remainders.count, b_bytes = b_plane_ * remainders.count;
    const std::int64_t sums = sum_plane_ * remainders.count;
    double* const memory = scratch_.take((a_bytes + b_bytes + sums * workers) / 8);
    a_ = reinterpret_cast<std::uint8_t*>(memory);
    b_ = a_ + a_bytes;
    auto* reduced = reinterpret_cast<std::int8_t*>(b_ + b_bytes);
    for (int w = 0; w < workers; ++w)
      desks_.push_back({OpenEntries(kernels, call), reduced + w * sums});
  }

  void run() {
    for (std::int64_t j = 0; j < call_.n; j += panel_) {
      const std::int64_t columns = std::min(panel_, call_.n - j);
      share([&](int w) {
        convert(call_.b.transposed(), columns_, j, columns, false, b_, b_plane_, w);
      });
      for (std::int64_t i = 0; i < call_.m; i += block_rows_) {
        const std::int64_t rows = std::min(block_rows_, call_.m - i);
        share([&](int w) { convert(call_.a, rows_, i, rows, true, a_, a_plane_, w); });
        share([&](int w) {
          const base::Share mine = base::share_of(blocks_of(columns), w, workers_);
          const std::int64_t end = std::min(mine.end * kTileLines, columns);
          for (std::int64_t jj = mine.begin * kTileLines; jj < end; jj += block_columns_)
            block(desks_[static_cast<std::size_t>(w)], i, rows, j + jj,
                  std::min(block_columns_, end - jj), b_ + jj / kTileLines * line_block_);
        });
      }
    }
    share([&](int w) { desks_[static_cast<std::size_t>(w)].open.sum(); });
  }

 private:
  template <class Body>
  void share(const Body& body) {
    base::run_workers(workers_, body);
  }

  static std::int64_t blocks_of(std::int64_t lines) {
    return (lines + kTileLines - 1) / kTileLines;
  }
  // Lines that become so many bytes.
  std::int64_t fitting(std::int64_t bytes) const {
    return bytes / (line_block_ * remainders_.count) * kTileLines;
  }
  // At most so many of the lines that there are, whole blocks, at least one of them: shares of
  // about the same size.
  static std::int64_t lines(std::int64_t most, std::int64_t there) {
    const std::int64_t blocks = blocks_of(there),
                       at_once = std::max<std::int64_t>(most / kTileLines, 1);
    const std::int64_t shares = (blocks + at_once - 1) / at_once;
    return kTileLines * ((blocks + shares - 1) / shares);
  }

  void convert(View<const double> v, std::vector<ScaledLine>& all, std::int64_t begin,
               std::int64_t count, bool of_rows, std::uint8_t* out, std::int64_t plane, int w) {
    with_room<double, kTileDoubles + 16 * 16>([&](double* scaled) {
      convert_in(scaled, scaled + kTileDoubles, v, all, begin, count, of_rows, out, plane, w);
    });
  }
  void convert_in(double* scaled, double* dropped, View<const double> v,
                  std::vector<ScaledLine>& all, std::int64_t begin, std::int64_t count,
                  bool of_rows, std::uint8_t* out, std::int64_t plane, int w) {
    alignas(64) double scales[kTileLines];
    const base::Share mine = base::share_of(blocks_of(count), w, workers_);
    for (std::int64_t block = mine.begin; block < mine.end; ++block) {
      const std::int64_t first = begin + block * kTileLines;
      const std::int64_t here = std::min(kTileLines, begin + count - first);
      ScaledLine* const lines = &all[static_cast<std::size_t>(first)];
      bool whole = loops_.gather != nullptr && here == kTileLines && (v.row == 1 || v.column == 1);
      for (std::int64_t i = 0; i < here; ++i) {
        scales[i] = lines[i].scale;
        whole = whole && scales[i] != 0;
      }
      std::fill_n(dropped, 16 * 16, 0.0);
      for (std::int64_t l = 0; l < tiles_; ++l) {
        const View<const double> part{v.first + first * v.row + l * kTileDepth * v.column, v.row,
                                      v.column};
        const std::int64_t depth = std::min(kTileDepth, call_.k - l * kTileDepth);
        if (whole && depth == kTileDepth)
          loops_.gather(part.first, part.row, part.column, scales, of_rows, scaled);
        else
          gather_tile(part, scales, here, depth, of_rows, scaled);
        loops_.convert(scaled, of_rows, remainders_, out + block * line_block_ + l * kTileBytes,
                       plane, dropped);
      }
      double squares[kTileLines] = {};
      for (std::int64_t run = 0; run < 16; ++run)
        for (std::int64_t lane = 0; lane < 16; ++lane)
          squares[of_rows ? run : lane] += dropped[run * 16 + lane];
      // Sums of at most kMostDepth squares, any of which, and the scaled numbers, may underflow.
      for (std::int64_t i = 0; i < here; ++i) {
        lines[i].dropped = (std::sqrt(squares[i]) * (1 + 0x1p-30) + 0x1p-500) * lines[i].unscale;
        if (squares[i] > 0) lines[i].whole = 0;
      }
    }
  }

  void block(Desk& desk, std::int64_t i, std::int64_t rows, std::int64_t j, std::int64_t columns,
             const std::uint8_t* b) {
    std::int8_t* const all_reduced = desk.reduced;
    const std::int64_t plane = sum_plane_;
    for (int t = 0; t < remainders_.count; ++t) {
      RemainderBlock part{};
      part.row_blocks = blocks_of(rows);
      part.column_blocks = blocks_of(columns);
      part.line = line_block_;
      part.out = all_reduced + t * plane;
      part.ld = block_columns_;
      const std::int64_t at_once = loops_.blocking.tiles;
      for (std::int64_t l = 0; l < tiles_; l += at_once) {
        part.tiles = std::min(at_once, tiles_ - l);
        part.a = a_ + t * a_plane_ + l * kTileBytes;
        part.b = b + t * b_plane_ + l * kTileBytes;
        part.adds = l != 0;
        part.next_rows = l + at_once < tiles_        ? part.a + at_once * kTileBytes
                         : t + 1 < remainders_.count ? a_ + (t + 1) * a_plane_
                                                     : nullptr;
        loops_.multiply(part, remainders_.moduli[static_cast<std::size_t>(t)]);
      }
    }
    with_room<double, 7 * kMostColumns>(
        [&](double* room) { round_block(desk, i, rows, j, columns, room); });
    fast_counts().tried += rows * columns;
  }

  // The entries of a block from their remainders.
  void round_block(Desk& desk, std::int64_t i, std::int64_t rows, std::int64_t j,
                   std::int64_t columns, double* room) {
    std::int8_t* const all_reduced = desk.reduced;
    const std::int64_t plane = sum_plane_;
    // What was dropped of a product's factors, beside kRemainderError of the norms' product:
    // norms times dropped ones, and dropped ones' product.
    double *const unscale = room, *const p = room + kMostColumns, *const q = p + kMostColumns,
                  *const high = q + kMostColumns, *const low = high + kMostColumns,
                  *const before = low + kMostColumns, *const out = before + kMostColumns;
    std::fill_n(unscale, kMostColumns, 0.0);
    std::fill_n(before, kMostColumns, 0.0);
    for (std::int64_t k = 0; k < columns; ++k) {
      const ScaledLine& line = columns_[static_cast<std::size_t>(j + k)];
      unscale[k] = line.unscale;
      p[k] = line.norm + line.dropped;
      q[k] = line.dropped;
    }
    const bool reads_c = !is_zero(call_.beta);
    const double alpha = call_.alpha, beta = reads_c ? call_.beta : 0;
    const double *const pp = p, *const qq = q, *const h = high, *const l = low, *const cc = before;
    double* const oo = out;
    const std::int64_t step = call_.c.column;
    for (std::int64_t r = 0; r < rows; ++r) {
      const ScaledLine& line = rows_[static_cast<std::size_t>(i + r)];
      loops_.combine(kTileLines * blocks_of(columns), all_reduced + r * block_columns_, plane,
                     remainders_, std::ldexp(line.unscale, remainders_.exponent), unscale, high,
                     low);
      const double from_p = line.dropped + kRemainderError * line.norm, from_q = line.norm;
      double* const c = &call_.c.at(i + r, j);
      if (reads_c)
        for (std::int64_t k = 0; k < columns; ++k) before[k] = c[k * step];
      std::int64_t left = 0;
      std::int64_t* const all_left = &left;
      run_vectorized(lanes_of(kernels_), [=]() REPROSUM_INLINED {
        round_column(columns, alpha, beta, h, l, pp, qq, from_p, from_q, cc, oo);
        std::int64_t unknown = 0;
        for (std::int64_t k = 0; k < columns; ++k) unknown += oo[k] != oo[k] ? 1 : 0;
        *all_left = unknown;
      });
      if (left == 0 && step == 1) {
        std::copy_n(out, columns, c);
        continue;
      }
      for (std::int64_t k = 0; k < columns; ++k) {
        if (out[k] == out[k])
          c[k * step] = out[k];
        else if (!settle(i + r, j + k, all_reduced + r * block_columns_ + k, plane))
          desk.open.add(i + r, j + k);
      }
    }
  }

  // An entry that the test leaves, from its integer where that is all of it, as happens to ties of
  // numbers of few bits. An integer that is zero does not say its sign. False: it takes a sum.
  bool settle(std::int64_t i, std::int64_t j, const std::int8_t* reduced, std::int64_t plane) {
    ScaledLine& row = rows_[static_cast<std::size_t>(i)];
    ScaledLine& column = columns_[static_cast<std::size_t>(j)];
    if (!becomes_integers(row, &call_.a.at(i, 0), call_.k, call_.a.column) ||
        !becomes_integers(column, &call_.b.at(0, j), call_.k, call_.b.row))
      return false;
    std::int64_t limbs[kLimbs];
    remainders_.integer(reduced, plane, limbs);
    Accumulator<double> sum;
    // Each limb, below 2^56, as two doubles; 2^-(s + t) is at least 2^-1034, so they are exact.
    const int unit = std::ilogb(row.unscale) + std::ilogb(column.unscale);
    for (int h = 0; h < kLimbs; ++h) {
      const std::int64_t low = limbs[h] % (std::int64_t{1} << 20);
      sum.add(std::ldexp(static_cast<double>(limbs[h] - low), kLimbBits * h + unit));
      sum.add(std::ldexp(static_cast<double>(low), kLimbBits * h + unit));
    }
    if (is_zero(sum.words())) return false;
    double& c = call_.c.at(i, j);
    c = scaled_sum<double>(call_.alpha, sum, call_.beta, is_zero(call_.beta) ? nullptr : &c, 0,
                           nullptr, 0, nullptr, 0);
    return true;
  }

  const Kernels* kernels_;
  const RemainderKernels& loops_;
  const Product<double>& call_;
  const Remainders& remainders_;
  const int workers_;
  std::vector<ScaledLine> rows_, columns_;
  std::vector<Desk> desks_;
  const std::int64_t tiles_, line_block_;  // of depth; bytes of a block of lines
  std::int64_t block_rows_, block_columns_, panel_, a_plane_, b_plane_, sum_plane_;
  Scratch scratch_;
  std::uint8_t *a_, *b_;
};

}  // namespace

bool multiply_by_remainders(const Kernels* kernels, const RemainderKernels& loops,
                            const Product<double>& call, const Remainders* moduli, int workers) {
  if (call.k > kMostDepth) return false;
  // Rows of the output are written: let them be what lies side by side.
  const Product<double> across = {call.n,
                                  call.m,
                                  call.k,
                                  call.alpha,
                                  call.b.transposed(),
                                  call.a.transposed(),
                                  call.beta,
                                  {call.c.first, call.c.column, call.c.row}};
  const bool by_columns = call.c.row == 1 && call.c.column != 1;
  try {
    const Remainders& used =
        moduli != nullptr ? *moduli : remainders_for_data(kernels, call, loops.settling_cost);
    RemainderProduct product(kernels, loops, by_columns ? across : call, used, workers);
    product.run();
    ++(path_counts().*loops.calls);
    return true;
  } catch (const std::bad_alloc&) {
    return false;  // from the constructor, before anything was written
  }
}

}  // namespace reprosum::exact
