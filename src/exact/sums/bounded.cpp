#include "src/exact/sums/bounded.h"

#include <algorithm>
#include <bit>

#include "src/exact/machine/path_counts.h"
#include "src/exact/machine/room.h"
#include "src/exact/sums/bounded_floats.h"
#include "src/exact/sums/chunks.h"
#include "src/exact/values/float_bits.h"

namespace reprosum::exact {
namespace {

// Vectors of any length and increments.
template <class To>
[[gnu::noinline]] bool long_sum(const Kernels& kernels, std::int64_t n, const double* first_x,
                                std::int64_t incx, int largest, To& result) {
  return with_room<double, kBlock>([&](double* copy) {
    Terms<double> x(first_x, incx, copy);
    return doubles_in_chunks(
        kernels, n, x.lead(kChunk), x.at_most(kChunk), largest, result,
        [&](std::int64_t begin, std::int64_t count) { return x.at(begin, count); });
  });
}

template <class To>
[[gnu::noinline]] bool long_dot(const Kernels& kernels, std::int64_t n, const double* first_x,
                                std::int64_t incx, const double* first_y, std::int64_t incy,
                                int largest, To& result) {
  return with_room<double, 2 * kBlock>([&](double* copy) {
    Terms<double> x(first_x, incx, copy), y(first_y, incy, copy + kBlock);
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
  });
}

template <class To>
bool long_sum(const Kernels& kernels, std::int64_t n, const float* x, std::int64_t incx,
              double largest, To& result) {
  return float_sum_in_chunks(kernels, n, x, incx, largest, result);
}
template <class To>
bool long_dot(const Kernels& kernels, std::int64_t n, const float* x, std::int64_t incx,
              const float* y, std::int64_t incy, double largest, To& result) {
  return float_dot_in_chunks(kernels, n, x, incx, y, incy, largest, result);
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
      if (out.holds && judge(out, result)) return count_bounded(true);
    }
  }
  return count_bounded(long_sum(kernels, n, x, incx, largest_term(n, x, incx), result));
}

template <class T>
bool bounded_dot(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                 std::int64_t incy, T& result) {
  if constexpr (!Format<T>::kDouble) {
    if (incx == 1 && incy == 1 && n < kFewestFloats) {
      Bracket<float> out;
      kernels.wide_dot_bracket(x, y, n, out);
      if (out.holds && judge(out, result)) return count_bounded(true);
    }
  }
  return count_bounded(
      long_dot(kernels, n, x, incx, y, incy, largest_product(n, x, incx, y, incy), result));
}

template <class T>
bool bracket_sum(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx,
                 Interval& sum) {
  return long_sum(kernels, n, x, incx, largest_term(n, x, incx), sum);
}

template <class T>
bool bracket_dot(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                 std::int64_t incy, Interval& sum) {
  return long_dot(kernels, n, x, incx, y, incy, largest_product(n, x, incx, y, incy), sum);
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
