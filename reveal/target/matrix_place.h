// Fills the operands of a matrix call. T is float or double throughout.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "reveal/target/layout.h"
#include "reveal/target/matrix_layout.h"

namespace reprosum::reveal {

// NaN around the operand and, where it has gaps, in them, so that a stray read shows.
// @pre kGuardElements lie on both sides of [first, first + layout.extent).
template <typename T>
void place_guards(const OperandLayout& layout, T* first) {
  constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
  if (layout.has_gaps()) {
    std::fill_n(first - kGuardElements, layout.extent + 2 * kGuardElements, kNaN);
    return;
  }
  std::fill_n(first - kGuardElements, kGuardElements, kNaN);
  std::fill_n(first + layout.extent, kGuardElements, kNaN);
}

// Element (o, i) = values[i]: the same for every o.
template <typename T>
void place_repeated(const OperandLayout& layout, const T* values, T* first) {
  if (layout.inner_stride == 1) {
    for (std::int64_t o = 0; o < layout.outer; ++o) {
      std::copy_n(values, layout.inner, first + layout.position(o, 0));
    }
  } else if (layout.outer_stride == 1) {
    for (std::int64_t i = 0; i < layout.inner; ++i) {
      std::fill_n(first + layout.position(0, i), layout.outer, values[i]);
    }
  } else {
    for (std::int64_t o = 0; o < layout.outer; ++o) {
      for (std::int64_t i = 0; i < layout.inner; ++i) first[layout.position(o, i)] = values[i];
    }
  }
}

// Element (o, i) = value.
template <typename T>
void place_constant(const OperandLayout& layout, T value, T* first) {
  if (layout.inner_stride == 1) {
    for (std::int64_t o = 0; o < layout.outer; ++o) {
      std::fill_n(first + layout.position(o, 0), layout.inner, value);
    }
  } else if (layout.outer_stride == 1) {
    for (std::int64_t i = 0; i < layout.inner; ++i) {
      std::fill_n(first + layout.position(0, i), layout.outer, value);
    }
  } else {
    for (std::int64_t o = 0; o < layout.outer; ++o) {
      for (std::int64_t i = 0; i < layout.inner; ++i) first[layout.position(o, i)] = value;
    }
  }
}

// Element (o, i) = values[o * layout.inner + i].
template <typename T>
void place_all(const OperandLayout& layout, const double* values, T* first) {
  for (std::int64_t o = 0; o < layout.outer; ++o) {
    T* const line = first + layout.position(o, 0);
    const double* const from = values + o * layout.inner;
    for (std::int64_t i = 0; i < layout.inner; ++i) {
      line[i * layout.inner_stride] = static_cast<T>(from[i]);
    }
  }
}

}  // namespace reprosum::reveal
