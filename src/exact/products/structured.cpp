#include "src/exact/products/structured.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/exact/entries/exact_entry.h"
#include "src/exact/machine/float_environment.h"
#include "src/exact/products/product.h"
#include "src/exact/values/float_bits.h"

namespace reprosum::exact {
namespace {

constexpr std::int64_t kDiagonal = 48;  // rows of a block on the diagonal that has a copy
constexpr std::int64_t kRows = 256;     // of a strip of a matrix that is written out

template <class T>
View<T> part(View<T> view, std::int64_t i, std::int64_t j) {
  return {view.first + i * view.row + j * view.column, view.row, view.column};
}

// The m x n entries of c from (i, j) on.
template <class T>
Product<T> part_of(const Product<T>& call, std::int64_t i, std::int64_t j, std::int64_t m,
                   std::int64_t n) {
  return {m,
          n,
          call.k,
          call.alpha,
          part(call.a, i, 0),
          part(call.b, 0, j),
          call.beta,
          part(call.c, i, j)};
}

// By a whole block, of which the triangle is copied back.
template <class T>
void multiply_diagonal(const Kernels* kernels, const Product<T>& call, bool lower, int workers) {
  std::vector<T> block(static_cast<std::size_t>(call.n * call.n));
  const View<T> whole{block.data(), 1, call.n};
  const auto for_each = [&](auto&& body) {
    for (std::int64_t j = 0; j < call.n; ++j)
      for (std::int64_t i = lower ? j : 0; i < (lower ? call.n : j + 1); ++i)
        body(whole.at(i, j), call.c.at(i, j));
  };
  if (!is_zero(call.beta)) for_each([](T& copy, const T& c) { copy = c; });
  Product<T> mine = call;
  mine.c = whole;
  multiply(kernels, mine, workers);
  for_each([](const T& copy, T& c) { c = copy; });
}

template <class T>
std::vector<T> side_by_side(View<const T> left, View<const T> right, std::int64_t n,
                            std::int64_t k) {
  std::vector<T> both(static_cast<std::size_t>(2 * n * k));
  for (std::int64_t i = 0; i < n; ++i) {
    T* const row = both.data() + 2 * i * k;
    for (std::int64_t l = 0; l < k; ++l) row[l] = left.at(i, l), row[k + l] = right.at(i, l);
  }
  return both;
}

// Rows begin to end of a triangular matrix, with zeros for the other triangle, in columns first to
// last: those that hold what is not zero in any of the rows.
template <class T>
struct Strip {
  std::int64_t begin, end, first, last;
  std::vector<T> data;

