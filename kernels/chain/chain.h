// One long sum or dot product of one accumulator, out of order, with the bits of the order.
//
// README.md here proves it. The default floating-point environment is assumed, as by all kernels.
#pragma once

#include <cstdint>

#include "kernels/backends.h"

namespace reprosum::kernels::chain {

// What is added to the accumulator at each step.
enum class Op : std::uint8_t {
  sum,      // a + x[k]
  rounded,  // a + x[k] * y[k], the product rounded first
  fused,    // fma(x[k], y[k], a)
};
const char* name(Op op);

// An accumulator on its way. What is not `sum` says how far to trust that blocks hold; it changes
// how fast a chain goes on, never its bits.
template <class T>
struct State {
  static constexpr std::int64_t kFirstPause = 256;

  T sum = 0;
  std::int64_t plain = 256;          // summands to add one by one before blocks are tried
  std::int64_t pause = kFirstPause;  // how many where blocks have cost more than they have won
  std::int64_t credit = 160;         // what they have won, in summands; a young sum may lose
  int wait = 0, groups = 0;          // of units between large blocks: to wait for, and since then
  std::int64_t one_by_one = 0;       // summands so far that were added so
};

// Adds the n summands at x[k * incx] and y[k * incy] (ignored by sum) to state.sum, from left to
// right as far as bits can tell. Increments have any sign; x and y are where k = 0 is.
template <class T>
using Code = void (*)(State<T>& state, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                      std::int64_t n);

// nullptr where the backend has no such code: all but avx2 and avx512, on x86 alone.
template <class T>
Code<T> code(Isa isa, Op op);

// REPROSUM_LONG_SUMS: false if it is "in_order"; it may be unset or empty. Throws EnvironmentError
// for anything else.
bool is_wanted();

// Shorter chains are faster one by one.
inline constexpr std::int64_t kLeast = 2048;

}  // namespace reprosum::kernels::chain
