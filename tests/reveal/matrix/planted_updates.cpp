#include "tests/reveal/matrix/planted_updates.h"

#include <algorithm>
#include <numeric>

namespace reprosum::reveal::test {
namespace {

using spec::MatrixClass;
using spec::Routine;
using spec::Type;

// The data of one output in the type of the routine.
template <class T>
struct Data {
  explicit Data(const Element& e)
      : x(e.x, e.x + e.k()),
        y(e.y, e.y + e.k()),
        alpha(static_cast<T>(e.alpha)),
        beta(static_cast<T>(e.beta)),
        c(static_cast<T>(e.c)),
        k(e.k()) {}
  T product(std::int64_t p) const { return x[std::size_t(p)] * y[std::size_t(p)]; }
  T fused(std::int64_t p, T sum) const {
    return std::fma(x[std::size_t(p)], y[std::size_t(p)], sum);
  }
  void scale_x() {
    for (T& value : x) value *= alpha;
  }
  void scale_y() {
    for (T& value : y) value *= alpha;
  }
  std::vector<T> x, y;
  T alpha, beta, c;
  std::int64_t k;
};

template <class T>
T stored(const Data<T>& d) {
  return d.beta == 0 ? T(0) : d.beta * d.c;
}

// The output of code that never asks about beta.
template <class T>
T multiplied(const Data<T>& d) {
  return d.beta * d.c;
}

// A chain that starts with a multiplication.
template <class T>
T chain(const Data<T>& d, std::int64_t from, std::int64_t to) {
  T sum = d.product(from);
  for (std::int64_t p = from + 1; p < to; ++p) sum = d.fused(p, sum);
  return sum;
}

// `lanes` chains that start at `start` (or with a multiplication) over whole groups, folded by
// halves; the rest goes to lane 0 before the fold.
template <class T>
T lanes(const Data<T>& d, std::int64_t from, std::int64_t to, std::int64_t width) {
  std::vector<T> sums(std::size_t(width), T(0));
  const std::int64_t main = from + (to - from) / width * width;
  for (std::int64_t p = from; p < main; ++p) {
    T& sum = sums[std::size_t((p - from) % width)];
    sum = d.fused(p, sum);
  }
  for (std::int64_t p = main; p < to; ++p) sums[0] = d.fused(p, sums[0]);
  for (std::int64_t half = width / 2; half > 0; half /= 2)
    for (std::int64_t l = 0; l < half; ++l) sums[std::size_t(l)] += sums[std::size_t(l + half)];
  return sums[0];
}

std::vector<std::int64_t> balanced(std::int64_t k, std::int64_t q, std::int64_t unroll) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t left = k; left > 0; left -= lengths.back()) {
    std::int64_t length = left;
    if (left >= 2 * q)
      length = q;
    else if (left > q)
      length = (left / 2 + unroll - 1) / unroll * unroll;
    lengths.push_back(length);
  }
  return lengths;
}

template <class T>
double skip_or(const Data<T>& d, T (*compute)(Data<T>)) {
  if (d.alpha == 0) return d.beta == 0 ? 0.0 : static_cast<double>(T(d.beta * d.c));
  return static_cast<double>(compute(d));
}

template <class T>
ElementFunction skipping(T (*compute)(Data<T>)) {
  return [compute](const Element& e) { return skip_or(Data<T>(e), compute); };
}

template <class T>
ElementFunction computing(T (*compute)(Data<T>)) {
  return [compute](const Element& e) { return static_cast<double>(compute(Data<T>(e))); };
}