  Strip(const Triangular<T>& op, std::int64_t from)
      : begin(from),
        end(std::min(op.n, from + kRows)),
        first(op.lower ? 0 : begin),
        last(op.lower ? end : op.n),
        data(static_cast<std::size_t>((end - begin) * (last - first))) {
    for (std::int64_t i = begin; i < end; ++i) {
      T* const row = data.data() + (i - begin) * (last - first) - first;
      const std::int64_t left = op.lower ? 0 : i + 1, right = op.lower ? i : op.n;
      for (std::int64_t j = left; j < right; ++j) row[j] = op.a.at(i, j);
      row[i] = op.unit ? T(1) : op.a.at(i, i);
    }
  }
  View<const T> view() const { return {data.data(), last - first, 1}; }
};

template <class T>
bool all_finite(const T* column, std::int64_t n) {
  return std::all_of(column, column + n, [](T value) { return std::isfinite(value); });
}

// What a strip's zeros may have spoilt is computed again without them: the entries of columns with
// an infinity or a NaN, or all if alpha is one, and zeros, whose sign they decide with. `call` has
// c for rows of the strip.
template <class T>
void mend(const Kernels* kernels, const Triangular<T>& op, const Strip<T>& strip,
          const Product<T>& call) {
  for (std::int64_t j = 0; j < call.n; ++j) {
    const bool finite = std::isfinite(call.alpha) && all_finite(&call.b.at(0, j), call.k);
    for (std::int64_t i = strip.begin; i < strip.end; ++i) {
      T& c = call.c.at(i - strip.begin, j);
      if (finite && c != T(0)) continue;
      const std::int64_t left = op.lower ? 0 : i, right = op.lower ? i + 1 : op.n;
      Product<T> entry = call;
      entry.k = right - left;
      entry.a = part(call.a, i - strip.begin, left - strip.first);
      entry.b = part(call.b, left - strip.first, j);
      c = exact_entry(kernels, entry, 0, 0);
    }
  }
}

}  // namespace

template <class T>
void multiply_triangle(const Kernels* kernels, const Product<T>& call, bool lower, int workers) {
  if (call.n == 0) return;
  if (call.n <= kDiagonal) return multiply_diagonal(kernels, call, lower, workers);
  const std::int64_t half = call.n / 2, rest = call.n - half;
  multiply_triangle(kernels, part_of(call, 0, 0, half, half), lower, workers);
  multiply_triangle(kernels, part_of(call, half, half, rest, rest), lower, workers);
  if (lower)
    multiply(kernels, part_of(call, half, 0, rest, half), workers);
  else
    multiply(kernels, part_of(call, 0, half, half, rest), workers);
}

template <class T>
void multiply_both(const Kernels* kernels, const Product<T>& call, bool lower, int workers) {
  Product<T> both = call;
  std::vector<T> left, right;
  if (!is_zero(call.alpha) && call.k > 0) {
    left = side_by_side(call.a, call.b, call.n, call.k);
    right = side_by_side(call.b, call.a, call.n, call.k);
  }
  both.k = 2 * call.k;
  both.a = {left.data(), both.k, 1};
  both.b = {right.data(), 1, both.k};
  multiply_triangle(kernels, both, lower, workers);
}

template <class T>
void multiply_symmetric(const Kernels* kernels, const Product<T>& call, bool lower, int workers) {
  if (call.m == 0 || call.n == 0) return;
  if (is_zero(call.alpha)) return multiply(kernels, call, workers);
  std::vector<T> rows(static_cast<std::size_t>(std::min(kRows, call.m) * call.k));
  for (std::int64_t begin = 0; begin < call.m; begin += kRows) {
    const std::int64_t end = std::min(call.m, begin + kRows);
    for (std::int64_t i = begin; i < end; ++i) {
      T* const row = rows.data() + (i - begin) * call.k;
      for (std::int64_t j = 0; j < call.k; ++j)
        row[j] = (j < i) == lower || j == i ? call.a.at(i, j) : call.a.at(j, i);
    }
    Product<T> mine = part_of(call, begin, 0, end - begin, call.n);
    mine.a = {rows.data(), call.k, 1};
    multiply(kernels, mine, workers);
  }
}

template <class T>
void multiply_triangular(const Kernels* kernels, const Triangular<T>& op, T alpha,
                         std::int64_t columns, View<T> b, int workers) {
  if (op.n == 0 || columns == 0) return;
  if (is_zero(alpha)) return multiply(kernels, Product<T>{op.n, columns, 0, 0, {}, {}, 0, b}, 1);
  std::vector<T> before(static_cast<std::size_t>(op.n * columns));
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < op.n; ++i)
      before[static_cast<std::size_t>(j * op.n + i)] = b.at(i, j);
  const View<const T> right{before.data(), 1, op.n};
  for (std::int64_t begin = 0; begin < op.n; begin += kRows) {
    const Strip<T> strip(op, begin);
    const Product<T> call{
        strip.end - strip.begin,     columns, strip.last - strip.first, alpha, strip.view(),
        part(right, strip.first, 0), T(0),    part(b, strip.begin, 0)};
    multiply(kernels, call, workers);
    in_default_environment([&] { mend(kernels, op, strip, call); });
  }
}

template void multiply_triangle(const Kernels*, const Product<float>&, bool, int);
template void multiply_triangle(const Kernels*, const Product<double>&, bool, int);
template void multiply_both(const Kernels*, const Product<float>&, bool, int);
template void multiply_both(const Kernels*, const Product<double>&, bool, int);
template void multiply_symmetric(const Kernels*, const Product<float>&, bool, int);
template void multiply_symmetric(const Kernels*, const Product<double>&, bool, int);
template void multiply_triangular(const Kernels*, const Triangular<float>&, float, std::int64_t,
                                  View<float>, int);
template void multiply_triangular(const Kernels*, const Triangular<double>&, double, std::int64_t,
                                  View<double>, int);

}  // namespace reprosum::exact
