// Panels: operands copied so that a tile reads them one after the other.
#pragma once

#include <cstdint>

namespace reprosum::kernels {

// An operand of a rectangle: output w and summand p are at first[w*output_step + p*summand_step].
template <class T>
struct Operand {
  const T* first = nullptr;
  std::int64_t output_step = 0, summand_step = 0;
  const T* at(std::int64_t output, std::int64_t summand) const {
    return first + output * output_step + summand * summand_step;
  }
};

// `outputs` outputs and `summands` summands in panels of `width` outputs: panel after panel, within
// one summand after summand. Missing outputs of the last panel are zeros.
template <class T>
void pack(const Operand<T>& operand, std::int64_t outputs, std::int64_t summands,
          std::int64_t width, T* panels);

}  // namespace reprosum::kernels
