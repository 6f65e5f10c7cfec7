// The vector kernels of one instruction set, and which of them this machine has.
#pragma once

#include <cstdint>
#include <span>

namespace reprosum::exact {

// Terms of a block. What is proven in slices.h holds up to this number.
inline constexpr std::int64_t kBlock = 2048;
// Numbers that a block may come out as.
inline constexpr int kMostSlices = 10;

// A block's sum in pieces. Only if `complete`, and `largest` < 2^exponent as the kernel was told,
// is the sum of the slices the sum of the block. `largest` is not to be read if a term is NaN;
// then `complete` is false.
struct Slices {
  double slice[kMostSlices];
  int count;
  bool complete;
  double largest;  // of |x_i|, or of |x_i * y_i| rounded
};

// @pre 0 < n <= kBlock, kLowestExponent <= exponent <= kHighestExponent, and the default
// floating-point environment (FloatEnvironment)
using SumKernel = void (*)(const double* x, std::int64_t n, int exponent, Slices& out);
using DotKernel = void (*)(const double* x, const double* y, std::int64_t n, int exponent,
                           Slices& out);
inline constexpr int kLowestExponent = -900;
inline constexpr int kHighestExponent = 1000;

struct Kernels {
  const char* name;
  int lanes;  // doubles in a vector
  // Narrow windows of exponents, and wide ones, which cost more.
  SumKernel sum[2];
  DotKernel dot[2];
};

// Best first; empty where there is only portable code.
std::span<const Kernels* const> kernels_of_this_host();

}  // namespace reprosum::exact
