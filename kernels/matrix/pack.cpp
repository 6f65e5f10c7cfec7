#include "kernels/matrix/pack.h"

#include <algorithm>
#include <cstring>

namespace reprosum::kernels {

template <class T>
void pack(const Operand<T>& operand, std::int64_t outputs, std::int64_t summands,
          std::int64_t width, T* panels) {
  const std::int64_t to_output = operand.output_step, to_summand = operand.summand_step;
  for (std::int64_t w = 0; w < outputs; w += width) {
    const std::int64_t count = std::min(width, outputs - w);
    const T* const first = operand.at(w, 0);
    T* const panel = panels + w * summands;
    if (count < width) std::fill(panel, panel + width * summands, T(0));
    if (to_output == 1) {
      const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
      for (std::int64_t p = 0; p < summands; ++p)
        std::memcpy(panel + p * width, first + p * to_summand, bytes);
      continue;
    }
    // Square blocks: a line of either side is used up while it is near.
    constexpr std::int64_t kBlock = 8;
    for (std::int64_t p = 0; p < summands; p += kBlock) {
      const std::int64_t last = std::min(p + kBlock, summands);
      for (std::int64_t o = 0; o < count; ++o)
        for (std::int64_t i = p; i < last; ++i)
          panel[i * width + o] = first[o * to_output + i * to_summand];
    }
  }
}

template void pack(const Operand<float>&, std::int64_t, std::int64_t, std::int64_t, float*);
template void pack(const Operand<double>&, std::int64_t, std::int64_t, std::int64_t, double*);

}  // namespace reprosum::kernels
