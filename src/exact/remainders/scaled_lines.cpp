#include "src/exact/remainders/scaled_lines.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "src/base/workers.h"
#include "src/exact/entries/line_squares.h"
#include "src/exact/remainders/remainder_kernels.h"

namespace reprosum::exact {
namespace {

ScaledLine line_of(double squares, std::int64_t depth, const Remainders& remainders) {
  const double norm = std::sqrt(squares) * (1 + 0x1p-18) + 0x1p-440;
  if (!(norm < 0x1p400)) return {std::numeric_limits<double>::quiet_NaN(), 0, 0, 0, -1};
  const int s = remainders.scale_exponent(norm, depth);
  return {norm, std::ldexp(1.0, s), std::ldexp(1.0, -s), 0, -1};
}

// Norms of what is dropped miss what is too small to be squared: only the numbers themselves tell.
bool is_whole(const ScaledLine& line, const double* from, std::int64_t depth, std::int64_t step) {
  if (line.scale == 0) return false;
  for (std::int64_t l = 0; l < depth; ++l) {
    const double y = from[l * step] * line.scale;
    if (y != std::rint(y) || y * line.unscale != from[l * step]) return false;
  }
  return true;
}

}  // namespace

std::vector<ScaledLine> scaled_lines(const Kernels* kernels, View<const double> v,
                                     std::int64_t count, std::int64_t depth,
                                     const Remainders& remainders, int workers) {
  std::vector<ScaledLine> lines(static_cast<std::size_t>(count));
  base::run_workers(workers, [&](int w) {
    const base::Share share = base::share_of(count, w, workers);
    const View<const double> part{v.first + share.begin * v.row, v.row, v.column};
    ScaledLine* const to = lines.data() + share.begin;
    for_line_squares(
        kernels, part, share.end - share.begin, depth, 128,
        [&](std::int64_t line, double all, double) { to[line] = line_of(all, depth, remainders); });
  });
  return lines;
}

bool becomes_integers(ScaledLine& line, const double* from, std::int64_t depth, std::int64_t step) {
  const std::atomic_ref<signed char> known(line.whole);
  signed char found = known.load(std::memory_order_relaxed);
  if (found < 0) {
    found = is_whole(line, from, depth, step) ? 1 : 0;
    known.store(found, std::memory_order_relaxed);
  }
  return found != 0;
}

void gather_tile(View<const double> v, const double* scales, std::int64_t count, std::int64_t depth,
                 bool of_rows, double* to) {
  if (count < kTileLines || depth < kTileDepth) std::fill_n(to, kTileDoubles, 0.0);
  const std::int64_t line_step = of_rows ? 64 : 1, four_step = of_rows ? 1 : 64;
  if (v.row == 1) {
    for (std::int64_t e = 0; e < depth; ++e) {
      const double* const from = v.first + e * v.column;
      double* const place = to + e / 4 * four_step + e % 4 * 16;
      for (std::int64_t i = 0; i < count; ++i) place[i * line_step] = from[i] * scales[i];
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      const double* const from = v.first + i * v.row;
      double* const place = to + i * line_step;
      for (std::int64_t e = 0; e < depth; ++e)
        place[e / 4 * four_step + e % 4 * 16] = from[e * v.column] * scales[i];
    }
  }
  for (std::int64_t i = 0; i < count; ++i) {  // infinities times zero
    if (scales[i] != 0) continue;
    for (std::int64_t e = 0; e < depth; ++e) to[i * line_step + e / 4 * four_step + e % 4 * 16] = 0;
  }
}

}  // namespace reprosum::exact
