#include "src/exact/bounded.h"

#include <algorithm>
#include <bit>

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
  T operator[](std::int64_t i) const { return first_[i * increment_]; }

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

// bracket(begin, count, out) for chunks of at most `most` terms. The sum of several intervals is
// kept without error, and its ends are rounded.
template <class T, class Chunk>
bool sum_of_chunks(std::int64_t n, std::int64_t most, T& result, Chunk&& bracket) {
  Bracket<T> out;
  if (n <= most) {
    if (!bracket(0, n, out) || !decided(out.below, out.above)) return false;
    result = out.below;
    return true;
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

// All chunks of vectors with any increments.
template <class T>
[[gnu::noinline]] bool sum_in_chunks(const Kernels& kernels, std::int64_t n, const T* first_x,
                                     std::int64_t incx, int exponent, T& result) {
  Terms<T> x(first_x, incx);
  Scale scale(exponent);
  return sum_of_chunks(n, x.copied() ? kBlock : kChunk, result,
                       [&](std::int64_t begin, std::int64_t count, Bracket<T>& out) {
                         const T* const terms = x.at(begin, count);
                         if constexpr (Format<T>::kDouble) {
                           return scale.bracket(out, [&](Measure measure, int e, Bracket<T>& to) {
                             kernels.sum_bracket[measure](terms, count, e, to);
                           });
                         } else {
                           kernels.float_sum_bracket(terms, count, out);
                           return out.holds;
                         }
                       });
}

template <class T>
[[gnu::noinline]] bool dot_in_chunks(const Kernels& kernels, std::int64_t n, const T* first_x,
                                     std::int64_t incx, const T* first_y, std::int64_t incy,
                                     int exponent, T& result) {
  Terms<T> x(first_x, incx), y(first_y, incy);
  Scale scale(exponent);
  return sum_of_chunks(n, x.copied() || y.copied() ? kBlock : kChunk, result,
                       [&](std::int64_t begin, std::int64_t count, Bracket<T>& out) {
                         const T* const terms_x = x.at(begin, count);
                         const T* const terms_y = y.at(begin, count);
                         if constexpr (Format<T>::kDouble) {
                           return scale.bracket(out, [&](Measure measure, int e, Bracket<T>& to) {
                             kernels.dot_bracket[measure](terms_x, terms_y, count, e, to);
                           });
                         } else {
                           kernels.float_dot_bracket(terms_x, terms_y, count, out);
                           return out.holds;
                         }
                       });
}

bool counted(bool decided) {
  ++(decided ? path_counts().bounded_calls : path_counts().undecided_calls);
  return decided;
}

// run(exponent, out) brackets the one chunk that there is: the shortest way for what is short.
// False if another has to be tried.
template <class T, class Run>
bool bounded_chunk(int exponent, T& result, Run&& run) {
  if (Format<T>::kDouble && !Scale::by_squares(exponent)) return false;
  Bracket<T> out;
  run(exponent, out);
  if (!out.holds || !decided(out.below, out.above)) return false;
  result = out.below;
  ++path_counts().bounded_calls;
  return true;
}

}  // namespace

template <class T>
bool bounded_sum(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, T& result) {
  int exponent = 0;
  if constexpr (Format<T>::kDouble)
    exponent = guess(n, [&](std::int64_t i) { return exponent_above(x[i * incx]); });
  if (incx == 1 && n <= kChunk && bounded_chunk(exponent, result, [&](int e, Bracket<T>& out) {
        if constexpr (Format<T>::kDouble)
          kernels.sum_bracket[kSquares](x, n, e, out);
        else
          kernels.float_sum_bracket(x, n, out);
      }))
    return true;
  return counted(sum_in_chunks(kernels, n, x, incx, exponent, result));
}

template <class T>
bool bounded_dot(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                 std::int64_t incy, T& result) {
  int exponent = 0;
  if constexpr (Format<T>::kDouble)
    exponent = guess(n, [&](std::int64_t i) {
      return exponent_above(x[i * incx]) + exponent_above(y[i * incy]);
    });
  if (incx == 1 && incy == 1 && n <= kChunk &&
      bounded_chunk(exponent, result, [&](int e, Bracket<T>& out) {
        if constexpr (Format<T>::kDouble)
          kernels.dot_bracket[kSquares](x, y, n, e, out);
        else
          kernels.float_dot_bracket(x, y, n, out);
      }))
    return true;
  return counted(dot_in_chunks(kernels, n, x, incx, y, incy, exponent, result));
}

template bool bounded_sum(const Kernels&, std::int64_t, const float*, std::int64_t, float&);
template bool bounded_sum(const Kernels&, std::int64_t, const double*, std::int64_t, double&);
template bool bounded_dot(const Kernels&, std::int64_t, const float*, std::int64_t, const float*,
                          std::int64_t, float&);
template bool bounded_dot(const Kernels&, std::int64_t, const double*, std::int64_t, const double*,
                          std::int64_t, double&);

}  // namespace reprosum::exact
