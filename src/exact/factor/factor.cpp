#include "src/exact/factor/factor.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "src/base/workers.h"
#include "src/exact/factor/fast_factor.h"
#include "src/exact/machine/float_environment.h"
#include "src/exact/solve/triangular.h"
#include "src/exact/values/quotient.h"

namespace reprosum::exact {
namespace {

template <class T>
void swap_rows(View<T> a, std::int64_t columns, std::int64_t i, std::int64_t k) {
  if (i == k) return;
  for (std::int64_t j = 0; j < columns; ++j) std::swap(a.at(i, j), a.at(k, j));
}

// a_ij - sum of l_ik u_kj over k < depth
template <class T>
Accumulator<double> entry(const Kernels* kernels, View<T> a, std::int64_t i, std::int64_t j,
                          std::int64_t depth) {
  return residual<T>(kernels, depth, a.at(i, j), a.first + i * a.row, a.column,
                     a.first + j * a.column, a.row);
}

template <class T>
std::int64_t factor_columns(const Kernels* kernels, std::int64_t m, std::int64_t n, View<T> a,
                            std::int64_t* pivots, std::vector<Accumulator<double>>& sums) {
  std::int64_t singular = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < std::min(j, m); ++i)
      a.at(i, j) = entry(kernels, a, i, j, i).template rounded<T>(Rounding::nearest_even);
    if (j >= m) continue;
    std::int64_t pivot = j;
    for (std::int64_t i = j; i < m; ++i) {
      Accumulator<double>& sum = sums[static_cast<std::size_t>(i)];
      sum = entry(kernels, a, i, j, j);
      a.at(i, j) = sum.template rounded<T>(Rounding::nearest_even);
      if (std::fabs(a.at(i, j)) > std::fabs(a.at(pivot, j))) pivot = i;
    }
    pivots[j] = pivot + 1;
    swap_rows(a, n, j, pivot);
    std::swap(sums[static_cast<std::size_t>(j)], sums[static_cast<std::size_t>(pivot)]);
    if (is_zero(a.at(j, j))) {
      if (singular == 0) singular = j + 1;
      continue;
    }
    for (std::int64_t i = j + 1; i < m; ++i)
      a.at(i, j) = rounded_quotient(sums[static_cast<std::size_t>(i)], a.at(j, j));
  }
  return singular;
}

}  // namespace

template <class T>
std::int64_t factor(const Kernels* kernels, std::int64_t m, std::int64_t n, View<T> a,
                    std::int64_t* pivots, int workers) {
  return in_default_environment([&] {
    std::int64_t info = 0;
    if (factor_fast(kernels, m, n, a, pivots, 0, workers, info)) return info;
    std::vector<Accumulator<double>> sums(static_cast<std::size_t>(m));
    return factor_columns(kernels, m, n, a, pivots, sums);
  });
}

template <class T>
void solve_factored(const Kernels* kernels, bool transposed, std::int64_t n, View<const T> a,
                    const std::int64_t* pivots, std::int64_t columns, View<T> b, int workers) {
  const View<const T> op = transposed ? a.transposed() : a;
  const Triangular<T> lower{n, op, true, !transposed}, upper{n, op, false, transposed};
  const Uint128 operations = static_cast<Uint128>(n) * static_cast<Uint128>(n + 100);
  workers = static_cast<int>(std::min<std::int64_t>(
      columns, base::useful_workers(workers, operations * static_cast<Uint128>(columns), 200'000)));
  base::run_workers(workers, [&](int w) {
    const base::Share share = base::share_of(columns, w, workers);
    const View<T> mine{b.first + share.begin * b.column, b.row, b.column};
    const std::int64_t count = share.end - share.begin;
    if (!transposed)
      for (std::int64_t i = 0; i < n; ++i) swap_rows(mine, count, i, pivots[i] - 1);
    for (std::int64_t j = 0; j < count; ++j) {
      const View<T> column{mine.first + j * mine.column, mine.row, mine.column};
      substitute(kernels, lower, column);
      substitute(kernels, upper, column);
    }
    if (transposed)
      for (std::int64_t i = n; i-- > 0;) swap_rows(mine, count, i, pivots[i] - 1);
  });
}

template std::int64_t factor(const Kernels*, std::int64_t, std::int64_t, View<float>, std::int64_t*,
                             int);
template std::int64_t factor(const Kernels*, std::int64_t, std::int64_t, View<double>,
                             std::int64_t*, int);
template void solve_factored(const Kernels*, bool, std::int64_t, View<const float>,
                             const std::int64_t*, std::int64_t, View<float>, int);
template void solve_factored(const Kernels*, bool, std::int64_t, View<const double>,
                             const std::int64_t*, std::int64_t, View<double>, int);

}  // namespace reprosum::exact
