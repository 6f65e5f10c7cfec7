#include "src/exact/products/outer.h"

#include <algorithm>
#include <cmath>

#include "src/exact/machine/fast_counts.h"
#include "src/exact/machine/float_environment.h"
#include "src/exact/machine/host.h"
#include "src/exact/machine/room.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/sums/terms.h"
#include "src/exact/values/nearest.h"
#include "src/exact/values/triple.h"

namespace reprosum::exact {
namespace {

constexpr std::int64_t kRows = 256;  // of a piece of a column

// alpha * x_i == high[i] + low[i] exactly, or low[i] is NaN: then the entries of row i fail the
// rounding test.
template <class T>
struct Scaled {
  double *high, *low;  // kRows of each

  void set(std::int64_t rows, T alpha, const T* x, std::int64_t incx) {
    const auto a = static_cast<double>(alpha);
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto v = static_cast<double>(x[i * incx]);
      const double p = a * v;
      // Below 2^-900 the low part may be rounded; above 2^1000 products with y may overflow.
      // Special values and zeros are exact in IEEE arithmetic, but zeros of underflow are not.
      const bool special = !std::isfinite(a) || !std::isfinite(v) || a == 0 || v == 0;
      const bool usual = std::fabs(p) >= 0x1p-900 && std::fabs(p) <= 0x1p1000;
      high[i] = p;
      low[i] = special ? 0 : usual ? std::fma(a, v, -p) : std::numeric_limits<double>::quiet_NaN();
    }
  }
};

// What the entries of a piece are, NaN where that is not certain. With p = high + low, h = high * y
// rounded and l = high * y - h:
//     p * y + a = h + a + l + low * y = s + (t + l + low * y), s + t = h + a.
// l is exact if |h| is 0 or at least 2^-900, which is looked at; t is exact. The bracket takes two
// operations, each rounded by at most 2^-53 times its result (2^-1075 if that is subnormal).
// Where low is 0, fma(high, y, a) is the entry of double, special values included. For floats, p
// and h + l are always exact in doubles, so that with h == 0 nothing is rounded before the end.
template <class T>
[[gnu::always_inline]] inline void outer_piece(std::int64_t rows, const double* high,
                                               const double* low, double y, const T* a, T* out) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto c = static_cast<double>(a[i]);
    const double h = high[i] * y, l = std::fma(high[i], y, -h);
    double s, t;
    two_sum(h, c, s, t);
    const double part = std::fma(low[i], y, l), rest = t + part;
    const double radius = (std::fabs(part) + std::fabs(rest)) * 0x1p-52 + 0x1p-1000 +
                          (sizeof(T) == 8 && std::fabs(h) < 0x1p-900 ? kNan : 0);
    T tested;
    const bool certain = nearest_of(s, rest, radius, tested);
    const bool direct = sizeof(T) == 8 ? low[i] == 0 : h == 0;
    const double sum = sizeof(T) == 8 ? std::fma(high[i], y, c) : h + c;
    out[i] = direct ? static_cast<T>(sum) : certain ? tested : static_cast<T>(kNan);
  }
}

template <class T>
void add_product(const Kernels* kernels, std::int64_t m, std::int64_t n, T alpha, const T* x,
                 std::int64_t incx, const T* y, std::int64_t incy, T* a, std::int64_t lda) {
  x = first_element(x, m, incx);
  y = first_element(y, n, incy);
  with_room<double, 3 * kRows>([&](double* room) {
    T* const out = reinterpret_cast<T*>(room + 2 * kRows);
    Scaled<T> scaled{room, room + kRows};
    for (std::int64_t begin = 0; begin < m; begin += kRows) {
      const std::int64_t rows = std::min(kRows, m - begin);
      scaled.set(rows, alpha, x + begin * incx, incx);
      for (std::int64_t j = 0; j < n; ++j) {
        T* const column = a + j * lda + begin;
        const T yj = y[j * incy];
        const double *const high = scaled.high, *const low = scaled.low;
        const auto piece = [=]() REPROSUM_INLINED {
          outer_piece(rows, high, low, static_cast<double>(yj), column, out);
        };
        run_vectorized(lanes_of(kernels), piece);
        for (std::int64_t i = 0; i < rows; ++i) {
          if (out[i] == out[i]) {
            column[i] = out[i];
            continue;
          }
          TripleAccumulator exact;
          exact.add_triple(static_cast<double>(alpha), static_cast<double>(x[(begin + i) * incx]),
                           static_cast<double>(yj));
          exact.add_product(static_cast<double>(column[i]), 1.0);
          column[i] = exact.rounded<T>();
          ++fast_counts().settled;
        }
        fast_counts().tried += rows;
      }
    }
  });
}

}  // namespace

template <class T>
void add_outer_product(const Kernels* kernels, std::int64_t m, std::int64_t n, T alpha, const T* x,
                       std::int64_t incx, const T* y, std::int64_t incy, T* a, std::int64_t lda) {
  if (m == 0 || n == 0 || is_zero(alpha)) return;
  in_default_environment([&] { add_product(kernels, m, n, alpha, x, incx, y, incy, a, lda); });
}

template void add_outer_product(const Kernels*, std::int64_t, std::int64_t, float, const float*,
                                std::int64_t, const float*, std::int64_t, float*, std::int64_t);
template void add_outer_product(const Kernels*, std::int64_t, std::int64_t, double, const double*,
                                std::int64_t, const double*, std::int64_t, double*, std::int64_t);

}  // namespace reprosum::exact
