#include "src/exact/sums/reduce.h"

#include "src/exact/machine/path_counts.h"
#include "src/exact/sums/blocks.h"
#include "src/exact/sums/bounded.h"
#include "src/exact/sums/ladder.h"
#include "src/exact/sums/one_chunk.h"
#include "src/exact/sums/terms.h"
#include "src/exact/values/float_bits.h"

namespace reprosum::exact {
namespace {

// False if NaN or infinities are among the terms: which there are decides then, and the kernels do
// not tell. A sum that is zero is -0 only if all terms are; seen(i) is what term i is.
template <class T, class Seen>
bool rounded_fast(Ladder& ladder, std::int64_t n, T& result, Seen&& seen) {
  const Accumulator<double>& total = ladder.total();
  constexpr unsigned kSpecial = kSeenNan | kSeenPlusInfinity | kSeenMinusInfinity;
  if ((total.seen() & kSpecial) != 0) return false;
  if (!is_zero(total.words())) {
    result = total.rounded<T>(Rounding::nearest_even);
    return true;
  }
  std::int64_t i = 0;
  while (i < n && seen(i) == kSeenMinusZero) ++i;
  result = i == n ? -T(0) : T(0);
  return true;
}

// The first way, if it is worth trying. What surrounds short vectors counts: no further calls.
template <class T>
[[gnu::always_inline]] inline bool bounded(const Kernels& kernels, std::int64_t n, const T* first,
                                           std::int64_t inc, T& result) {
  if constexpr (Format<T>::kDouble) {
    if (inc == 1 && n <= kChunk) return one_chunk(kernels, n, first, result);
  }
  return !better_in_buckets(n, first, inc) && bounded_sum(kernels, n, first, inc, result);
}

template <class T>
[[gnu::always_inline]] inline bool bounded(const Kernels& kernels, std::int64_t n, const T* x,
                                           std::int64_t incx, const T* y, std::int64_t incy,
                                           T& result) {
  if constexpr (Format<T>::kDouble) {
    if (incx == 1 && incy == 1 && n <= kChunk) return one_chunk(kernels, n, x, y, result);
  }
  return bounded_dot(kernels, n, x, incx, y, incy, result);
}

template <class T>
[[gnu::noinline]] bool sum_fast(const Kernels& kernels, std::int64_t n, const T* first,
                                std::int64_t inc, T& result) {
  Ladder ladder(kernels);
  add_blocks_of_values(ladder, n, first, inc);
  return rounded_fast(ladder, n, result,
                      [&](std::int64_t i) { return seen_of(decode(first[i * inc])); });
}

template <class T>
[[gnu::noinline]] bool dot_fast(const Kernels& kernels, std::int64_t n, const T* x,
                                std::int64_t incx, const T* y, std::int64_t incy, T& result) {
  Ladder ladder(kernels);
  add_blocks_of_products(ladder, n, x, incx, y, incy);
  return rounded_fast(ladder, n, result, [&](std::int64_t i) {
    return seen_of_product(decode(x[i * incx]), decode(y[i * incy]));
  });
}

template <class T>
[[gnu::noinline]] T portable_sum(std::int64_t n, const T* first, std::int64_t inc) {
  ++path_counts().portable_calls;
  Accumulator<T> total;
  add_values(total, n, first, inc);
  return total.template rounded<T>(Rounding::nearest_even);
}

template <class T>
[[gnu::noinline]] T portable_dot(std::int64_t n, const T* first_x, std::int64_t incx,
                                 const T* first_y, std::int64_t incy) {
  ++path_counts().portable_calls;
  Accumulator<T> total;
  add_products(total, n, first_x, incx, first_y, incy);
  return total.template rounded<T>(Rounding::nearest_even);
}

}  // namespace

template <class T>
T sum_with(const Kernels* kernels, std::int64_t n, const T* x, std::int64_t incx) {
  const T* const first = n > 0 ? first_element(x, n, incx) : x;
  if (kernels != nullptr && n > 0) {
    T result;
    [[maybe_unused]] const FloatEnvironment environment{};
    if (bounded(*kernels, n, first, incx, result)) return result;
    if (n >= kFewest && sum_fast(*kernels, n, first, incx, result)) return result;
  }
  return portable_sum(n, first, incx);
}

template <class T>
T dot_with(const Kernels* kernels, std::int64_t n, const T* x, std::int64_t incx, const T* y,
           std::int64_t incy) {
  const T* const first_x = n > 0 ? first_element(x, n, incx) : x;
  const T* const first_y = n > 0 ? first_element(y, n, incy) : y;
  if (kernels != nullptr && n > 0) {
    T result;
    [[maybe_unused]] const FloatEnvironment environment{};
    if (bounded(*kernels, n, first_x, incx, first_y, incy, result)) return result;
    if (n >= kFewest && dot_fast(*kernels, n, first_x, incx, first_y, incy, result)) return result;
  }
  return portable_dot(n, first_x, incx, first_y, incy);
}

template <class T>
T sum(std::int64_t n, const T* x, std::int64_t incx) {
  return sum_with(best_kernels(), n, x, incx);
}

template <class T>
T dot(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy) {
  return dot_with(best_kernels(), n, x, incx, y, incy);
}

template float sum(std::int64_t, const float*, std::int64_t);
template double sum(std::int64_t, const double*, std::int64_t);
template float dot(std::int64_t, const float*, std::int64_t, const float*, std::int64_t);
template double dot(std::int64_t, const double*, std::int64_t, const double*, std::int64_t);
template float sum_with(const Kernels*, std::int64_t, const float*, std::int64_t);
template double sum_with(const Kernels*, std::int64_t, const double*, std::int64_t);
template float dot_with(const Kernels*, std::int64_t, const float*, std::int64_t, const float*,
                        std::int64_t);
template double dot_with(const Kernels*, std::int64_t, const double*, std::int64_t, const double*,
                         std::int64_t);

}  // namespace reprosum::exact
