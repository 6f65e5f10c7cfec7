#include "src/exact/bounded.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "src/exact/capped_sums.h"
#include "src/exact/float_bits.h"
#include "src/exact/path_counts.h"

namespace reprosum::exact {
namespace {

// An e with |value| < 2^e, the least except for subnormal numbers. 1025 for infinities and NaN.
int exponent_above(double value) {
  return static_cast<int>((std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff) - 1022;
}

// What is found largest where terms are looked at, each of which may cost a cache miss. size(i) is
// an exponent, or a magnitude, of term i.
template <int kPlaces, class Size>
auto largest_of(std::int64_t n, Size&& size) {
  auto most = size(n - 1);
  for (int k = 0; k < kPlaces - 1; ++k) most = std::max(most, size(n / (kPlaces - 1) * k));
  return most;
}

int log2_above(std::int64_t n) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
}

// The exponent that is told to the kernels, chunk after chunk. Doubles leave room for terms that
// are larger than those looked at; floats, which have few bits to spare, hardly any.
template <class T>
class Scale {
 public:
  // `exponent`: of the first n terms together, or for floats of a lane's, by what was looked at.
  Scale(ExponentRange range, int exponent) : range_(range), exponent_(exponent) {}

  // run(exponent, out) brackets a chunk of n terms: again where the guess was too low, at last with
  // what largest() says, the magnitude of its largest term.
  template <class Run, class Largest>
  bool bracket(std::int64_t n, Bracket<T>& out, Run&& run, Largest&& largest) {
    exponent_ = std::clamp(exponent_, range_.lowest, range_.highest);
    run(exponent_, out);
    // Floats have reason to try small steps.
    for (int more = 1; !kDouble && !out.holds && more < 3 && exponent_ + more <= range_.highest;
         ++more) {
      ++path_counts().rescaled_chunks;
      run(exponent_ += more, out);
    }
    if (!out.holds) {
      const int needed = exponent_above(largest()) + log2_above(kDouble ? n : kPath) + 1;
      if (needed <= exponent_ || needed > range_.highest) return false;  // NaN, infinities, zeros
      ++path_counts().rescaled_chunks;
      run(exponent_ = needed, out);
      if (!out.holds) return false;
    }
    if (kDouble && out.path < 0x1p-16) exponent_ -= 8;  // the bound is wider than it need be
    return true;
  }

 private:
  static constexpr bool kDouble = Format<T>::kDouble;
  const ExponentRange range_;
  int exponent_;
};

// Doubles leave room for terms that are larger than those looked at.
int exponent_of_chunk(std::int64_t n, int largest) {
  return largest + log2_above(std::min(n, kChunk)) + 3;
}
// Floats have few bits to spare. Paths of normal numbers reach some 14 times the largest of 16.
int exponent_of_path(double largest) { return exponent_above(largest * 1.75 * kPath); }

// Terms of a vector until the first that lies at the start of a cache line, from `first` on.
template <class T>
std::int64_t until_aligned(const T* first) {
  constexpr std::uintptr_t kLine = 64 / sizeof(T);
  const auto beyond = reinterpret_cast<std::uintptr_t>(first) / sizeof(T) % kLine;
  return static_cast<std::int64_t>((kLine - beyond) % kLine);
}

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
  // At most `most` at a time.
  std::int64_t at_most(std::int64_t most) const { return increment_ != 1 ? kBlock : most; }
  // As many of `most` at first that the next ones begin with a cache line.
  std::int64_t lead(std::int64_t most) const {
    constexpr std::int64_t kLine = 64 / sizeof(T);
    return increment_ != 1 ? kBlock : most - kLine + until_aligned(first_);
  }

