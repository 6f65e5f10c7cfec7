// The vector loops that bound a chunk's sum, for a class V of vector operations. Included, with
// slices.h, by one file per instruction set, after its target pragma, and by nobody else.
//
// Doubles. As in slices.h a lane's running sum S starts at an anchor, here 1.5 * 2^e, with
// g = 2^(e - 52). For a term v: t = S + v rounded, q = t - S, r = v - q, S = t; R = R + r, rounded,
// from 0.
//  - Premise, looked at afterwards: the |v| of all terms together are at most 0.71 * 2^(e - 1).
//    kLargest: e = E + 2 + ceil(log2 n), and all |v| <= 2^E.
//    kSquares: e = E + 1 + ceil(log2(n) / 2). Each lane adds up B = B + v * v, rounded once, and
//    all B together are at most 2^(2E - 1). A rounding takes at most the part 2^-53 of a B, or
//    2^-1075 near zero, and n <= 2^14, E >= -400; so the true squares add up to less than (1 +
//    2^-30) 2^(2E - 1) and (Cauchy and Schwarz) the |v| to less than 0.71 sqrt(n) 2^E.
//  - While S lies in [2^e, 2^(e + 1)), t is S + v rounded to a multiple of g, so that q is v so
//    rounded, |q| <= |v| + g / 2, and q and r = v - q, |r| <= g / 2, are exact. All |q| together
//    are less than 0.71 * 2^(e - 1) + n g / 2 < 2^(e - 1): so S never leaves that interval, and the
//    sums of S - anchor over the lanes are multiples of g below 2^53 g, exact: `high` is.
//  - A lane of R has m terms, |R| <= m g (1/2 and rounding), and each of its m additions errs by
//    at most 2^-53 * 0.51 m g, as does each of the fewer than 32 additions over lanes by
//    2^-53 * 0.51 n g. All together: `low` errs by less than n (m + 32) 2^-53 * 0.51 g; `error` is
//    n (m + 40) 2^-53 g.
//  - Infinities reach B and the largest |v|, and the premise is false then. A NaN reaches `low`.
//
// A dot product has v = p = x * y rounded and d = fma(x, y, -p), |p + d - x y| <= 2^-1075, which is
// zero but below the normal numbers; |d| <= 2^-53 |p| or 2^-1075, at most g / 4. What R takes is
// r + d, rounded, at most 3/4 g: n 2^-53 * 3/4 g more, and n 2^-1075, far less than that; so `low`
// errs by less than n (m + 33) 2^-53 * 0.76 g.
//
// The ends: low -+ error rounded err by at most 2^-53 n g, less than the part of `error` not used;
// so below <= sum <= above holds for the exact values of low -+ error as computed, and rounding
// their sums with `high` is monotone.
//
// Floats become doubles without error. A lane adds m of them, or of their products by fma, in
// double, each time rounded: errs by at most m 2^-53 (all its |v| together), and lanes together
// likewise; A <= sqrt(n Q) bounds the |v| of all terms (sqrt(Q_x Q_y) those of products) where Q
// are the squares. Q is summed in float, in lanes of at most n / 8 + 1 <= 2^12 terms, which takes
// at most the part 2^-11, and n 2^-149 near zero. Q overflows early; then `error` is infinite or
// NaN and nothing holds. `error` = (n / 8 + 40) 2^-51 A, of which half is for the rounding of A
// and of the ends.
#pragma once

#include "src/exact/slices.h"

namespace {

// The anchor's exponent e.
template <Measure kMeasure>
constexpr int anchor_exponent(std::int64_t n, int exponent) {
  const int log2 = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
  return exponent + (kMeasure == kSquares ? 1 + (log2 + 1) / 2 : 2 + log2);
}

// The ends of the interval in the result's format.
template <class T>
[[gnu::always_inline]] inline void close(Bracket<T>& out) {
  const double down = out.low - out.error, up = out.low + out.error;
  out.below = static_cast<T>(out.high + down);
  out.above = static_cast<T>(out.high + up);
}

// The lanes of a chunk of doubles, in kChains chains of additions.
template <class V, Measure kMeasure, int kChains>
struct Bounded {
  using Type = typename V::Type;
  Type high[kChains], low[2], size[2], one;
  double unit;  // 2^e

