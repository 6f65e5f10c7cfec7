#include "src/exact/bounded.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "src/exact/accumulator.h"
#include "src/exact/float_bits.h"
#include "src/exact/path_counts.h"

namespace reprosum::exact {
namespace {

// An e with |value| < 2^e, the least except for subnormal numbers. 1025 for infinities and NaN.
int exponent_above(double value) {
  return static_cast<int>((std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff) - 1022;
}

bool is_nan(double value) {
  return (std::bit_cast<std::uint64_t>(value) & ~Format<double>::kSign) > Format<double>::kInfinity;
}

// By how much the guess from a few terms is raised. What is too much widens the bound, and is given
// back after the first chunk.
constexpr int kGuessed = 6;
// By how much the exponent that a chunk would have needed is raised for the next.
constexpr int kMargin = 1;

// The exponent of a chunk's squares, guessed from four terms, each of which may cost a cache miss.
// exponent(i) is that of term i.
template <class Exponent>
int guess(std::int64_t n, Exponent&& exponent) {
  const auto rows = static_cast<std::uint64_t>(n);
  const auto at = [&](std::uint64_t i) { return exponent(static_cast<std::int64_t>(i)); };
  const int most = std::max(std::max(at(0), at(rows / 4)), std::max(at(rows / 2), at(rows - 1)));
  const auto chunk = static_cast<std::uint64_t>(std::min(n, kChunk));
  return most + static_cast<int>(std::bit_width(chunk)) / 2 + kGuessed;
}

// How the terms of a vector are measured, and the exponent told to the next chunk's kernel.
class Scale {
 public:
  explicit Scale(int exponent)
      : measure_(by_squares(exponent) ? kSquares : kLargest), exponent_(exponent) {}

  static bool by_squares(int exponent) {
    return exponent >= kMeasured[kSquares].lowest && exponent <= kMeasured[kSquares].highest;
  }

  // run(measure, exponent, out) brackets a chunk: again with what it turned out to need.
  template <class Run>
  bool bracket(Bracket<double>& out, Run&& run) {
    for (bool probing = false;; ++path_counts().rescaled_chunks) {
      const ExponentRange range = kMeasured[measure_];
      exponent_ = std::clamp(exponent_, range.lowest, range.highest);
      run(measure_, exponent_, out);
      if (is_nan(out.low)) return false;
      const int above = exponent_above(out.size);
      const int needed = (measure_ == kSquares ? (above + 2) >> 1 : above) + kMargin;
      if (out.holds && !probing) {
        exponent_ = std::max(needed, exponent_ - 4);
        return true;
      }
      if (measure_ == kSquares && needed > range.highest) {
        measure_ = kLargest, exponent_ = kHighestExponent, probing = true;
      } else if (needed > range.highest || (!probing && needed <= exponent_)) {
        return false;
      } else {
        exponent_ = needed, probing = false;
      }
    }
  }

 private:
  Measure measure_;
  int exponent_;
};

// Elements begin, begin + 1 ... of a vector side by side: where they lie, or a copy.
template <class T>
class Terms {
 public:
  Terms(const T* first, std::int64_t increment) : first_(first), increment_(increment) {}
  const T* at(std::int64_t begin, std::int64_t count) {
    const T* const from = first_ + begin * increment_;
    if (increment_ == 1) return from;
    for (std::int64_t i = 0; i < count; ++i) copy_[i] = from[i * increment_];
    return copy_;
  }
  bool copied() const { return increment_ != 1; }
  std::int64_t most() const { return copied() ? kBlock : kChunk; }

 private:
  const T* first_;
  std::int64_t increment_;
  T copy_[kBlock];
};

// Is the rounding of the whole interval one number? Bits are compared, since zero has two forms,
// and which it is does not follow.
template <class T>
bool decided(T below, T above) {
  using Bits = typename Format<T>::Bits;
  const Bits bits = std::bit_cast<Bits>(below);
  return bits == std::bit_cast<Bits>(above) && static_cast<Bits>(bits << 1) != 0;
}

// bracket(begin, count, out) for chunks of at most `most` terms. The sum of the intervals is kept
// without error, and its ends are rounded.
template <class T, class B, class Chunk>
bool sum_of_chunks(std::int64_t n, std::int64_t most, T& result, Chunk&& bracket) {
  B out;
  if constexpr (std::is_same_v<B, Bracket<T>>) {
    if (n <= most) {
      if (!bracket(0, n, out) || !decided(out.below, out.above)) return false;
      result = out.below;
      return true;
    }
  }
  Accumulator<double> below, error;
  for (std::int64_t begin = 0; begin < n; begin += most) {
    if (!bracket(begin, std::min(most, n - begin), out)) return false;
    below.add(out.high);
    below.add(out.low);
    error.add(out.error);
  }
  Accumulator<double> above = below;
  above.add_words(error.words(), error.seen());
  error.negate();
  below.add_words(error.words(), error.seen());
  const T low = below.rounded<T>(Rounding::nearest_even);
  if (!decided(low, above.rounded<T>(Rounding::nearest_even))) return false;
  result = low;
  return true;
}

// Vectors of any length and increments.
[[gnu::noinline]] bool sum_in_chunks(const Kernels& kernels, std::int64_t n, const double* first_x,
                                     std::int64_t incx, int exponent, double& result) {
  Terms<double> x(first_x, incx);
  Scale scale(exponent);
  return sum_of_chunks<double, Bracket<double>>(
      n, x.most(), result, [&](std::int64_t begin, std::int64_t count, Bracket<double>& out) {
        const double* const terms = x.at(begin, count);
        return scale.bracket(out, [&](Measure measure, int e, Bracket<double>& to) {
          kernels.sum_bracket[measure](terms, count, e, to);
        });
      });
}

[[gnu::noinline]] bool dot_in_chunks(const Kernels& kernels, std::int64_t n, const double* first_x,
                                     std::int64_t incx, const double* first_y, std::int64_t incy,
                                     int exponent, double& result) {
  Terms<double> x(first_x, incx), y(first_y, incy);
  Scale scale(exponent);
  return sum_of_chunks<double, Bracket<double>>(
      n, std::min(x.most(), y.most()), result,
      [&](std::int64_t begin, std::int64_t count, Bracket<double>& out) {
        const double* const terms_x = x.at(begin, count);
        const double* const terms_y = y.at(begin, count);
        return scale.bracket(out, [&](Measure measure, int e, Bracket<double>& to) {
          kernels.dot_bracket[measure](terms_x, terms_y, count, e, to);
        });
      });
}

// Floats in float brackets; where these do not decide, as the doubles that they or their products
// are (48 bits between 2^-298 and 2^256), whose brackets are narrower.
template <class Widen>
bool floats_as_doubles(const Kernels& kernels, std::int64_t n, int exponent, float& result,
                       Widen&& widen) {
  double terms[kBlock];
  Scale scale(exponent);
  return sum_of_chunks<float, Bracket<double>>(
      n, kBlock, result, [&](std::int64_t begin, std::int64_t count, Bracket<double>& out) {
        widen(begin, count, terms);
        return scale.bracket(out, [&](Measure measure, int e, Bracket<double>& to) {
          kernels.sum_bracket[measure](terms, count, e, to);
        });
      });
}

[[gnu::noinline]] bool sum_in_chunks(const Kernels& kernels, std::int64_t n, const float* first_x,
                                     std::int64_t incx, int exponent, float& result) {
  Terms<float> x(first_x, incx);
  const bool found = n > kChunk || x.copied()
                         ? sum_of_chunks<float, Bracket<float>>(
                               n, x.most(), result,
                               [&](std::int64_t begin, std::int64_t count, Bracket<float>& out) {
                                 kernels.float_sum_bracket(x.at(begin, count), count, out);
                                 return out.holds;
                               })
                         : false;  // tried before
  return found || floats_as_doubles(kernels, n, exponent, result,
                                    [&](std::int64_t begin, std::int64_t count, double* to) {
                                      const float* const terms = x.at(begin, count);
                                      for (std::int64_t i = 0; i < count; ++i)
                                        to[i] = static_cast<double>(terms[i]);
                                    });
}

[[gnu::noinline]] bool dot_in_chunks(const Kernels& kernels, std::int64_t n, const float* first_x,
                                     std::int64_t incx, const float* first_y, std::int64_t incy,
                                     int exponent, float& result) {
  Terms<float> x(first_x, incx), y(first_y, incy);
  const std::int64_t most = std::min(x.most(), y.most());
  const bool found =
      n > most || most == kBlock
          ? sum_of_chunks<float, Bracket<float>>(
                n, most, result,
                [&](std::int64_t begin, std::int64_t count, Bracket<float>& out) {
                  kernels.float_dot_bracket(x.at(begin, count), y.at(begin, count), count, out);
                  return out.holds;
                })
          : false;  // tried before
  return found || floats_as_doubles(kernels, n, exponent, result,
                                    [&](std::int64_t begin, std::int64_t count, double* to) {
                                      const float* const a = x.at(begin, count);
                                      const float* const b = y.at(begin, count);
                                      for (std::int64_t i = 0; i < count; ++i)
                                        to[i] =
                                            static_cast<double>(a[i]) * static_cast<double>(b[i]);
                                    });
}

bool counted(bool decided) {
  ++(decided ? path_counts().bounded_calls : path_counts().undecided_calls);
  return decided;
}

// What the one chunk of a short vector tells: the shortest way.
enum class Chunk { decides, does_not, fails };

template <class T>
Chunk judge(const Bracket<T>& out, T& result) {
  if (!out.holds) return Chunk::fails;
  if (!decided(out.below, out.above)) return Chunk::does_not;
  result = out.below;
  return Chunk::decides;
}

Chunk one_chunk(const Kernels& kernels, std::int64_t n, const double* x, int exponent,
                double& result) {
  if (!Scale::by_squares(exponent)) return Chunk::fails;
  Bracket<double> out;
  kernels.sum_bracket[kSquares](x, n, exponent, out);
  return judge(out, result);
}
Chunk one_chunk(const Kernels& kernels, std::int64_t n, const double* x, const double* y,
                int exponent, double& result) {
  if (!Scale::by_squares(exponent)) return Chunk::fails;
  Bracket<double> out;
  kernels.dot_bracket[kSquares](x, y, n, exponent, out);
  return judge(out, result);
}
// For floats there is more to be tried in any case.
Chunk one_chunk(const Kernels& kernels, std::int64_t n, const float* x, int, float& result) {
  Bracket<float> out;
  kernels.float_sum_bracket(x, n, out);
  return judge(out, result) == Chunk::decides ? Chunk::decides : Chunk::fails;
}
Chunk one_chunk(const Kernels& kernels, std::int64_t n, const float* x, const float* y, int,
                float& result) {
  Bracket<float> out;
  kernels.float_dot_bracket(x, y, n, out);
  return judge(out, result) == Chunk::decides ? Chunk::decides : Chunk::fails;
}

}  // namespace

template <class T>
bool bounded_sum(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, T& result) {
  const auto exponent = [&] {
    return guess(n, [&](std::int64_t i) { return exponent_above(x[i * incx]); });
  };
  if (incx == 1 && n <= kChunk) {
    const Chunk chunk = one_chunk(kernels, n, x, Format<T>::kDouble ? exponent() : 0, result);
    if (chunk != Chunk::fails) return counted(chunk == Chunk::decides);
  }
  return counted(sum_in_chunks(kernels, n, x, incx, exponent(), result));
}

template <class T>
bool bounded_dot(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                 std::int64_t incy, T& result) {
  const auto exponent = [&] {
    return guess(n, [&](std::int64_t i) {
      return exponent_above(x[i * incx]) + exponent_above(y[i * incy]);
    });
  };
  if (incx == 1 && incy == 1 && n <= kChunk) {
    const Chunk chunk = one_chunk(kernels, n, x, y, Format<T>::kDouble ? exponent() : 0, result);
    if (chunk != Chunk::fails) return counted(chunk == Chunk::decides);
  }
  return counted(dot_in_chunks(kernels, n, x, incx, y, incy, exponent(), result));
}

template bool bounded_sum(const Kernels&, std::int64_t, const float*, std::int64_t, float&);
template bool bounded_sum(const Kernels&, std::int64_t, const double*, std::int64_t, double&);
template bool bounded_dot(const Kernels&, std::int64_t, const float*, std::int64_t, const float*,
                          std::int64_t, float&);
template bool bounded_dot(const Kernels&, std::int64_t, const double*, std::int64_t, const double*,
                          std::int64_t, double&);

}  // namespace reprosum::exact
