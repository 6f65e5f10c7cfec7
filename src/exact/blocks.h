// Vectors of any type and increment, block by block, as doubles side by side.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/exact/float_bits.h"
#include "src/exact/kernels.h"

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

}  // namespace reprosum::exact
