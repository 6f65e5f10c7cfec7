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

// Terms of a chunk. What is proven in anchored_sums.h and brackets.h holds up to these numbers.
inline constexpr std::int64_t kChunk = 1 << 15, kFloatChunk = 1 << 19, kWideChunk = 1 << 14;

// Where the sum of a chunk lies: within `error` of high + low. Only if `holds`. No NaN and no
// infinity is among the terms then.
template <class T>
struct Bracket {
  double high, low, error;
  // The ends of that interval, rounded to nearest: if they are equal and not zero, they are the
  // rounded sum.
  T below, above;
  bool roomy;  // would it hold with a much smaller exponent, and a closer bound? doubles only
  bool holds;
};

// What `exponent` may be. It holds surely if it exceeds that of all |terms| together, or, for
// floats, of kPath times the largest, by kSpare - 1; and often if it is less. Too large a one
// widens the bracket.
struct ExponentRange {
  int lowest, highest;
};
inline constexpr ExponentRange kSumExponents = {kLowestExponent, kHighestExponent},
                               kDotExponents = kSumExponents, kFloatSumExponents = {-100, 120},
                               kFloatDotExponents = {-70, 120};
inline constexpr std::int64_t kPath = 8;
inline constexpr int kSpare = 2;

// @pre 0 < n <= kChunk, an exponent of its range, and the default environment
template <class T>
using SumBracket = void (*)(const T* x, std::int64_t n, int exponent, Bracket<T>& out);
template <class T>
using DotBracket = void (*)(const T* x, const T* y, std::int64_t n, int exponent, Bracket<T>& out);

// By sums in double: slower, and closer. @pre 0 < n <= kWideChunk, and the default environment
using WideSumBracket = void (*)(const float* x, std::int64_t n, Bracket<float>& out);
using WideDotBracket = void (*)(const float* x, const float* y, std::int64_t n,
                                Bracket<float>& out);

inline constexpr int kLowestCap = 2;

struct SizeRange {
  std::int64_t fewest, most;
  bool contains(std::int64_t n) const { return fewest <= n && n <= most; }
};
inline constexpr SizeRange kNoSize = {1, 0};

struct Kernels {
  const char* name;
  int lanes;  // doubles in a vector
  // Narrow windows of exponents, and wide ones, which cost more.
  SumKernel sum[2];
  DotKernel dot[2];
  SplitKernel split_products;
  SumBracket<double> sum_bracket;
  DotBracket<double> dot_bracket;
  SumBracket<float> float_sum_bracket;
  DotBracket<float> float_dot_bracket;
  // By sums in double, with lanes that overflow where they reach 2^exponent (capped_sums.h). What
  // `exponent` may be: from kLowestCap on.
  SumBracket<float> capped_sum;
  DotBracket<float> capped_dot;
  WideSumBracket wide_sum_bracket;
  WideDotBracket wide_dot_bracket;
  // The largest |x_i|, and |x_i y_i| rounded; NaN does not count.
  double (*largest_term)(const double* x, std::int64_t n);
  double (*largest_product)(const double* x, const double* y, std::int64_t n);
  // With so many terms a sum, or a dot product, takes less time in float than in double, which
  // converts one number for each term of a sum and two for each product. With fewer terms that does
  // not make up for the end of a sum in float; with more, memory decides. kFloatChunk at most.
  SizeRange sums_in_float, dots_in_float;
  bool converts_slowly;  // not at the same time as it adds and multiplies
};

// Lanes of the vectors; 1 without kernels, for run_vectorized.
inline int lanes_of(const Kernels* kernels) { return kernels != nullptr ? kernels->lanes : 1; }

// Best first; empty where there is only portable code.
std::span<const Kernels* const> kernels_of_this_host();

}  // namespace reprosum::exact