 private:
  const T* first_;
  std::int64_t increment_;
  T copy_[kBlock];
};

// bracket(begin, count, out) for chunks of at most `most` terms, where there are several the first
// `lead` ones. Their sum goes to an Interval, or to a number if that decides it.
template <class B, class Chunk>
bool sum_of_chunks(std::int64_t n, std::int64_t lead, std::int64_t most, Interval& result,
                   Chunk&& bracket) {
  B out;
  Interval sum;
  std::int64_t count = n <= most ? n : lead;
  for (std::int64_t begin = 0; begin < n; begin += count, count = std::min(most, n - begin)) {
    if (!bracket(begin, count, out)) return false;
    sum.add(out);
  }
  result.add(sum);
  return true;
}

template <class B, class T, class Chunk>
bool sum_of_chunks(std::int64_t n, std::int64_t lead, std::int64_t most, T& result,
                   Chunk&& bracket) {
  if constexpr (std::is_same_v<B, Bracket<T>>) {
    if (n <= most) {
      B out;
      if (!bracket(0, n, out) || !decided(out.below, out.above)) return false;
      result = out.below;
      return true;
    }
  }
  Interval sum;
  return sum_of_chunks<B>(n, lead, most, sum, bracket) && sum.decides(result);
}

// Doubles in at most `most` terms at a time, by their own brackets.
template <class To>
bool doubles_in_chunks(const Kernels& kernels, std::int64_t n, std::int64_t lead, std::int64_t most,
                       int largest, To& result, auto&& terms) {
  Scale<double> scale(kSumExponents, exponent_of_chunk(n, largest));
  return sum_of_chunks<Bracket<double>>(
      n, lead, most, result, [&](std::int64_t begin, std::int64_t count, Bracket<double>& out) {
        const double* const x = terms(begin, count);
        return scale.bracket(
            count, out, [&](int e, auto& to) { kernels.sum_bracket(x, count, e, to); },
            [&] { return kernels.largest_term(x, count); });
      });
}

// Vectors of any length and increments.
template <class To>
[[gnu::noinline]] bool sum_in_chunks(const Kernels& kernels, std::int64_t n, const double* first_x,
                                     std::int64_t incx, int largest, To& result) {
  Terms<double> x(first_x, incx);
  return doubles_in_chunks(
      kernels, n, x.lead(kChunk), x.at_most(kChunk), largest, result,
      [&](std::int64_t begin, std::int64_t count) { return x.at(begin, count); });
}

template <class To>
[[gnu::noinline]] bool dot_in_chunks(const Kernels& kernels, std::int64_t n, const double* first_x,
                                     std::int64_t incx, const double* first_y, std::int64_t incy,
                                     int largest, To& result) {
  Terms<double> x(first_x, incx), y(first_y, incy);
  Scale<double> scale(kDotExponents, exponent_of_chunk(n, largest));
  return sum_of_chunks<Bracket<double>>(
      n, std::min(x.lead(kChunk), y.at_most(kChunk)),
      std::min(x.at_most(kChunk), y.at_most(kChunk)), result,
      [&](std::int64_t begin, std::int64_t count, Bracket<double>& out) {
        const double* const px = x.at(begin, count);
        const double* const py = y.at(begin, count);
        return scale.bracket(
            count, out, [&](int e, auto& to) { kernels.dot_bracket(px, py, count, e, to); },
            [&] { return kernels.largest_product(px, py, count); });
      });
}

// Floats as the doubles that they, or their products, are (48 bits between 2^-298 and 2^256): the
// first `count` of them from `begin` on.
class Widened {
 public:
  const double* sums(const float* x, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) terms_[i] = static_cast<double>(x[i]);
    return terms_;
  }
  const double* products(const float* x, const float* y, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      terms_[i] = static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return terms_;
  }

 private:
  double terms_[kBlock];
};

// Numbers of floats whose sums are first tried in float: conversion to double costs more than fewer
// of them, and less than the memory of more of them.
constexpr std::int64_t kFewestFloats = 400, kMostFloats = std::int64_t{1} << 22;
// A first chunk of them, to be run again if its exponent was guessed wrong.
constexpr std::int64_t kFirstFloats = 4096;

// An Interval is not asked at once whether it decides, and gets what is closer.
template <class To>
bool in_float(std::int64_t n) {
  return !std::is_same_v<To, Interval> && n >= kFewestFloats && n < kMostFloats;
}

