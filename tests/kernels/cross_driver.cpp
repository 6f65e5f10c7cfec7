// Calls kernels that were made on another machine and prints their results as bits. Built by a
// cross compiler with a table of the kernels (aarch64_test.cpp), run in an emulator; it needs no
// library of ours.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <vector>

#include "cross_rows.h"

namespace {

template <class T>
void print(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  std::printf("%" PRIx64 "\n", bits);
}

template <class T, class Result>
void sums(const CrossRow& row) {
  using Single = Result (*)(const T*, const T*, std::int64_t);
  using Strided = Result (*)(const T*, std::int64_t, const T*, std::int64_t, std::int64_t);
  using Batch = void (*)(const T*, std::int64_t, const T*, std::int64_t, std::int64_t, T*);
  for (const int n : cross_lengths(row)) {
    const CrossVectors<T> data(row, n);
    const T *const x = data.x(0), *const y = row.has_y ? data.y(0) : nullptr;
    std::vector<T> out(static_cast<std::size_t>(row.rows));
    if (row.kind == CrossRow::single)
      out[0] = static_cast<T>(reinterpret_cast<Single>(row.function)(x, y, n));
    else if (row.kind == CrossRow::strided)
      out[0] = static_cast<T>(
          reinterpret_cast<Strided>(row.function)(x, data.incx(), y, data.incy(), n));
    else
      reinterpret_cast<Batch>(row.function)(x, data.ldx(), y, data.ldy(), n, out.data());
    for (const T value : out) print(value);
  }
}

template <class T>
void tile(const CrossRow& row) {
  CrossTile<T> made(row);
  reinterpret_cast<void (*)(const void*)>(row.function)(made.call());
  for (const T value : made.c()) print(value);
}

}  // namespace

int main() {
  for (int k = 0; k < cross_row_count; ++k) {
    const CrossRow& row = cross_rows[k];
    if (row.kind == CrossRow::tile)
      row.is_f32 ? tile<float>(row) : tile<double>(row);
    else if (!row.is_f32)
      sums<double, double>(row);
    else
      row.is_wide ? sums<float, double>(row) : sums<float, float>(row);
  }
}
