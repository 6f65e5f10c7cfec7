// Products of remainders on a matrix unit, emulated or not.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/exact/machine/room.h"
#include "src/exact/remainders/remainder_kernels.h"
#include "src/exact/remainders/tile_unit.h"

namespace reprosum::exact {

// What is done while the unit multiplies: the sums of the tiles before are reduced, and lines of
// the second-level cache are fetched: two pieces of columns, one of rows. Without branches but one.
struct Beside {
  const std::int32_t* sums = nullptr;
  std::int8_t* out = nullptr;
  std::int64_t rows = 0;  // that are left, an even number
  bool two_columns = false;
  const std::uint8_t *next_columns = nullptr, *next_rows = nullptr;

  template <class Reduce>
  [[gnu::always_inline]] void reduce_two_rows(const RemainderBlock& block, const Reduce& reduce) {
    for (int row = 0; row < 2; ++row, sums += 32, out += block.ld) {
      reduce(sums, block.adds, out);
      if (two_columns) reduce(sums + 16, block.adds, out + 16);
    }
    rows -= 2;
  }
  template <class Reduce>
  [[gnu::always_inline]] void reduce_all(const RemainderBlock& block, const Reduce& reduce) {
    while (rows > 0) reduce_two_rows(block, reduce);
  }
  [[gnu::always_inline]] void fetch(std::int64_t tile, std::int64_t line) const {
    const std::uint8_t* const columns = next_columns + tile * 64;
    __builtin_prefetch(columns, 0, 2);
    __builtin_prefetch(columns + line, 0, 2);
    __builtin_prefetch(next_rows + tile * 128, 0, 2);
    __builtin_prefetch(next_rows + tile * 128 + 64, 0, 2);
  }
};

// kRows x kColumns blocks of 16 x 16 sums in tiles 0 to 3; blocks of A pass through tiles 4 and 5,
// of B through 6 and 7. B's will be loaded again soon, A's not before all others.
template <int kRows, int kColumns, class Unit, class Reduce>
[[gnu::always_inline]] inline void multiply_in_tiles(Unit& unit, const RemainderBlock& block,
                                                     const std::uint8_t* a, const std::uint8_t* b,
                                                     std::int32_t* sums, Beside& beside,
                                                     const Reduce& reduce) {
  constexpr bool kTwoRows = kRows == 2, kTwoColumns = kColumns == 2;
  const std::int64_t line = block.line, tiles = block.tiles;
  unit.template zero<0>();
  if constexpr (kTwoColumns) unit.template zero<1>();
  if constexpr (kTwoRows) unit.template zero<2>();
  if constexpr (kTwoRows && kTwoColumns) unit.template zero<3>();
  for (std::int64_t l = 0; l < tiles; ++l, a += kTileBytes, b += kTileBytes) {
    unit.template load<6>(b, 64);
    unit.template load_once<4>(a, 64);
    unit.template multiply<0, 4, 6>();
    if constexpr (kTwoColumns) {
      unit.template load<7>(b + line, 64);
      unit.template multiply<1, 4, 7>();
    }
    if constexpr (kTwoRows) {
      unit.template load_once<5>(a + line, 64);
      unit.template multiply<2, 5, 6>();
    }
    if constexpr (kTwoRows && kTwoColumns) unit.template multiply<3, 5, 7>();
    beside.fetch(l, line);
    if (beside.rows > 0) beside.reduce_two_rows(block, reduce);
  }
  beside.reduce_all(block, reduce);
  constexpr std::int64_t kStride = 32 * 4;
  unit.template store<0>(sums, kStride);
  if constexpr (kTwoColumns) unit.template store<1>(sums + 16, kStride);
  if constexpr (kTwoRows) unit.template store<2>(sums + 16 * 32, kStride);
  if constexpr (kTwoRows && kTwoColumns) unit.template store<3>(sums + 16 * 32 + 16, kStride);
}

// As RemainderKernels::multiply, on a configured unit. reduce(sums, adds, out) reduces 16 sums, and
// what out holds where `adds`. Two blocks of columns stay in the first-level cache while all rows
// pass; the next two are fetched meanwhile, and a share of the rows that come after these.
template <class Unit, class Reduce>
void multiply_with_room(Unit& unit, const Reduce reduce, const RemainderBlock& of,
                        std::int32_t* sums) {
  const RemainderBlock block = of;
  const std::int64_t column_pairs = (block.column_blocks + 1) / 2;
  const std::int64_t share = (block.row_blocks + column_pairs - 1) / column_pairs;
  Beside beside;
  int turn = 0;
  for (std::int64_t j = 0; j < block.column_blocks; j += 2) {
    const std::uint8_t* const columns = block.b + j * block.line;
    for (std::int64_t i = 0; i < block.row_blocks; i += 2, turn ^= 1) {
      const std::uint8_t* const rows = block.a + i * block.line;
      std::int32_t* const to = sums + turn * 32 * 32;
      const bool two_rows = block.row_blocks - i >= 2, two_columns = block.column_blocks - j >= 2;
      // A sixteenth of two blocks' tiles of columns, an eighth of a block's of rows; or what is
      // there.
      const std::int64_t part = i / 2, row_block = j / 2 * share + part / 8;
      beside.next_columns = j + 4 <= block.column_blocks && part < 16
                                ? columns + 2 * block.line + part * block.tiles * 64
                                : columns;
      beside.next_rows =
          block.next_rows != nullptr && part / 8 < share && row_block < block.row_blocks
              ? block.next_rows + row_block * block.line + part % 8 * block.tiles * 128
              : columns;
      if (two_rows && two_columns)
        multiply_in_tiles<2, 2>(unit, block, rows, columns, to, beside, reduce);
      else if (two_rows)
        multiply_in_tiles<2, 1>(unit, block, rows, columns, to, beside, reduce);
      else if (two_columns)
        multiply_in_tiles<1, 2>(unit, block, rows, columns, to, beside, reduce);
      else
        multiply_in_tiles<1, 1>(unit, block, rows, columns, to, beside, reduce);
      beside.sums = to;
      beside.out = block.out + i * 16 * block.ld + j * 16;
      beside.rows = two_rows ? 32 : 16;
      beside.two_columns = two_columns;
    }
  }
  beside.reduce_all(block, reduce);
}
template <class Unit, class Reduce>
void multiply_by_tiles(Unit& unit, const Reduce reduce, const RemainderBlock& of) {
  with_room<std::int32_t, 2 * 32 * 32>(
      [&](std::int32_t* sums) { multiply_with_room(unit, reduce, of, sums); });
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
    tiles.template load_once<5>(a.bytes, 64);
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
