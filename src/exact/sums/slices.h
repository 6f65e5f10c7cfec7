// The vector loops, for a class V of vector operations. Included by one file per instruction set,
// after its target pragma, and by nobody else.
//
// A slice is a lane's running sum S that starts at the anchor 1.5 * 2^e, e = E + 14, where all
// terms v of the block have |v| <= 2^E. For a term: t = S + v (rounded to nearest), q = t - S, r =
// v - q, S = t. With g = 2^(e - 52):
//  - A block has at most kBlock = 2^11 terms, each with |q| <= 2^E since 2^E is a multiple of g. So
//    S stays within 1.5 * 2^e +- 2^(E + 11), inside the binade [2^e, 2^(e + 1)), where all numbers
//    are the multiples of g. Hence t is S + v rounded to a multiple of g, q = t - S is a multiple
//    of g below 2^53 g and so exact; it is v rounded to a multiple of g, so r = v - q is exact and
//    |r| <= g / 2 = 2^(E - 39).
//  - So the next slice takes r with E - 39 for E, and nothing is lost until the last slice, whose
//    remainders are or-ed: if no bit but signs is set there, every term went into the slices whole.
//  - S - anchor is exact, and so are the sums of these differences over lanes: multiples of g of at
//    most 2^(E + 11) = 2^(e - 3) in all. One double per slice is the sum of its lanes.
//  - Anchors are clamped to e >= -1022. A larger e than needed keeps the first point true, and
//    g = 2^-1074 leaves no remainder at all.
//  - NaN and infinities: t is one of them, r = v - q is NaN in the first slice, and in all others;
//    so the or-ed remainders tell.
// The premise |v| <= 2^E is checked by who calls, from `largest`, the maximum over the same terms.
//
// A dot product's p = x * y rounded and d = fma(x, y, -p) have p + d = x * y exactly unless a
// result lies below the normal numbers and is rounded there, which raises the underflow flag: x * y
// - p always fits 53 bits, so d can be inexact only there, and a p that is inexact there is flagged
// itself. Sums and differences never raise that flag, for they are exact there. Who calls looks at
// it. An infinite p leaves NaN in the remainders. |d| <= 2^(E - 53) by rounding of |p| <= 2^E, so d
// has slices of its own with E - 53 for E.
#pragma once

namespace {

inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// A sum over kSlices slices, in one vector each.
template <class V, int kSlices>
struct Lanes {
  typename V::Type sum[kSlices], one;
  double anchor[kSlices];

  [[gnu::always_inline]] void start(int exponent) {
    one = V::opaque(V::all(1));
    for (int k = 0; k < kSlices; ++k, exponent -= 39) {
      anchor[k] = 1.5 * power_of_two(exponent + 14 > -1022 ? exponent + 14 : -1022);
      sum[k] = V::all(anchor[k]);
    }
  }
  // The remainder below the last slice.
  [[gnu::always_inline]] typename V::Type add(typename V::Type v) {
    for (int k = 0; k < kSlices; ++k) {
      const typename V::Type t = V::add(sum[k], v);
      // t - S: machines that add and multiply in different places do more at a time.
      v = V::sub(v, V::fma_minus(t, one, sum[k]));
      sum[k] = t;
    }
    return v;
  }
  // Takes what another, started alike, has above its anchors.
  [[gnu::always_inline]] void take(const Lanes& other) {
    for (int k = 0; k < kSlices; ++k)
      sum[k] = V::add(sum[k], V::sub(other.sum[k], V::all(anchor[k])));
  }
  [[gnu::always_inline]] void finish(Slices& out) const {
    for (int k = 0; k < kSlices; ++k)
      out.slice[out.count++] = V::sum_of_lanes(V::sub(sum[k], V::all(anchor[k])));
  }
};

template <class V, int kSlices>
void sum_block(const double* x, std::int64_t n, int exponent, Slices& out) {
  constexpr std::int64_t kStep = 2 * V::kLanes;
  Lanes<V, kSlices> a, b;
  a.start(exponent);
  b.start(exponent);
  // Two largest terms: a maximum waits some cycles for the one before, longer than AVX2 adds.
  typename V::Type largest = V::all(0), other_largest = V::all(0), rest = V::all(0);
  const auto step = [&](const double* p) __attribute__((always_inline)) {
    const typename V::Type u = V::opaque(V::load(p)), w = V::opaque(V::load(p + V::kLanes));
    largest = V::max_abs(largest, u);
    other_largest = V::max_abs(other_largest, w);
    rest = V::bits_or(rest, a.add(u));
    rest = V::bits_or(rest, b.add(w));
  };
  const std::int64_t ahead = elements_ahead<double>();
  std::int64_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    for (std::int64_t k = 0; k < kStep; k += 8) __builtin_prefetch(x + i + k + ahead);
    step(x + i);
  }
  if (i < n) {
    double tail[kStep] = {};  // zeros change nothing
    std::memcpy(tail, x + i, static_cast<std::size_t>(n - i) * sizeof(double));
    step(tail);
  }
  a.take(b);
  out.count = 0;
  a.finish(out);
  out.complete = V::only_signs(rest);
  out.largest = V::largest_lane(V::max_abs(largest, other_largest));
}

template <class V, int kSlices>
void dot_block(const double* x, const double* y, std::int64_t n, int exponent, Slices& out) {
  constexpr std::int64_t kStep = V::kLanes;
  Lanes<V, kSlices> products, errors;
  products.start(exponent);
  errors.start(exponent - 53);
  typename V::Type largest = V::all(0), rest = V::all(0);
  const auto step = [&](const double* px, const double* py) __attribute__((always_inline)) {
    const typename V::Type u = V::opaque(V::load(px)), w = V::opaque(V::load(py));
    const typename V::Type p = V::mul(u, w), d = V::fma_minus(u, w, p);
    largest = V::max_abs(largest, p);
    rest = V::bits_or(rest, products.add(p));
    rest = V::bits_or(rest, errors.add(d));
  };
  const std::int64_t ahead = elements_ahead<double>();
  std::int64_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    __builtin_prefetch(x + i + ahead);
    __builtin_prefetch(y + i + ahead);
    step(x + i, y + i);
  }
  if (i < n) {
    double tail_x[kStep] = {}, tail_y[kStep] = {};
    std::memcpy(tail_x, x + i, static_cast<std::size_t>(n - i) * sizeof(double));
    std::memcpy(tail_y, y + i, static_cast<std::size_t>(n - i) * sizeof(double));
    step(tail_x, tail_y);
  }
  out.count = 0;
  products.finish(out);
  errors.finish(out);
  out.complete = V::only_signs(rest);
  out.largest = V::largest_lane(largest);
}

template <class V>
void split_products(const double* x, const double* y, std::int64_t n, double* products,
                    double* errors) {
  std::int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) {
    const typename V::Type u = V::load(x + i), w = V::load(y + i), p = V::mul(u, w);
    V::store(products + i, p);
    V::store(errors + i, V::fma_minus(u, w, p));
  }
  if (i == n) return;
  const typename V::Type u = V::load_first(x + i, n - i), w = V::load_first(y + i, n - i);
  double tail[2][V::kLanes];
  V::store(tail[0], V::mul(u, w));
  V::store(tail[1], V::fma_minus(u, w, V::mul(u, w)));
  std::memcpy(products + i, tail[0], static_cast<std::size_t>(n - i) * sizeof(double));
  std::memcpy(errors + i, tail[1], static_cast<std::size_t>(n - i) * sizeof(double));
}

}  // namespace
