// trsm: substitution for many right sides that are scaled without a rounding of their own.
#include "src/exact/solve/many_sides.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "src/base/workers.h"
#include "src/exact/machine/float_environment.h"
#include "src/exact/products/product.h"
#include "src/exact/solve/triangular.h"
#include "src/exact/values/float_bits.h"
#include "src/exact/values/quotient.h"

namespace reprosum::exact {
namespace {

// alpha * b as p + rest, both of T, if that is exact. The rest of an infinity, a NaN or a zero is a
// zero of its sign.
template <class T>
bool split_product(T alpha, T b, T& p, T& rest) {
  p = alpha * b;
  if (!std::isfinite(alpha) || !std::isfinite(b) || is_zero(alpha) || is_zero(b)) {
    rest = std::copysign(T(0), p);
    return true;
  }
  if (!std::isfinite(p)) return false;
  if constexpr (Format<T>::kDouble) {
    if (std::fabs(p) < 0x1p-960) return false;  // the rest may be no number
    rest = std::fma(alpha, b, -p);
    return true;
  } else {
    const double left =
        static_cast<double>(alpha) * static_cast<double>(b) - static_cast<double>(p);
    rest = static_cast<T>(left);
    return static_cast<double>(rest) == left;
  }
}

// Right sides p + rest for op(A), without a rounding of their sum: the rests are the column of one
// more unknown, which is 1. It is the first to be found, so
//     x_i = (p_i - (-rest_i) * 1 - sum of a_ij x_j) / a_ii
// is a step of the larger system. A rest of zero has the sign of p, and so is no other term than p.
template <class T>
class Extended {
 public:
  explicit Extended(const Triangular<T>& system)
      : system_(system),
        first_(system.lower ? 1 : 0),
        extra_(system.lower ? 0 : system.n),
        matrix_(static_cast<std::size_t>((system.n + 1) * (system.n + 1))),
        side_(static_cast<std::size_t>(system.n + 1)) {
    const bool by_columns = std::abs(system.a.row) <= std::abs(system.a.column);
    a_ = {matrix_.data(), by_columns ? 1 : system.n + 1, by_columns ? system.n + 1 : 1};
    for (std::int64_t j = 0; j < system.n; ++j)
      for (std::int64_t i = system.lower ? j : 0; i < (system.lower ? system.n : j + 1); ++i)
        if (i != j || !system.unit) a_.at(first_ + i, first_ + j) = system.a.at(i, j);
    a_.at(extra_, extra_) = T(1);
  }

  // b := x of op(A) x = b + rest
  void solve(const Kernels* kernels, View<T> b, const std::vector<T>& rest) {
    for (std::int64_t i = 0; i < system_.n; ++i) {
      side_[static_cast<std::size_t>(first_ + i)] = b.at(i, 0);
      a_.at(first_ + i, extra_) = -rest[static_cast<std::size_t>(i)];
    }
    side_[static_cast<std::size_t>(extra_)] = T(1);
    substitute(
        kernels,
        Triangular<T>{system_.n + 1, {a_.first, a_.row, a_.column}, system_.lower, system_.unit},
        View<T>{side_.data(), 1, 0});
    for (std::int64_t i = 0; i < system_.n; ++i)
      b.at(i, 0) = side_[static_cast<std::size_t>(first_ + i)];
  }

 private:
  Triangular<T> system_;
  std::int64_t first_, extra_;
  std::vector<T> matrix_, side_;
  View<T> a_{};
};

// A column whose scaled right side is no sum of two numbers of T: alpha * b_i goes into the sum as
// a product.
template <class T>
void substitute_scaled(const Kernels* kernels, const Triangular<T>& system, T alpha, View<T> b) {
  const std::int64_t n = system.n;
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t i = system.lower ? step : n - 1 - step;
    const std::int64_t solved = system.lower ? 0 : i + 1;
    Accumulator<double> sum = total_of_products(kernels, step, &system.a.at(i, solved),
                                                system.a.column, &b.at(solved, 0), b.row);
    sum.negate();
    sum.add_product(static_cast<double>(alpha), static_cast<double>(b.at(i, 0)));
    b.at(i, 0) = system.unit ? sum.rounded<T>(Rounding::nearest_even)
                             : rounded_quotient(sum, system.a.at(i, i));
  }
}

// The right sides of one worker.
template <class T>
class Side {
 public:
  Side(const Kernels* kernels, const Triangular<T>& system, T alpha)
      : kernels_(kernels), system_(system), alpha_(alpha) {}

  void solve(View<T> b) {
    if (alpha_ == T(1)) return substitute(kernels_, system_, b);
    if (!split(b)) return substitute_scaled(kernels_, system_, alpha_, b);
    for (std::int64_t i = 0; i < system_.n; ++i) b.at(i, 0) = scaled_[static_cast<std::size_t>(i)];
    const bool is_exact =
        std::all_of(rest_.begin(), rest_.end(), [](T rest) { return is_zero(rest); });
    if (is_exact) return substitute(kernels_, system_, b);
    if (extended_ == nullptr) extended_ = std::make_unique<Extended<T>>(system_);
    extended_->solve(kernels_, b, rest_);
  }

 private:
  bool split(View<T> b) {
    scaled_.resize(static_cast<std::size_t>(system_.n));
    rest_.resize(static_cast<std::size_t>(system_.n));
    for (std::int64_t i = 0; i < system_.n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (!split_product(alpha_, b.at(i, 0), scaled_[at], rest_[at])) return false;
    }
    return true;
  }

  const Kernels* kernels_;
  const Triangular<T>& system_;
  T alpha_;
  std::vector<T> scaled_, rest_;
  std::unique_ptr<Extended<T>> extended_;
};

}  // namespace

template <class T>
void substitute_columns(const Kernels* kernels, const Triangular<T>& system, T alpha,
                        std::int64_t columns, View<T> b, int workers) {
  if (system.n == 0 || columns == 0) return;
  if (is_zero(alpha))
    return multiply(kernels, Product<T>{system.n, columns, 0, 0, {}, {}, 0, b}, 1);
  const Uint128 operations = static_cast<Uint128>(system.n) * static_cast<Uint128>(system.n + 100);
  workers = static_cast<int>(std::min<std::int64_t>(
      columns, base::useful_workers(workers, operations * static_cast<Uint128>(columns), 200'000)));
  base::run_workers(workers, [&](int w) {
    const base::Share share = base::share_of(columns, w, workers);
    in_default_environment([&] {
      Side<T> side(kernels, system, alpha);
      for (std::int64_t j = share.begin; j < share.end; ++j)
        side.solve(View<T>{b.first + j * b.column, b.row, b.column});
    });
  });
}

template void substitute_columns(const Kernels*, const Triangular<float>&, float, std::int64_t,
                                 View<float>, int);
template void substitute_columns(const Kernels*, const Triangular<double>&, double, std::int64_t,
                                 View<double>, int);

}  // namespace reprosum::exact
