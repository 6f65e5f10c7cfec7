// A run of equal leaves added onto an accumulator: the interpreter's tight loop.
#pragma once

#include <cstdint>

#include "spec/order.h"

namespace reprosum::spec {

// The summands of one call. y == nullptr means sum.
template <class T>
struct Operands {
  const T* x = nullptr;
  std::int64_t incx = 1;
  const T* y = nullptr;
  std::int64_t incy = 1;
  Flush flush = Flush::none;  // of the order that adds them
};

// The value of summand k as the first of its chain.
template <class T>
double leaf_value(const Operands<T>& data, Leaf leaf, std::int64_t k);

// accumulator + k + (k + step) + ... (count summands, from the left, in `format`).
// @pre leaf is not zero; the format and leaf exist for T.
template <class T>
double add_leaves(const Operands<T>& data, NodeFormat format, Leaf leaf, double accumulator,
                  std::int64_t k, std::int64_t step, std::int64_t count);

}  // namespace reprosum::spec
