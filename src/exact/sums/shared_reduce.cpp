#include "src/exact/sums/shared_reduce.h"

#include <algorithm>
#include <vector>

#include "src/base/workers.h"
#include "src/exact/machine/float_environment.h"
#include "src/exact/machine/path_counts.h"
#include "src/exact/sums/bounded.h"
#include "src/exact/sums/reduce.h"
#include "src/exact/sums/terms.h"
#include "src/exact/sums/total.h"

namespace reprosum::exact {
namespace {

// Terms that take some 100 microseconds, beside which those of waking a thread are few.
template <class T>
constexpr std::int64_t kShare = 3'200'000 / sizeof(T);

// part(begin, count, sum) for each share of n terms; each part's sum.
template <class Sum, class Part>
std::vector<Sum> parts_of(int workers, std::int64_t n, Part&& part) {
  std::vector<Sum> parts(static_cast<std::size_t>(workers));
  base::run_workers(workers, [&](int w) {
    const base::Share share = base::share_of(n, w, workers);
    in_default_environment(
        [&] { part(share.begin, share.end - share.begin, parts[static_cast<std::size_t>(w)]); });
  });
  return parts;
}

struct Bounded {
  Interval sum;
  bool holds = false;
};

// As one thread does: by bounds, and where those do not decide exactly. bracket(begin, count, sum)
// and total(begin, count) are the ways to a share; `bounds` says whether the first is worth a try.
template <class T, class Bracket, class Total>
T merged(bool bounds, int workers, std::int64_t n, Bracket&& bracket, Total&& total) {
  if (bounds) {
    const auto parts =
        parts_of<Bounded>(workers, n, [&](std::int64_t begin, std::int64_t count, Bounded& part) {
          part.holds = bracket(begin, count, part.sum);
        });
    const bool hold =
        std::all_of(parts.begin(), parts.end(), [](auto& part) { return part.holds; });
    T result;
    if (hold && in_default_environment([&] {
          Interval sum;
          for (const Bounded& part : parts) sum.add(part.sum);
          return sum.decides(result);
        })) {
      ++path_counts().bounded_calls;
      return result;
    }
    ++path_counts().undecided_calls;
  }
  const auto parts = parts_of<Accumulator<double>>(
      workers, n, [&](std::int64_t begin, std::int64_t count, Accumulator<double>& part) {
        part = total(begin, count);
      });
  Accumulator<double> sum;
  for (const Accumulator<double>& part : parts) sum.add_words(part.words(), part.seen());
  return sum.rounded<T>(Rounding::nearest_even);
}

}  // namespace

template <class T>
T shared_sum(const Kernels* kernels, int workers, std::int64_t n, const T* x, std::int64_t incx) {
  workers = base::useful_workers(workers, static_cast<Uint128>(n), kShare<T>);
  if (workers == 1) return sum_with(kernels, n, x, incx);
  x = first_element(x, n, incx);
  const bool bounds =
      kernels != nullptr && !in_default_environment([=] { return better_in_buckets(n, x, incx); });
  return merged<T>(
      bounds, workers, n,
      [=](std::int64_t begin, std::int64_t count, Interval& sum) {
        return bracket_sum(*kernels, count, x + begin * incx, incx, sum);
      },
      [=](std::int64_t begin, std::int64_t count) {
        return total_of_values(kernels, count, x + begin * incx, incx);
      });
}

template <class T>
T shared_dot(const Kernels* kernels, int workers, std::int64_t n, const T* x, std::int64_t incx,
             const T* y, std::int64_t incy) {
  workers = base::useful_workers(workers, static_cast<Uint128>(n), kShare<T>);
  if (workers == 1) return dot_with(kernels, n, x, incx, y, incy);
  x = first_element(x, n, incx);
  y = first_element(y, n, incy);
  return merged<T>(
      kernels != nullptr, workers, n,
      [=](std::int64_t begin, std::int64_t count, Interval& sum) {
        return bracket_dot(*kernels, count, x + begin * incx, incx, y + begin * incy, incy, sum);
      },
      [=](std::int64_t begin, std::int64_t count) {
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
