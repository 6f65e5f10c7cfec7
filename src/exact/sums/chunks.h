// What bounded sums and dot products share: exponents told to the kernels, vectors of any increment
// side by side, and brackets of chunks put together.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "src/exact/machine/path_counts.h"
#include "src/exact/sums/interval.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/values/float_bits.h"

namespace reprosum::exact {

// An e with |value| < 2^e, the least except for subnormal numbers. 1025 for infinities and NaN.
inline int exponent_above(double value) {
  return static_cast<int>((std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff) - 1022;
}

// What is found largest where terms are looked at, each of which may cost a cache miss. size(i) is
// an exponent, or a magnitude, of term i.
template <int kPlaces, class Size>
[[gnu::always_inline]] inline auto largest_of(std::int64_t n, Size&& size) {
  auto most = size(n - 1);
  for (int k = 0; k < kPlaces - 1; ++k) most = std::max(most, size(n / (kPlaces - 1) * k));
  return most;
}

// For doubles, an exponent above the largest of the terms looked at; for floats, its magnitude.
template <class T>
[[gnu::always_inline]] inline auto largest_term(std::int64_t n, const T* x, std::int64_t incx) {
  if constexpr (Format<T>::kDouble)
    return largest_of<4>(n, [=](std::int64_t i) { return exponent_above(x[i * incx]); });
  else
    return largest_of<16>(
        n, [&](std::int64_t i) { return std::fabs(static_cast<double>(x[i * incx])); });
}
template <class T>
[[gnu::always_inline]] inline auto largest_product(std::int64_t n, const T* x, std::int64_t incx,
                                                   const T* y, std::int64_t incy) {
  if constexpr (Format<T>::kDouble)
    return largest_of<4>(n, [&](std::int64_t i) {
      return exponent_above(x[i * incx]) + exponent_above(y[i * incy]);
    });
  else
    return largest_of<16>(n, [&](std::int64_t i) {
      return std::fabs(static_cast<double>(x[i * incx]) * static_cast<double>(y[i * incy]));
    });
}

inline int log2_above(std::int64_t n) {
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
      const int needed = exponent_above(largest()) + log2_above(kDouble ? n : kPath) + kSpare;
      if (needed <= exponent_ || needed > range_.highest) return false;  // NaN, infinities, zeros
      ++path_counts().rescaled_chunks;
      run(exponent_ = needed, out);
      if (!out.holds) return false;
    }
    if (kDouble && out.roomy) exponent_ -= 8;
    return true;
  }

 private:
  static constexpr bool kDouble = Format<T>::kDouble;
  const ExponentRange range_;
  int exponent_;
};

// Doubles leave room for terms that are larger than those looked at.
inline int exponent_of_chunk(std::int64_t n, int largest) {
  return largest + log2_above(std::min(n, kChunk)) + 3;
}
// Floats have few bits to spare. Paths of normal numbers reach some 14 times the largest of 16.
inline int exponent_of_path(double largest) { return exponent_above(largest * 1.75 * kPath); }

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
  // `copy` has room for kBlock of them.
  Terms(const T* first, std::int64_t increment, T* copy)
      : first_(first), increment_(increment), copy_(copy) {}
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
  T* copy_;
};

// What a chunk's bracket tells. False if its ends are not one number.
template <class T>
[[gnu::always_inline]] inline bool judge(const Bracket<T>& out, T& result) {
  if (!decided(out.below, out.above)) return false;
  result = out.below;
  return true;
}

// bracket(begin, count, out) for chunks of at most `most` terms, where there are several the first
// `lead` ones. Their sum is added to `sum`, in part only if that gives false.
template <class B, class Sum, class Chunk>
bool add_chunks(std::int64_t n, std::int64_t lead, std::int64_t most, Sum& sum, Chunk&& bracket) {
  B out;
  std::int64_t count = n <= most ? n : lead;
  for (std::int64_t begin = 0; begin < n; begin += count, count = std::min(most, n - begin)) {
    if (!bracket(begin, count, out)) return false;
    sum.add(out);
  }
  return true;
}

// Their sum goes to an Interval, or to a number if that decides it.
template <class B, class Chunk>
bool sum_of_chunks(std::int64_t n, std::int64_t lead, std::int64_t most, Interval& result,
                   Chunk&& bracket) {
  Interval sum;
  if (!add_chunks<B>(n, lead, most, sum, bracket)) return false;
  result.add(sum);
  return true;
}

template <class B, class T, class Chunk>
bool sum_of_chunks(std::int64_t n, std::int64_t lead, std::int64_t most, T& result,
                   Chunk&& bracket) {
  if constexpr (std::is_same_v<B, Bracket<T>>) {
    if (n <= most) {
      B out;
      return bracket(0, n, out) && judge(out, result);
    }
  }
  std::conditional_t<std::is_same_v<B, Bracket<float>>, RoundedInterval, Interval> sum;
  return add_chunks<B>(n, lead, most, sum, bracket) && sum.decides(result);
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

}  // namespace reprosum::exact
