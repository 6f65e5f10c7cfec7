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
// products[i] = x[i] * y[i] rounded, errors[i] what is missing of it.
using SplitKernel = void (*)(const double* x, const double* y, std::int64_t n, double* products,
                             double* errors);
inline constexpr int kLowestExponent = -900;
inline constexpr int kHighestExponent = 1000;

// Terms of a chunk. What is proven in brackets.h holds up to this number.
inline constexpr std::int64_t kChunk = 1 << 14;

// Where the sum of a chunk lies: within `error` of high + low. Only if `holds`. No NaN and no
// infinity is among the terms then.
template <class T>
struct Bracket {
  double high, low, error;
  // The ends of that interval, rounded to nearest: if they are equal and not zero, they are the
  // rounded sum.
  T below, above;
  double size;  // of the terms, as the kernel measures it; doubles only
  bool holds;
};

// How a kernel knows that the terms are as small as it was told.
enum Measure {
  kSquares = 0,  // size: the sum of their squares, to be at most 2^(2 * exponent - 1); cheaper
  kLargest = 1   // size: the largest magnitude, to be at most 2^exponent; for any exponents
};
struct ExponentRange {
  int lowest, highest;
};
inline constexpr ExponentRange kMeasured[2] = {{-400, 490}, {kLowestExponent, kHighestExponent}};

// @pre 0 < n <= kChunk, kMeasured[measure].lowest <= exponent <= kMeasured[measure].highest, and
// the default environment
using SumBracket = void (*)(const double* x, std::int64_t n, int exponent, Bracket<double>& out);
using DotBracket = void (*)(const double* x, const double* y, std::int64_t n, int exponent,
                            Bracket<double>& out);

// @pre 0 < n <= kChunk, and the default environment
using FloatSumBracket = void (*)(const float* x, std::int64_t n, Bracket<float>& out);
using FloatDotBracket = void (*)(const float* x, const float* y, std::int64_t n,
                                 Bracket<float>& out);

struct Kernels {
  const char* name;
  int lanes;  // doubles in a vector
  // Narrow windows of exponents, and wide ones, which cost more.
  SumKernel sum[2];
  DotKernel dot[2];
  SplitKernel split_products;
  // By Measure.
  SumBracket sum_bracket[2];
  DotBracket dot_bracket[2];
  FloatSumBracket float_sum_bracket;
  FloatDotBracket float_dot_bracket;
};

// Best first; empty where there is only portable code.
std::span<const Kernels* const> kernels_of_this_host();

}  // namespace reprosum::exact