// K blocks of a packed kernel, each added to C.
template <class T>
T blocks_fused(Data<T> d) {
  T sum = stored(d);
  std::int64_t at = 0;
  for (const std::int64_t length : balanced(d.k, 320, 8)) {
    sum = std::fma(d.alpha, chain(d, at, at + length), sum);
    at += length;
  }
  return sum;
}
template <class T>
T blocks_rounded(Data<T> d) {
  T sum = stored(d);
  std::int64_t at = 0;
  for (const std::int64_t length : balanced(d.k, 256, 4)) {
    sum = sum + d.alpha * chain(d, at, at + length);
    at += length;
  }
  return sum;
}
// Two accumulators over whole eights.
template <class T>
T two_accumulators(Data<T> d) {
  T sum = stored(d);
  std::int64_t at = 0;
  for (const std::int64_t length : balanced(d.k, 320, 8)) {
    T even = 0, odd = 0;
    const std::int64_t eights = length / 8 * 8;
    for (std::int64_t p = 0; p < length; ++p) {
      T& lane = p < eights && p % 2 == 1 ? odd : even;
      lane = d.fused(at + p, lane);
    }
    sum = std::fma(d.alpha, even + odd, sum);
    at += length;
  }
  return sum;
}
// Small-matrix kernels: beta and C come last, in one fused operation.
template <class T>
T small_chain(Data<T> d) {
  T sum = 0;
  for (std::int64_t p = 0; p < d.k; ++p) sum = d.fused(p, sum);
  sum = d.alpha * sum;
  return d.beta == 0 ? sum : std::fma(d.beta, d.c, sum);
}
template <class T>
T small_dot(Data<T> d) {
  const T sum = d.alpha * lanes(d, 0, d.k, 8);
  return d.beta == 0 ? sum : std::fma(d.beta, d.c, sum);
}
// A chain for few summands, else eight lanes from +0; where the last block is not full, its
// products are +0.
template <class T>
T masked_dot(Data<T> d) {
  if (d.k < 16) return small_chain(d);
  T sums[8] = {};
  for (std::int64_t p = 0; p < (d.k + 7) / 8 * 8; ++p)
    sums[p % 8] = p < d.k ? d.fused(p, sums[p % 8]) : sums[p % 8] + T(0);
  for (const int distance : {4, 2, 1})
    for (int lane = 0; lane < distance; ++lane) sums[lane] += sums[lane + distance];
  return d.beta == 0 ? d.alpha * sums[0] : std::fma(d.alpha, sums[0], d.beta * d.c);
}
// A sum from +0 takes in groups of four, and then single summands.
template <class T>
T groups_then_singles(Data<T> d) {
  T sum = 0;
  std::int64_t p = 0;
  for (; p + 4 <= d.k; p += 4) sum += d.fused(p + 3, d.fused(p + 2, d.fused(p, d.product(p + 1))));
  for (; p < d.k; ++p) sum = d.fused(p, sum);
  return stored(d) + d.alpha * sum;
}
// The reference: temp = alpha * B(l, j), C = C + temp * A(i, l).
template <class T>
T reference_nn(Data<T> d) {
  T sum = stored(d);
  d.scale_y();
  for (std::int64_t p = 0; p < d.k; ++p) sum = sum + d.product(p);
  return sum;
}
template <class T>
T reference_tn(Data<T> d) {
  T sum = 0;
  for (std::int64_t p = 0; p < d.k; ++p) sum = sum + d.product(p);
  return d.beta == 0 ? d.alpha * sum : d.alpha * sum + d.beta * d.c;
}
// Blocks of 256, beta fused into the first one, later ones added.
template <class T>
T fixed_blocks(Data<T> d) {
  T sum = 0;
  for (std::int64_t at = 0; at < d.k; at += 256) {
    const T block = d.alpha * chain(d, at, std::min(d.k, at + 256));
    if (at > 0)
      sum = sum + block;
    else
      sum = d.beta == 0 ? block : std::fma(d.beta, d.c, block);
  }
  return sum;
}
template <class T>
T fixed_blocks_scaled_x(Data<T> d) {
  d.scale_x();
  T sum = stored(d);
  for (std::int64_t at = 0; at < d.k; at += 256) sum = sum + chain(d, at, std::min(d.k, at + 256));
  return sum;
}
// gemv N: groups of eight columns chained onto y, then a group of four, then single ones.
template <class T>
T column_groups(Data<T> d) {
  d.scale_y();
  T sum = stored(d);
  std::int64_t at = 0;
  for (; at + 8 <= d.k; at += 8) sum += chain(d, at, at + 8);
  if (at + 4 <= d.k) {
    sum += chain(d, at, at + 4);
    at += 4;
  }
  for (; at < d.k; ++at) sum += d.product(at);
  return sum;
}
template <class T>
T column_groups_after(Data<T> d) {
  T sum = stored(d);
  std::int64_t at = 0;
  for (; at + 4 <= d.k; at += 4)
    sum +=
        d.alpha * (std::fma(d.x[std::size_t(at + 2)], d.y[std::size_t(at + 2)], d.product(at)) +
                   std::fma(d.x[std::size_t(at + 3)], d.y[std::size_t(at + 3)], d.product(at + 1)));
  for (; at < d.k; ++at)
    sum = std::fma(T(d.alpha * d.x[std::size_t(at)]), d.y[std::size_t(at)], sum);
  return sum;
}
// gemv T: chunks of whole fours chained onto y, the tail apart with x scaled first.
template <class T, int chunk, bool fuses>
T row_chunks(Data<T> d) {
  T sum = stored(d);
  const std::int64_t main = d.k / 4 * 4;
  for (std::int64_t at = 0; at < main; at += chunk) {
    const T part = lanes(d, at, std::min(main, at + chunk), 4);
    sum = fuses ? std::fma(d.alpha, part, sum) : sum + d.alpha * part;
  }
  if (main == d.k) return sum;
  d.scale_y();
  T tail = d.product(main);
  for (std::int64_t p = main + 1; p < d.k; ++p) tail = d.fused(p, tail);
  return sum + tail;
}
// C starts the first of four lanes.
template <class T>
T starts_lane_zero(Data<T> d) {
  d.scale_y();
  T sums[4] = {stored(d), 0, 0, 0};
  const std::int64_t main = d.k / 4 * 4;
  for (std::int64_t p = 0; p < main; ++p) sums[p % 4] += d.product(p);
  T sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (std::int64_t p = main; p < d.k; ++p) sum += d.product(p);
  return sum;
}
// The two halves of a threaded reduction, each a chain, added and then added to y.
template <class T>
T two_halves(Data<T> d) {
  const std::int64_t half = (d.k + 1) / 2;
  T sum = chain(d, 0, half);
  if (half < d.k) sum += chain(d, half, d.k);
  return stored(d) + d.alpha * sum;
}