// How the first way of floats ended: `open` if its bound leaves two results, `failed` if it is not
// for these terms.
enum class Capped { decided, open, failed };

// Sums in double that overflow where they are larger than expected: by the largest of what was
// looked at for a lane's share of a chunk, and once more for some larger ones. Below kLowestCap the
// bound is wider than it need be: such small terms are left to others.
template <class To, class Run>
Capped capped_chunks(std::int64_t n, std::int64_t lead, std::int64_t most, double largest,
                     To& result, Run&& run) {
  constexpr int kWider = 4, kMore = 6;
  const std::int64_t lane = std::min(n, kWideChunk) / kCappedLanesOfSum + 2;
  int exponent = exponent_above(largest) + log2_above(lane);
  if (exponent < kLowestCap - kWider || exponent > 600) return Capped::failed;
  exponent = std::max(exponent, kLowestCap);
  bool held = true;
  const bool decided = sum_of_chunks<Bracket<float>>(
      n, lead, most, result, [&](std::int64_t begin, std::int64_t count, Bracket<float>& out) {
        run(begin, count, exponent, out);
        if (!out.holds) {
          ++path_counts().rescaled_chunks;
          run(begin, count, exponent += kMore, out);
        }
        held = out.holds;
        return held;
      });
  if (decided) ++path_counts().capped_calls;
  return decided ? Capped::decided : held ? Capped::open : Capped::failed;
}

// Brackets by sums in float, by sums in double, by sums of doubles that are closer still.
template <class To>
[[gnu::noinline]] bool sum_in_chunks(const Kernels& kernels, std::int64_t n, const float* first_x,
                                     std::int64_t incx, double largest, To& result) {
  Terms<float> x(first_x, incx);
  Widened wide;
  Scale<float> scale(kFloatSumExponents, exponent_of_path(largest));
  const auto largest_among = [&](const float* p, std::int64_t count) {
    double most = 0;
    for (std::int64_t i = 0; i < count; i += kBlock) {
      const std::int64_t here = std::min(kBlock, count - i);
      most = std::max(most, kernels.largest_term(wide.sums(p + i, here), here));
    }
    return most;
  };
  const auto in_floats = [&](std::int64_t begin, std::int64_t count, Bracket<float>& out) {
    const float* const p = x.at(begin, count);
    return scale.bracket(
        count, out, [&](int e, auto& to) { kernels.float_sum_bracket(p, count, e, to); },
        [&] { return largest_among(p, count); });
  };
  const auto in_doubles = [&](std::int64_t begin, std::int64_t count, Bracket<float>& out) {
    kernels.wide_sum_bracket(x.at(begin, count), count, out);
    return out.holds;
  };
  const Capped capped =
      capped_chunks(n, x.lead(kWideChunk), x.at_most(kWideChunk), largest, result,
                    [&](std::int64_t begin, std::int64_t count, int e, Bracket<float>& out) {
                      kernels.capped_sum(x.at(begin, count), count, e, out);
                    });
  if (capped == Capped::decided) return true;
  const bool failed = capped == Capped::failed;
  if (failed && in_float<To>(n) &&
      sum_of_chunks<Bracket<float>>(n, x.lead(kFirstFloats), x.at_most(kFloatChunk), result,
                                    in_floats))
    return true;
  ++path_counts().widened_calls;
  return (failed && sum_of_chunks<Bracket<float>>(n, x.lead(kWideChunk), x.at_most(kWideChunk),
                                                  result, in_doubles)) ||
         doubles_in_chunks(kernels, n, kBlock, kBlock, exponent_above(largest), result,
                           [&](std::int64_t begin, std::int64_t count) {
                             return wide.sums(x.at(begin, count), count);
                           });
}

