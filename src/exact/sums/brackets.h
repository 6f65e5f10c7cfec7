// The vector loops that bound a chunk's sum of floats by sums in double, for a class V of vector
// operations. Included by kernels_avx2.cpp, after its target pragma, and by nobody else: vectors of
// eight take two operations to convert, which makes them slower.
//
// Floats become doubles without error. A lane adds m of them, or of their products by fma, in
// double, each time rounded: errs by at most m 2^-53 (all its |v| together), and lanes together
// likewise; A <= sqrt(n Q) bounds the |v| of all terms (sqrt(Q_x Q_y) those of products) where Q
// are the squares. Q is summed in float, in lanes of at most n / 8 + 1 <= 2^12 terms, which takes
// at most the part 2^-11, and n 2^-149 near zero. Q overflows early; then `error` is infinite or
// NaN and nothing holds. m is at most n over the lanes of four chains, and four for the remaining
// terms; `error` = (m + 40) 2^-52 A, of which half is for the rounding of A and of the ends.
#pragma once

#include "src/exact/sums/anchored_sums.h"

namespace {

// The bracket of a sum of floats, or of products of floats, that was added in double: `terms` is m
// above, `absolute` is A.
[[gnu::always_inline]] inline void close_wide(double sum, std::int64_t terms, double absolute,
                                              Bracket<float>& out) {
  out.high = sum;
  out.low = 0;
  out.error = static_cast<double>(terms + 40) * 0x1p-52 * absolute;
  out.holds = out.error <= 0x1p200;  // false for NaN
  close(out);
}

template <class V>
void wide_sum_bracket(const float* x, std::int64_t n, Bracket<float>& out) {
  constexpr std::int64_t kFloats = V::kFloats;
  constexpr int kPieces = static_cast<int>(kFloats / V::kLanes);
  typename V::Type sum[4][kPieces];
  typename V::FloatType squares[2] = {V::no_floats(), V::no_floats()};
#pragma GCC unroll 4
  for (int k = 0; k < kPieces; ++k) sum[0][k] = sum[1][k] = sum[2][k] = sum[3][k] = V::all(0);
  const auto step = [&](int chain, const float* p) __attribute__((always_inline)) {
    for (int k = 0; k < kPieces; ++k)
      sum[chain][k] = V::add(sum[chain][k], V::widen(p + k * V::kLanes));
    const typename V::FloatType f = V::load_floats(p);
    squares[chain % 2] = V::float_fma(f, f, squares[chain % 2]);
  };
  std::int64_t i = 0;
  for (; i + 4 * kFloats <= n; i += 4 * kFloats) {
    step(0, x + i);
    step(1, x + i + kFloats);
    step(2, x + i + 2 * kFloats);
    step(3, x + i + 3 * kFloats);
  }
  if (i + 2 * kFloats <= n) {
    step(0, x + i);
    step(1, x + i + kFloats);
    i += 2 * kFloats;
  }
  if (i + kFloats <= n) {
    step(2, x + i);
    i += kFloats;
  }
  if (i < n) {
    const typename V::FloatType f = V::load_first_floats(x + i, n - i);
    for (int k = 0; k < kPieces; ++k) sum[3][k] = V::add(sum[3][k], V::widen_piece(f, k));
    squares[1] = V::float_fma(f, f, squares[1]);
  }
  typename V::Type all = V::all(0);
  for (int k = 0; k < kPieces; ++k)
    all = V::add(all, V::add(V::add(sum[0][k], sum[1][k]), V::add(sum[2][k], sum[3][k])));
  const double q = V::sum_of_floats(squares[0]) + V::sum_of_floats(squares[1]) + 0x1p-130;
  close_wide(V::sum_of_lanes(all), n / (4 * kFloats) + 4, V::root(static_cast<double>(n) * q), out);
}

template <class V>
void wide_dot_bracket(const float* x, const float* y, std::int64_t n, Bracket<float>& out) {
  constexpr std::int64_t kFloats = V::kFloats;
  constexpr int kPieces = static_cast<int>(kFloats / V::kLanes);
  typename V::Type sum[4][kPieces];
  typename V::FloatType squares_x = V::no_floats(), squares_y = V::no_floats();
#pragma GCC unroll 4
  for (int k = 0; k < kPieces; ++k) sum[0][k] = sum[1][k] = sum[2][k] = sum[3][k] = V::all(0);
  const auto step = [&](int chain, const float* p, const float* q) __attribute__((always_inline)) {
    for (int k = 0; k < kPieces; ++k)
      sum[chain][k] =
          V::fma(V::widen(p + k * V::kLanes), V::widen(q + k * V::kLanes), sum[chain][k]);
    const typename V::FloatType f = V::load_floats(p), g = V::load_floats(q);
    squares_x = V::float_fma(f, f, squares_x);
    squares_y = V::float_fma(g, g, squares_y);
  };
  std::int64_t i = 0;
  for (; i + 4 * kFloats <= n; i += 4 * kFloats) {
    step(0, x + i, y + i);
    step(1, x + i + kFloats, y + i + kFloats);
    step(2, x + i + 2 * kFloats, y + i + 2 * kFloats);
    step(3, x + i + 3 * kFloats, y + i + 3 * kFloats);
  }
  if (i + 2 * kFloats <= n) {
    step(0, x + i, y + i);
    step(1, x + i + kFloats, y + i + kFloats);
    i += 2 * kFloats;
  }
  if (i + kFloats <= n) {
    step(2, x + i, y + i);
    i += kFloats;
  }
  if (i < n) {
    const typename V::FloatType f = V::load_first_floats(x + i, n - i);
    const typename V::FloatType g = V::load_first_floats(y + i, n - i);
    for (int k = 0; k < kPieces; ++k)
      sum[3][k] = V::fma(V::widen_piece(f, k), V::widen_piece(g, k), sum[3][k]);
    squares_x = V::float_fma(f, f, squares_x);
    squares_y = V::float_fma(g, g, squares_y);
  }
  typename V::Type all = V::all(0);
  for (int k = 0; k < kPieces; ++k)
    all = V::add(all, V::add(V::add(sum[0][k], sum[1][k]), V::add(sum[2][k], sum[3][k])));
  const double qx = V::sum_of_floats(squares_x) + 0x1p-130;
  const double qy = V::sum_of_floats(squares_y) + 0x1p-130;
  close_wide(V::sum_of_lanes(all), n / (4 * kFloats) + 4, V::root(qx * qy), out);
}

}  // namespace
