// The loops of products by remainders, one set for each kind of instructions.
#pragma once

#include <cstdint>

#include "src/exact/machine/path_counts.h"
#include "src/exact/remainders/remainders.h"

namespace reprosum::exact {

// Remainders lie in tiles of 16 lines by 64 elements, 1024 bytes. Tiles of rows: 16 runs of 64
// bytes, a run being one row. Tiles of columns: 16 runs of 64 bytes, a run being four elements of
// each of 16 columns, column by column. Tiles along a line follow one another.
inline constexpr std::int64_t kTileLines = 16, kTileDepth = 64, kTileBytes = 1024;
// Doubles that become a tile: for each run, those of bytes 0, 4, 8 ... of it, then of 1, 5 ...
inline constexpr std::int64_t kTileDoubles = kTileLines * kTileDepth;

// A product of remainders by one modulus: of 16 * row_blocks rows and 16 * column_blocks columns,
// of which `tiles` tiles each are multiplied; blocks of lines are `line` bytes apart.
struct RemainderBlock {
  std::int64_t row_blocks, column_blocks, tiles, line;
  const std::uint8_t *a, *b;
  const std::uint8_t* next_rows;  // what will soon be read in place of a, or null
  std::int8_t* out;               // row-major, rows ld apart
  std::int64_t ld;
  bool adds;  // to what out holds, reduced sums of tiles before these
};

// How large blocks of one product are made: what suits the caches.
struct RemainderBlocking {
  std::int64_t rows, columns;  // multiples of kTileLines
  std::int64_t tiles;          // of depth, that are multiplied at once
};

struct RemainderKernels {
  const char* name;
  std::int64_t PathCounts::*calls;
  double most_beside;    // faster than splitting where 1 / m + 1 / n + 2 / k is at most this
  double settling_cost;  // of an entry's exact sum, beside its products modulo one number
  RemainderBlocking blocking;
  // A tile's numbers as convert() wants them, times scales of the 16 lines: elements are next_step
  // apart, lines line_step; one of the steps is 1. May be null.
  void (*gather)(const double* from, std::int64_t line_step, std::int64_t next_step,
                 const double* scales, bool of_rows, double* to);
  // One tile for each modulus, `stride` bytes apart, of scaled numbers below 2^78, rounded to
  // nearest. To `dropped`, 16 x 16 numbers, is added, for each place in a run of 16 doubles, the
  // sum over the four of a run of squares of what the rounding dropped.
  void (*convert)(const double* scaled, bool of_rows, const Remainders& remainders,
                  std::uint8_t* out, std::int64_t stride, double* dropped);
  // Reduced as remainders.h has it. @pre tiles * kTileDepth <= kMostDepth
  void (*multiply)(const RemainderBlock& block, const Modulus& modulus);
  // high + low is the integer that the reduced products stand for, times 2^-P.exponent * scale *
  // scales[j], for j < count, a multiple of 16. Planes of one modulus each are `stride` apart.
  void (*combine)(std::int64_t count, const std::int8_t* planes, std::int64_t stride,
                  const Remainders& remainders, double scale, const double* scales, double* high,
                  double* low);
};

// Portable code, for comparison: it is slower than the other ways of gemm.
extern const RemainderKernels kPortableRemainders;

// AVX-512 VNNI, and AMX-INT8; null where this machine or its system has them not, or where the tile
// unit does not do what its emulation does (amx_unit.h).
const RemainderKernels* vnni_remainders();
const RemainderKernels* amx_remainders();

}  // namespace reprosum::exact