// Blocks of a machine without fma: lanes from +0, each block scaled and added to C.
template <class T>
T blocks_from_zero(Data<T> d) {
  T sum = stored(d);
  std::int64_t at = 0;
  for (const std::int64_t length : balanced(d.k, 256, 8)) {
    T lanes[2] = {};
    for (std::int64_t p = 0; p < length; ++p) lanes[p % 2] += d.product(at + p);
    sum = sum + d.alpha * (lanes[0] + lanes[1]);
    at += length;
  }
  return sum;
}
// gemv N without fma: every group of four columns starts at +0, the singles go with x scaled.
template <class T>
T groups_from_zero(Data<T> d) {
  T sum = stored(d);
  const std::int64_t main = d.k / 4 * 4;
  for (std::int64_t p = 0; p < main; p += 4) {
    T group = 0;
    for (std::int64_t s = 0; s < 4; ++s) group += d.product(p + s);
    sum = sum + d.alpha * group;
  }
  d.scale_y();
  for (std::int64_t p = main; p < d.k; ++p) sum = sum + d.product(p);
  return sum;
}
// gemv N with a buffer: it starts at +0, groups of four columns are scaled and added to it, single
// columns go with x scaled first; y takes it in at last.
template <class T>
T buffered_groups(Data<T> d) {
  T buffer = 0;
  const std::int64_t main = d.k / 4 * 4;
  for (std::int64_t p = 0; p < main; p += 4) buffer = std::fma(d.alpha, chain(d, p, p + 4), buffer);
  d.scale_y();
  for (std::int64_t p = main; p < d.k; ++p) buffer = buffer + d.product(p);
  return stored(d) + buffer;
}
// The same with pairs, and their rest in one piece.
template <class T>
T buffered_pairs(Data<T> d) {
  T buffer = 0;
  const std::int64_t main = d.k / 8 * 8;
  for (std::int64_t p = 0; p < main; p += 8) {
    T even = d.product(p), odd = d.product(p + 1);
    for (std::int64_t s = 2; s < 8; s += 2) {
      even = d.fused(p + s, even);
      odd = d.fused(p + s + 1, odd);
    }
    buffer = buffer + d.alpha * (even + odd);
  }
  if (main < d.k) buffer = buffer + d.alpha * chain(d, main, d.k);
  return stored(d) + buffer;
}