  [[gnu::always_inline]] Bounded(std::int64_t n, int exponent)
      : unit(power_of_two(anchor_exponent<kMeasure>(n, exponent))) {
    const Type start = V::all(1.5 * unit);
#pragma GCC unroll 4
    for (int k = 0; k < kChains; ++k) high[k] = start;
    low[0] = low[1] = size[0] = size[1] = V::all(0);
    one = V::opaque(V::all(1));
  }
  // Half of the additions are multiplications by one: machines that add and multiply in different
  // places do twice as much at a time.
  [[gnu::always_inline]] Type split(int chain, Type v) {
    const Type t = V::add(high[chain], v);
    const Type q = V::fma_minus(t, one, high[chain]);
    high[chain] = t;
    Type& measured = size[chain % 2];
    measured = kMeasure == kSquares ? V::fma(v, v, measured) : V::max_abs(measured, v);
    return V::sub(v, q);
  }
  [[gnu::always_inline]] void add_low(int chain, Type r) {
    low[chain % 2] = chain % 2 != 0 ? V::fma(r, one, low[1]) : V::add(low[0], r);
  }
  [[gnu::always_inline]] void finish(std::int64_t n, int exponent, Bracket<double>& out) {
    const Type start = V::all(1.5 * unit);
    Type all = V::sub(high[0], start);
#pragma GCC unroll 4
    for (int k = 1; k < kChains; ++k) all = V::add(all, V::sub(high[k], start));
    out.high = V::sum_of_lanes(all);
    out.low = V::sum_of_lanes(V::add(low[0], low[1]));
    if constexpr (kMeasure == kSquares)
      out.size = V::sum_of_lanes(V::add(size[0], size[1]));
    else
      out.size = V::largest_lane(V::max_abs(size[0], size[1]));
    const double most = power_of_two(kMeasure == kSquares ? 2 * exponent - 1 : exponent);
    out.holds = out.size <= most && out.low == out.low;
    // A chain of R takes every second vector at most, and four of a remainder.
    const std::int64_t lane = n / (2 * V::kLanes) + 4;
    out.error = static_cast<double>(n * (lane + 40)) * (0x1p-105 * unit);
    close(out);
  }
};

template <class V, Measure kMeasure>
void sum_bracket(const double* x, std::int64_t n, int exponent, Bracket<double>& out) {
  constexpr std::int64_t kLanes = V::kLanes;
  Bounded<V, kMeasure, 4> sum(n, exponent);
  const auto step = [&](int chain, typename V::Type v) __attribute__((always_inline)) {
    v = V::opaque(v);  // in a register: loading it again is no cheaper
    sum.add_low(chain, sum.split(chain, v));
  };
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    step(0, V::load(x + i));
    step(1, V::load(x + i + kLanes));
    step(2, V::load(x + i + 2 * kLanes));
    step(3, V::load(x + i + 3 * kLanes));
  }
  if (i + 2 * kLanes <= n) {
    step(0, V::load(x + i));
    step(1, V::load(x + i + kLanes));
    i += 2 * kLanes;
  }
  if (i + kLanes <= n) {
    step(2, V::load(x + i));
    i += kLanes;
  }
  if (i < n) step(3, V::load_first(x + i, n - i));
  sum.finish(n, exponent, out);
}

template <class V, Measure kMeasure>
void dot_bracket(const double* x, const double* y, std::int64_t n, int exponent,
                 Bracket<double>& out) {
  constexpr std::int64_t kLanes = V::kLanes;
  Bounded<V, kMeasure, 2> sum(n, exponent);
  const auto step = [&](int chain, typename V::Type a, typename V::Type b)
      __attribute__((always_inline)) {
    a = V::opaque(a), b = V::opaque(b);
    const typename V::Type p = V::mul(a, b), d = V::fma_minus(a, b, p);
    sum.low[chain] = V::add(sum.low[chain], V::add(sum.split(chain, p), d));
  };
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    step(0, V::load(x + i), V::load(y + i));
    step(1, V::load(x + i + kLanes), V::load(y + i + kLanes));
    step(0, V::load(x + i + 2 * kLanes), V::load(y + i + 2 * kLanes));
    step(1, V::load(x + i + 3 * kLanes), V::load(y + i + 3 * kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) step(0, V::load(x + i), V::load(y + i));
  if (i < n) step(1, V::load_first(x + i, n - i), V::load_first(y + i, n - i));
  sum.finish(n, exponent, out);
}

// The bracket of a sum of floats or of products of floats in double, from what is known of it.
[[gnu::always_inline]] inline void close_floats(double sum, std::int64_t n, double absolute,
                                                Bracket<float>& out) {
  out.high = sum;
  out.low = 0;
  out.error = static_cast<double>(n / 8 + 40) * 0x1p-51 * absolute;
  out.holds = out.error <= 0x1p200;  // false for NaN
  close(out);
}

template <class V>
void float_sum_bracket(const float* x, std::int64_t n, Bracket<float>& out) {
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
  close_floats(V::sum_of_lanes(all), n, V::root(static_cast<double>(n) * q), out);
}

template <class V>
void float_dot_bracket(const float* x, const float* y, std::int64_t n, Bracket<float>& out) {
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
  close_floats(V::sum_of_lanes(all), n, V::root(qx * qy), out);
}

}  // namespace
