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
  for (const int n : kCrossLengths) {
    const std::vector<T> x = cross_data<T>(row.seed, 3 * n), y = cross_data<T>(row.seed + 1, 3 * n);
    const T* const second = row.has_y ? y.data() : nullptr;
    if (row.kind == CrossRow::strided) {
      using Function = Result (*)(const T*, std::int64_t, const T*, std::int64_t, std::int64_t);
      const auto call = reinterpret_cast<Function>(row.function);
      print(static_cast<T>(call(x.data() + 3 * (n - 1), -3, second, 2, n)));
    } else {
      using Function = Result (*)(const T*, const T*, std::int64_t);
      print(static_cast<T>(reinterpret_cast<Function>(row.function)(x.data(), second, n)));
    }
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