// gemv N: groups of columns chained onto y; the remaining columns whose scaled factor is zero are
// left out.
template <class T, std::int64_t kGroup>
T skipped_rest(Data<T> d) {
  d.scale_y();
  T sum = stored(d);
  for (std::int64_t p = 0; p < d.k; ++p)
    if (p < d.k / kGroup * kGroup || d.y[std::size_t(p)] != 0) sum = d.fused(p, sum);
  return sum;
}
// gemv N: columns whose scaled factor is zero are left out; with beta = 0 the first one is stored,
// as zeros if it is left out.
template <class T>
T first_one_stored(Data<T> d) {
  d.scale_y();
  T sum = stored(d);
  if (d.beta == 0 && d.y[0] != 0) sum = d.product(0);
  for (std::int64_t p = d.beta == 0 ? 1 : 0; p < d.k; ++p)
    if (d.y[std::size_t(p)] != 0) sum = sum + d.product(p);
  return sum;
}
// y := alpha*(A*x) + beta*y for every beta: a y that is not finite stays so where beta is zero.
template <class T>
T adds_multiplied(Data<T> d) {
  return d.alpha * chain(d, 0, d.k) + multiplied(d);
}
// The same onto lanes from +0, by an fma.
template <class T>
T fuses_multiplied(Data<T> d) {
  return std::fma(d.beta, d.c, d.alpha * lanes(d, 0, d.k, 4));
}
// Columns of zeros in B are left out, whatever alpha makes of the others.
template <class T>
T skipped_zeros(Data<T> d) {
  const std::vector<T> factors = d.y;
  d.scale_y();
  T sum = stored(d);
  for (std::int64_t p = 0; p < d.k; ++p)
    if (factors[std::size_t(p)] != 0) sum = sum + d.product(p);
  return sum;
}
// Two lanes, of which C and a +0 are the starts, unless beta is 0: then both begin with a product.
template <class T>
T lanes_start_with_constants(Data<T> d) {
  d.scale_x();
  const bool starts = d.beta != 0;
  T even = starts ? T(d.beta * d.c) : d.product(0), odd = 0;
  for (std::int64_t p = starts ? 0 : 1; p < d.k; ++p) {
    T& lane = p % 2 == 0 ? even : odd;
    lane = starts || p > 1 ? lane + d.product(p) : d.product(p);
  }
  return d.k > 1 || starts ? even + odd : even;
}
// Zeros in A are left out of two lanes that alpha meets after they are added.
template <class T>
T skipped_in_lanes(Data<T> d) {
  T lanes[2] = {};
  for (std::int64_t p = 0; p < d.k; ++p)
    if (d.x[std::size_t(p)] != 0) lanes[p % 2] = d.fused(p, lanes[p % 2]);
  return stored(d) + d.alpha * (lanes[0] + lanes[1]);
}

}  // namespace

