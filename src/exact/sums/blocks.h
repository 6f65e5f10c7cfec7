// Vectors of any type and increment, block by block, as doubles side by side.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/exact/machine/room.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/sums/ladder.h"
#include "src/exact/values/float_bits.h"

namespace reprosum::exact {

// Below this number of terms they are added one by one.
inline constexpr std::int64_t kFewest = 24;

inline const Kernels* best_kernels() {
  const auto all = kernels_of_this_host();
  return all.empty() ? nullptr : all.front();
}

// body(begin, count) for each block.
template <class Body>
void for_blocks(std::int64_t n, Body&& body) {
  for (std::int64_t begin = 0; begin < n; begin += kBlock) body(begin, std::min(kBlock, n - begin));
}

// Elements of a block as doubles: where they lie, or a copy.
template <class T>
const double* as_doubles(const T* first, std::int64_t inc, std::int64_t n, double* copy) {
  if constexpr (Format<T>::kDouble) {
    if (inc == 1) return first;
  }
  for (std::int64_t i = 0; i < n; ++i) copy[i] = static_cast<double>(first[i * inc]);
  return copy;
}

// All elements, block by block.
template <class T>
void add_blocks_of_values(Ladder& ladder, std::int64_t n, const T* first, std::int64_t inc) {
  with_room<double, kBlock>([&](double* copy) {
    for_blocks(n, [&](std::int64_t begin, std::int64_t count) {
      ladder.add_values(count, as_doubles(first + begin * inc, inc, count, copy));
    });
  });
}

// All exact products x_i * y_i, block by block.
template <class T>
void add_blocks_of_products(Ladder& ladder, std::int64_t n, const T* x, std::int64_t incx,
                            const T* y, std::int64_t incy) {
  with_room<double, 2 * kBlock>([&](double* copy) {
    for_blocks(n, [&](std::int64_t begin, std::int64_t count) {
      const T* const bx = x + begin * incx;
      const T* const by = y + begin * incy;
      if constexpr (Format<T>::kDouble) {
        ladder.add_products(count, as_doubles(bx, incx, count, copy),
                            as_doubles(by, incy, count, copy + kBlock));
      } else {
        // A product of two floats is a double: 48 bits between 2^-298 and 2^256.
        for (std::int64_t i = 0; i < count; ++i)
          copy[i] = static_cast<double>(bx[i * incx]) * static_cast<double>(by[i * incy]);
        ladder.add_values(count, copy);
      }
    });
  });
}

}  // namespace reprosum::exact