template <class To>
[[gnu::noinline]] bool dot_in_chunks(const Kernels& kernels, std::int64_t n, const float* first_x,
                                     std::int64_t incx, const float* first_y, std::int64_t incy,
                                     double largest, To& result) {
  Terms<float> x(first_x, incx), y(first_y, incy);
  Widened wide;
  Scale<float> scale(kFloatDotExponents, exponent_of_path(largest));
  const auto largest_among = [&](const float* p, const float* q, std::int64_t count) {
    double most = 0;
    for (std::int64_t i = 0; i < count; i += kBlock) {
      const std::int64_t here = std::min(kBlock, count - i);
      most = std::max(most, kernels.largest_term(wide.products(p + i, q + i, here), here));
    }
    return most;
  };
  const auto in_floats = [&](std::int64_t begin, std::int64_t count, Bracket<float>& out) {
    const float *const p = x.at(begin, count), *const q = y.at(begin, count);
    return scale.bracket(
        count, out, [&](int e, auto& to) { kernels.float_dot_bracket(p, q, count, e, to); },
        [&] { return largest_among(p, q, count); });
  };
  const auto in_doubles = [&](std::int64_t begin, std::int64_t count, Bracket<float>& out) {
    kernels.wide_dot_bracket(x.at(begin, count), y.at(begin, count), count, out);
    return out.holds;
  };
  const auto most = [&](std::int64_t chunk) {
    return std::min(x.at_most(chunk), y.at_most(chunk));
  };
  const std::int64_t lead = std::min(x.lead(kWideChunk), most(kWideChunk));
  const Capped capped =
      capped_chunks(n, lead, most(kWideChunk), largest, result,
                    [&](std::int64_t begin, std::int64_t count, int e, Bracket<float>& out) {
                      kernels.capped_dot(x.at(begin, count), y.at(begin, count), count, e, out);
                    });
  if (capped == Capped::decided) return true;
  const bool failed = capped == Capped::failed;
  if (failed && in_float<To>(n) &&
      sum_of_chunks<Bracket<float>>(n, std::min(x.lead(kFirstFloats), most(kFirstFloats)),
                                    most(kFloatChunk), result, in_floats))
    return true;
  ++path_counts().widened_calls;
  return (failed && sum_of_chunks<Bracket<float>>(n, lead, most(kWideChunk), result, in_doubles)) ||
         doubles_in_chunks(kernels, n, kBlock, kBlock, exponent_above(largest), result,
                           [&](std::int64_t begin, std::int64_t count) {
                             return wide.products(x.at(begin, count), y.at(begin, count), count);
                           });
}

bool counted(bool decided) {
  ++(decided ? path_counts().bounded_calls : path_counts().undecided_calls);
  return decided;
}

// What the one chunk of a short vector tells: the shortest way.
template <class T>
bool judge(const Bracket<T>& out, T& result) {
  if (!decided(out.below, out.above)) return false;
  result = out.below;
  return true;
}

bool one_chunk(const Kernels& kernels, std::int64_t n, const double* x, int largest,
               double& result) {
  Scale<double> scale(kSumExponents, exponent_of_chunk(n, largest));
  Bracket<double> out;
  return scale.bracket(
             n, out, [&](int e, auto& to) { kernels.sum_bracket(x, n, e, to); },
             [&] { return kernels.largest_term(x, n); }) &&
         judge(out, result);
}
bool one_chunk(const Kernels& kernels, std::int64_t n, const double* x, const double* y,
               int largest, double& result) {
  Scale<double> scale(kDotExponents, exponent_of_chunk(n, largest));
  Bracket<double> out;
  return scale.bracket(
             n, out, [&](int e, auto& to) { kernels.dot_bracket(x, y, n, e, to); },
             [&] { return kernels.largest_product(x, y, n); }) &&
         judge(out, result);
}

// Of doubles: an exponent above the largest of the terms looked at. Of floats: its magnitude.
template <class T>
auto largest_term(std::int64_t n, const T* x, std::int64_t incx) {
  if constexpr (Format<T>::kDouble)
    return largest_of<4>(n, [&](std::int64_t i) { return exponent_above(x[i * incx]); });
  else
    return largest_of<16>(
        n, [&](std::int64_t i) { return std::fabs(static_cast<double>(x[i * incx])); });
}
template <class T>
auto largest_product(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy) {
  if constexpr (Format<T>::kDouble)
    return largest_of<4>(n, [&](std::int64_t i) {
      return exponent_above(x[i * incx]) + exponent_above(y[i * incy]);
    });
  else
    return largest_of<16>(n, [&](std::int64_t i) {
      return std::fabs(static_cast<double>(x[i * incx]) * static_cast<double>(y[i * incy]));
    });
}

}  // namespace