std::vector<PlantedUpdate> planted_updates() {
  constexpr auto drop = MatrixClass::BetaZero::drop;
  constexpr auto drop_zeros = MatrixClass::BetaZero::drop_zeros;
  constexpr auto store = MatrixClass::BetaZero::store;
  constexpr auto multiply = MatrixClass::BetaZero::multiply;
  constexpr auto compute = MatrixClass::AlphaZero::compute;
  constexpr auto skip = MatrixClass::AlphaZero::skip;
  const auto gemm = Routine::gemm, gemv = Routine::gemv;
  const auto f32 = Type::f32, f64 = Type::f64;
  return {
      {"blocks_fused_f32", gemm, f32, skipping(blocks_fused<float>), store, skip},
      {"blocks_rounded_f64", gemm, f64, skipping(blocks_rounded<double>), store, skip},
      {"two_accumulators_f32", gemm, f32, skipping(two_accumulators<float>), store, skip},
      {"small_chain_f64", gemm, f64, computing(small_chain<double>), drop, compute},
      {"small_dot_f32", gemm, f32, computing(small_dot<float>), drop, compute},
      {"masked_dot_f64", gemm, f64, computing(masked_dot<double>), drop, compute},
      {"groups_then_singles_f64", gemv, f64, skipping(groups_then_singles<double>), store, skip},
      {"reference_nn_f64", gemm, f64, skipping(reference_nn<double>), store, skip},
      {"reference_tn_f32", gemm, f32, skipping(reference_tn<float>), drop, skip},
      {"fixed_blocks_f64", gemm, f64, skipping(fixed_blocks<double>), drop, skip},
      {"fixed_blocks_scaled_x_f32", gemm, f32, skipping(fixed_blocks_scaled_x<float>), store, skip},
      {"column_groups_f32", gemv, f32, skipping(column_groups<float>), store, skip},
      {"column_groups_after_f64", gemv, f64, skipping(column_groups_after<double>), store, skip},
      {"row_chunks_fused_f32", gemv, f32, skipping(row_chunks<float, 4096, true>), store, skip},
      {"row_chunks_rounded_f64", gemv, f64, skipping(row_chunks<double, 2048, false>), store, skip},
      {"starts_lane_zero_f64", gemm, f64, skipping(starts_lane_zero<double>), store, skip},
      {"blocks_from_zero_f32", gemm, f32, skipping(blocks_from_zero<float>), store, skip},
      {"blocks_from_zero_f64", gemm, f64, skipping(blocks_from_zero<double>), store, skip},
      {"groups_from_zero_f32", gemv, f32, skipping(groups_from_zero<float>), store, skip},
      {"groups_from_zero_f64", gemv, f64, skipping(groups_from_zero<double>), store, skip},
      {"buffered_groups_f64", gemv, f64, skipping(buffered_groups<double>), store, skip},
      {"buffered_pairs_f32", gemv, f32, skipping(buffered_pairs<float>), store, skip},
      {"skipped_rest_f32", gemv, f32, skipping(skipped_rest<float, 8>), store, skip},
      {"skipped_rest_of_fives_f64", gemv, f64, skipping(skipped_rest<double, 5>), store, skip},
      {"first_one_stored_f64", gemv, f64, skipping(first_one_stored<double>), drop, skip},
      {"skipped_zeros_f64", gemm, f64, skipping(skipped_zeros<double>), store, skip},
      {"skipped_in_lanes_f32", gemm, f32, skipping(skipped_in_lanes<float>), store, skip},
      {"lanes_start_with_constants_f32", gemm, f32, skipping(lanes_start_with_constants<float>),
       drop_zeros, skip},
      {"lanes_start_with_constants_f64", gemm, f64, skipping(lanes_start_with_constants<double>),
       drop_zeros, skip},
      {"adds_multiplied_f32", gemv, f32, computing(adds_multiplied<float>), multiply, compute},
      {"fuses_multiplied_f64", gemm, f64, computing(fuses_multiplied<double>), multiply, compute},
      {"two_halves_f64", gemv, f64, skipping(two_halves<double>), store, skip},
  };
}

}  // namespace reprosum::reveal::test
