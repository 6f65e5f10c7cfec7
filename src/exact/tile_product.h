// Products of remainders on a matrix unit, emulated or not.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/exact/remainder_kernels.h"
#include "src/exact/tile_unit.h"

namespace reprosum::exact {

// The sums of the tiles before, which are reduced while the unit multiplies the next ones.
struct PendingSums {
  const std::int32_t* sums = nullptr;
  std::int16_t* out = nullptr;
  std::int64_t row = 0, rows = 0, columns = 0, ld = 0;

  template <class Reduce>
  void reduce_rows(std::int64_t count, const Modulus& modulus, const Reduce& reduce) {
    for (const std::int64_t end = std::min(rows, row + count); row < end; ++row)
      reduce(columns, sums + row * 32, modulus, out + row * ld);
  }
};

// kRows x kColumns blocks of 16 x 16 sums in tiles 0 to 3; blocks of A pass through tiles 4 and 5,
// of B through 6 and 7. `line` is the bytes of a block; between() runs once for each of `tiles`.
template <int kRows, int kColumns, class Unit, class Between>
void multiply_in_tiles(Unit& unit, std::int64_t tiles, const std::uint8_t* a, const std::uint8_t* b,
                       std::int32_t* sums, const Between& between) {
  constexpr bool kTwoRows = kRows == 2, kTwoColumns = kColumns == 2;
  const std::int64_t line = tiles * kTileBytes;
  unit.template zero<0>();
  if constexpr (kTwoColumns) unit.template zero<1>();
  if constexpr (kTwoRows) unit.template zero<2>();
  if constexpr (kTwoRows && kTwoColumns) unit.template zero<3>();
  for (std::int64_t l = 0; l < tiles; ++l, a += kTileBytes, b += kTileBytes) {
    unit.template load<6>(b, 64);
    unit.template load<4>(a, 64);
    unit.template multiply<0, 4, 6>();
    if constexpr (kTwoColumns) {
      unit.template load<7>(b + line, 64);
      unit.template multiply<1, 4, 7>();
    }
    if constexpr (kTwoRows) {
      unit.template load<5>(a + line, 64);
      unit.template multiply<2, 5, 6>();
    }
    if constexpr (kTwoRows && kTwoColumns) unit.template multiply<3, 5, 7>();
    between();
  }
  constexpr std::int64_t kStride = 32 * 4;
  unit.template store<0>(sums, kStride);
  if constexpr (kTwoColumns) unit.template store<1>(sums + 16, kStride);
  if constexpr (kTwoRows) unit.template store<2>(sums + 16 * 32, kStride);
  if constexpr (kTwoRows && kTwoColumns) unit.template store<3>(sums + 16 * 32 + 16, kStride);
}

// As RemainderKernels::multiply, on a configured unit. reduce(count, sums, modulus, out) reduces
// the sums of a row.
template <class Unit, class Reduce>
void multiply_by_tiles(Unit& unit, const Reduce& reduce, std::int64_t tiles,
                       std::int64_t row_blocks, std::int64_t column_blocks, const std::uint8_t* a,
                       const std::uint8_t* b, const Modulus& modulus, std::int16_t* out,
                       std::int64_t ld) {
  alignas(64) std::int32_t sums[2][32 * 32];
  const std::int64_t line = tiles * kTileBytes, rows_each = (32 + tiles - 1) / tiles;
  PendingSums pending;
  const auto between = [&] { pending.reduce_rows(rows_each, modulus, reduce); };
  int turn = 0;
  for (std::int64_t j = 0; j < column_blocks; j += 2) {
    for (std::int64_t i = 0; i < row_blocks; i += 2, turn ^= 1) {
      const std::uint8_t *const rows = a + i * line, *const columns = b + j * line;
      std::int32_t* const to = sums[turn];
      const bool two_rows = row_blocks - i >= 2, two_columns = column_blocks - j >= 2;
      if (two_rows && two_columns)
        multiply_in_tiles<2, 2>(unit, tiles, rows, columns, to, between);
      else if (two_rows)
        multiply_in_tiles<2, 1>(unit, tiles, rows, columns, to, between);
      else if (two_columns)
        multiply_in_tiles<1, 2>(unit, tiles, rows, columns, to, between);
      else
        multiply_in_tiles<1, 1>(unit, tiles, rows, columns, to, between);
      pending = {to, out + i * 16 * ld + j * 16, 0, two_rows ? 32 : 16, two_columns ? 32 : 16, ld};
    }
  }
  pending.reduce_rows(pending.rows, modulus, reduce);
}

// Does `unit` do what EmulatedTiles does? Products of whole tiles, bytes of every size, added to
// zeros and to numbers whose sums wrap.
template <class Unit>
bool does_as_emulated(Unit& unit) {
  struct alignas(64) Tile {
    std::uint8_t bytes[kTileBytes];
  };
  Tile a, b, start;
  std::uint32_t state = 1;
  for (Tile* const tile : {&a, &b, &start}) {
    for (std::uint8_t& byte : tile->bytes) {
      state = state * 1664525 + 1013904223;
      byte = static_cast<std::uint8_t>(state >> 24);
    }
  }
  const auto run = [&](auto& tiles, Tile* out) {
    tiles.configure(whole_tiles());
    tiles.template load<3>(start.bytes, 64);
    tiles.template load<5>(a.bytes, 64);
    tiles.template load<7>(b.bytes, 64);
    tiles.template multiply<3, 5, 7>();
    tiles.template multiply<3, 5, 7>();
    tiles.template zero<2>();
    tiles.template multiply<2, 5, 7>();
    tiles.template store<3>(out[0].bytes, 64);
    tiles.template store<2>(out[1].bytes, 64);
    tiles.release();
  };
  EmulatedTiles emulated;
  Tile wanted[2] = {}, got[2] = {};
  run(emulated, wanted);
  run(unit, got);
  return std::memcmp(wanted, got, sizeof wanted) == 0;
}

}  // namespace reprosum::exact