template <class T>
bool better_in_buckets(std::int64_t n, const T* first, std::int64_t inc) {
  constexpr std::int64_t kLong = std::int64_t{1} << 22, kPlaces = 16;
  constexpr int kApart = 150;
  if (!Format<T>::kDouble || n < kLong) return false;
  int most = 0, least = Format<T>::kSpecial;
  for (std::int64_t k = 0; k < kPlaces; ++k) {
    const T term = first[n / kPlaces * k * inc];
    const int field =
        static_cast<int>(std::bit_cast<typename Format<T>::Bits>(term) >> Format<T>::kFraction) &
        Format<T>::kSpecial;
    most = std::max(most, field);
    if (!is_zero(term)) least = std::min(least, field);
  }
  const bool apart = most - least > kApart;
  path_counts().unbounded_calls += apart;
  return apart;
}

template <class T>
bool bounded_sum(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, T& result) {
  if constexpr (!Format<T>::kDouble) {
    if (incx == 1 && n < kFewestFloats) {
      Bracket<float> out;
      kernels.wide_sum_bracket(x, n, out);
      if (out.holds && judge(out, result)) return counted(true);
    }
  }
  const auto largest = largest_term(n, x, incx);
  if constexpr (Format<T>::kDouble) {
    if (incx == 1 && n <= kChunk) return counted(one_chunk(kernels, n, x, largest, result));
  }
  return counted(sum_in_chunks(kernels, n, x, incx, largest, result));
}

template <class T>
bool bounded_dot(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                 std::int64_t incy, T& result) {
  if constexpr (!Format<T>::kDouble) {
    if (incx == 1 && incy == 1 && n < kFewestFloats) {
      Bracket<float> out;
      kernels.wide_dot_bracket(x, y, n, out);
      if (out.holds && judge(out, result)) return counted(true);
    }
  }
  const auto largest = largest_product(n, x, incx, y, incy);
  if constexpr (Format<T>::kDouble) {
    if (incx == 1 && incy == 1 && n <= kChunk)
      return counted(one_chunk(kernels, n, x, y, largest, result));
  }
  return counted(dot_in_chunks(kernels, n, x, incx, y, incy, largest, result));
}

template <class T>
bool bracket_sum(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx,
                 Interval& sum) {
  return sum_in_chunks(kernels, n, x, incx, largest_term(n, x, incx), sum);
}

template <class T>
bool bracket_dot(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                 std::int64_t incy, Interval& sum) {
  return dot_in_chunks(kernels, n, x, incx, y, incy, largest_product(n, x, incx, y, incy), sum);
}

template bool better_in_buckets(std::int64_t, const float*, std::int64_t);
template bool better_in_buckets(std::int64_t, const double*, std::int64_t);
template bool bounded_sum(const Kernels&, std::int64_t, const float*, std::int64_t, float&);
template bool bounded_sum(const Kernels&, std::int64_t, const double*, std::int64_t, double&);
template bool bounded_dot(const Kernels&, std::int64_t, const float*, std::int64_t, const float*,
                          std::int64_t, float&);
template bool bounded_dot(const Kernels&, std::int64_t, const double*, std::int64_t, const double*,
                          std::int64_t, double&);
template bool bracket_sum(const Kernels&, std::int64_t, const float*, std::int64_t, Interval&);
template bool bracket_sum(const Kernels&, std::int64_t, const double*, std::int64_t, Interval&);
template bool bracket_dot(const Kernels&, std::int64_t, const float*, std::int64_t, const float*,
                          std::int64_t, Interval&);
template bool bracket_dot(const Kernels&, std::int64_t, const double*, std::int64_t, const double*,
                          std::int64_t, Interval&);

}  // namespace reprosum::exact
