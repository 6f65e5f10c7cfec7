#include "src/exact/shared_reduce.h"

#include <vector>

#include "src/exact/float_environment.h"
#include "src/exact/reduce.h"
#include "src/exact/terms.h"
#include "src/exact/total.h"
#include "src/exact/workers.h"

namespace reprosum::exact {
namespace {

// A thread's start costs about as much as this many terms.
constexpr std::int64_t kShare = 100'000;

// total(begin, count) for each share of n terms.
template <class T, class Total>
T merged(int workers, std::int64_t n, Total&& total) {
  std::vector<Accumulator<double>> parts(static_cast<std::size_t>(workers));
  run_workers(workers, [&](int w) {
    const Share share = share_of(n, w, workers);
    parts[static_cast<std::size_t>(w)] =
        in_default_environment([&] { return total(share.begin, share.end - share.begin); });
  });
  Accumulator<double> sum;
  for (const Accumulator<double>& part : parts) sum.add_words(part.words(), part.seen());
  return sum.rounded<T>(Rounding::nearest_even);
}

}  // namespace

template <class T>
T shared_sum(const Kernels* kernels, int workers, std::int64_t n, const T* x, std::int64_t incx) {
  workers = useful_workers(workers, static_cast<Uint128>(n), kShare);
  if (workers == 1) return sum_with(kernels, n, x, incx);
  x = first_element(x, n, incx);
  return merged<T>(workers, n, [=](std::int64_t begin, std::int64_t count) {
    return total_of_values(kernels, count, x + begin * incx, incx);
  });
}

template <class T>
T shared_dot(const Kernels* kernels, int workers, std::int64_t n, const T* x, std::int64_t incx,
             const T* y, std::int64_t incy) {
  workers = useful_workers(workers, static_cast<Uint128>(n), kShare);
  if (workers == 1) return dot_with(kernels, n, x, incx, y, incy);
  x = first_element(x, n, incx);
  y = first_element(y, n, incy);
  return merged<T>(workers, n, [=](std::int64_t begin, std::int64_t count) {
    return total_of_products(kernels, count, x + begin * incx, incx, y + begin * incy, incy);
  });
}

template float shared_sum(const Kernels*, int, std::int64_t, const float*, std::int64_t);
template double shared_sum(const Kernels*, int, std::int64_t, const double*, std::int64_t);
template float shared_dot(const Kernels*, int, std::int64_t, const float*, std::int64_t,
                          const float*, std::int64_t);
template double shared_dot(const Kernels*, int, std::int64_t, const double*, std::int64_t,
                           const double*, std::int64_t);

}  // namespace reprosum::exact
