#include "src/exact/products/product.h"

#include <algorithm>
#include <bit>

#include "src/base/workers.h"
#include "src/exact/entries/exact_entry.h"
#include "src/exact/machine/float_environment.h"
#include "src/exact/products/fast_gemv.h"
#include "src/exact/products/fast_product.h"
#include "src/exact/sums/total.h"
#include "src/exact/values/float_bits.h"
#include "src/exact/values/triple.h"

namespace reprosum::exact {
namespace {

// c := beta * c, one rounding; beta == 0: +0.
template <class T>
void scale_outputs(const Product<T>& call) {
  if (call.beta == T(1)) return;
  for (std::int64_t j = 0; j < call.n; ++j) {
    for (std::int64_t i = 0; i < call.m; ++i) {
      T& c = call.c.at(i, j);
      const T scaled = is_zero(call.beta) ? T(0) : call.beta * c;
      c = scaled == scaled ? scaled : std::bit_cast<T>(Format<T>::kQuietNan);
    }
  }
}

}  // namespace

template <class T>
void multiply(const Kernels* kernels, const Product<T>& call, int workers) {
  if (call.m == 0 || call.n == 0) return;
  if (is_zero(call.alpha) || call.k == 0)
    return in_default_environment([&] { scale_outputs(call); });
  // Shares of whole columns, or of whole rows where there are more of those.
  const bool by_columns = call.n >= call.m;
  const std::int64_t lines = by_columns ? call.n : call.m;
  const auto entries = static_cast<Uint128>(call.m) * static_cast<Uint128>(call.n);
  // Products that take some 100 microseconds, beside which those of waking a thread are few.
  const std::int64_t share = call.n == 1 ? 2'000'000 : 1'000'000;
  workers = base::useful_workers(workers, entries * static_cast<Uint128>(call.k + 50), share);
  workers = static_cast<int>(std::min<std::int64_t>(workers, lines));
  if constexpr (Format<T>::kDouble) {
    if (workers > 1 &&
        in_default_environment([&] { return multiply_together(kernels, call, workers); }))
      return;
  }
  base::run_workers(workers, [&](int w) {
    const base::Share share = base::share_of(lines, w, workers);
    Product<T> mine = call;
    if (by_columns) {
      mine.n = share.end - share.begin;
      mine.b.first += share.begin * call.b.column;
      mine.c.first += share.begin * call.c.column;
    } else {
      mine.m = share.end - share.begin;
      mine.a.first += share.begin * call.a.row;
      mine.c.first += share.begin * call.c.row;
    }
    in_default_environment([&] {
      if (multiply_vector_fast(kernels, mine) || multiply_fast(kernels, mine)) return;
      for (std::int64_t j = 0; j < mine.n; ++j)
        for (std::int64_t i = 0; i < mine.m; ++i)
          mine.c.at(i, j) = exact_entry(kernels, mine, i, j);
    });
  });
}

template void multiply(const Kernels*, const Product<float>&, int);
template void multiply(const Kernels*, const Product<double>&, int);

}  // namespace reprosum::exact
