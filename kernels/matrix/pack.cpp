#include "kernels/matrix/pack.h"

#include <algorithm>
#include <cstring>

namespace reprosum::kernels {

namespace {

constexpr std::int64_t kBytes = 16;  // of a register that every host has

template <class T>
using Register [[gnu::vector_size(kBytes)]] = T;
template <class T>
constexpr std::int64_t kWidth = kBytes / static_cast<std::int64_t>(sizeof(T));

template <class T>
Register<T> load(const T* from) {
  Register<T> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void store(T* to, Register<T> value) {
  std::memcpy(to, &value, sizeof value);
}

// A few neighbours: a call of memcpy() takes longer than they do.
template <class T>
void copy(const T* from, std::int64_t count, T* to) {
  std::int64_t i = 0;
  for (; i + kWidth<T> <= count; i += kWidth<T>) store<T>(to + i, load(from + i));
  for (; i < count; ++i) to[i] = from[i];
}

// A square of outputs by summands, to[summand * width + output].
void transpose(const float* from, std::int64_t to_output, float* to, std::int64_t width) {
  using V = Register<float>;
  const V a = load(from), b = load(from + to_output), c = load(from + 2 * to_output),
          d = load(from + 3 * to_output);
  const V ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const V ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const V cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const V cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store<float>(to, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store<float>(to + width, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store<float>(to + 2 * width, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store<float>(to + 3 * width, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}
void transpose(const double* from, std::int64_t to_output, double* to, std::int64_t width) {
  const Register<double> a = load(from), b = load(from + to_output);
  store<double>(to, __builtin_shufflevector(a, b, 0, 2));
  store<double>(to + width, __builtin_shufflevector(a, b, 1, 3));
}

// A panel of an operand whose summands are neighbours, in squares: eight summands of all outputs,
// then the next eight, so that a line of either side is used up while it is near.
template <class T>
void turn(const T* first, std::int64_t to_output, std::int64_t count, std::int64_t summands,
          std::int64_t width, T* panel) {
  constexpr std::int64_t kAtOnce = 8;
  const std::int64_t squares = count / kWidth<T> * kWidth<T>;
  std::int64_t p = 0;
  for (; p + kAtOnce <= summands; p += kAtOnce) {
    for (std::int64_t o = 0; o < squares; o += kWidth<T>)
      for (std::int64_t i = p; i < p + kAtOnce; i += kWidth<T>)
        transpose(first + o * to_output + i, to_output, panel + i * width + o, width);
    for (std::int64_t o = squares; o < count; ++o)
      for (std::int64_t i = p; i < p + kAtOnce; ++i)
        panel[i * width + o] = first[o * to_output + i];
  }
  for (; p < summands; ++p)
    for (std::int64_t o = 0; o < count; ++o) panel[p * width + o] = first[o * to_output + p];
}

}  // namespace

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
      for (std::int64_t p = 0; p < summands; ++p)
        copy(first + p * to_summand, count, panel + p * width);
    } else if (to_summand == 1) {
      turn(first, to_output, count, summands, width, panel);
    } else {
      for (std::int64_t p = 0; p < summands; ++p)
        for (std::int64_t o = 0; o < count; ++o)
          panel[p * width + o] = first[o * to_output + p * to_summand];
    }
  }
}

template void pack(const Operand<float>&, std::int64_t, std::int64_t, std::int64_t, float*);
template void pack(const Operand<double>&, std::int64_t, std::int64_t, std::int64_t, double*);

}  // namespace reprosum::kernels
