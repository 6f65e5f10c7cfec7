// Matrix routines with a known order for every output, as functions.
#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "reveal/target/function_target.h"

namespace reprosum::reveal::testing {

using MatrixFunction = FunctionTarget::MatrixFunction;

inline double beta_times(const Call& call, double beta, double c) {
  if (beta == 0) return 0;
  return spec::is_f32(call.type)
             ? static_cast<double>(static_cast<float>(beta) * static_cast<float>(c))
             : beta * c;
}

// A capture asks these for some 10^9 summands. Where the processor has the instruction, std::fma is
// one there; elsewhere it is a call of the C library. The bits are the same.
#if defined(__x86_64__)
#define REPROSUM_WITH_FMA [[gnu::target("fma")]]
inline bool has_fma() {
  static const bool has = __builtin_cpu_supports("fma");
  return has;
}
#else
#define REPROSUM_WITH_FMA
inline bool has_fma() { return false; }
#endif

template <class T>
[[gnu::always_inline]] inline double blocked_here(double alpha, double beta, double c,
                                                  std::int64_t k, const double* a, const double* b,
                                                  std::int64_t block) {
  T out = beta == 0 ? T(0) : static_cast<T>(beta) * static_cast<T>(c);
  if (alpha == 0) return static_cast<double>(out);
  for (std::int64_t from = 0; from < k; from += block) {
    T sum = static_cast<T>(a[from]) * static_cast<T>(b[from]);
    for (std::int64_t p = from + 1; p < std::min(k, from + block); ++p)
      sum = std::fma(static_cast<T>(a[p]), static_cast<T>(b[p]), sum);
    out = std::fma(static_cast<T>(alpha), sum, out);
  }
  return static_cast<double>(out);
}

template <class T>
[[gnu::always_inline]] inline double two_lanes_here(double alpha, double beta, double c,
                                                    std::int64_t k, const double* a,
                                                    const double* b) {
  const T out = beta == 0 ? T(0) : static_cast<T>(beta) * static_cast<T>(c);
  if (alpha == 0) return static_cast<double>(out);
  T lanes[2] = {};
  for (std::int64_t p = 0; p < k; ++p) {
    const T x = static_cast<T>(a[p]), y = static_cast<T>(b[p]);
    lanes[p % 2] = p < 2 ? x * y : std::fma(x, y, lanes[p % 2]);
  }
  const T sum = k > 1 ? lanes[0] + lanes[1] : lanes[0];
  return static_cast<double>(std::fma(static_cast<T>(alpha), sum, out));
}

template <class T>
REPROSUM_WITH_FMA double blocked_by_fma(double alpha, double beta, double c, std::int64_t k,
                                        const double* a, const double* b, std::int64_t block) {
  return blocked_here<T>(alpha, beta, c, k, a, b, block);
}
template <class T>
REPROSUM_WITH_FMA double two_lanes_by_fma(double alpha, double beta, double c, std::int64_t k,
                                          const double* a, const double* b) {
  return two_lanes_here<T>(alpha, beta, c, k, a, b);
}

// C := round(beta*C), then one fma of alpha times each block of `block` sequential fma's.
template <class T>
double blocked(double alpha, double beta, double c, std::int64_t k, const double* a,
               const double* b, std::int64_t block) {
  return has_fma() ? blocked_by_fma<T>(alpha, beta, c, k, a, b, block)
                   : blocked_here<T>(alpha, beta, c, k, a, b, block);
}

// Two accumulators, even and odd summands, added at the end; alpha and C as above.
template <class T>
double two_lanes(double alpha, double beta, double c, std::int64_t k, const double* a,
                 const double* b) {
  return has_fma() ? two_lanes_by_fma<T>(alpha, beta, c, k, a, b)
                   : two_lanes_here<T>(alpha, beta, c, k, a, b);
}

// Rows of whole groups of four: blocks; the rows that are left over: two lanes. A gemm by rows is
// the transposed problem by columns, as in a real CBLAS.
inline MatrixFunction rows_by_four(std::int64_t block = 48) {
  return [block](const Call& call, std::int64_t i, std::int64_t j, const double* a, const double* b,
                 double alpha, double beta, double c) {
    const bool swapped = call.row_major && call.routine == spec::Routine::gemm;
    const std::int64_t row = swapped ? j : i, rows = swapped ? call.n : call.m;
    const bool left_over = row >= rows / 4 * 4;
    if (spec::is_f32(call.type))
      return left_over ? two_lanes<float>(alpha, beta, c, call.k, a, b)
                       : blocked<float>(alpha, beta, c, call.k, a, b, block);
    return left_over ? two_lanes<double>(alpha, beta, c, call.k, a, b)
                     : blocked<double>(alpha, beta, c, call.k, a, b, block);
  };
}

// The same only where A has no gaps; with gaps every row is like the first ones.
inline MatrixFunction rows_by_four_if_tight() {
  return [plain = rows_by_four()](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                                  const double* b, double alpha, double beta, double c) {
    Call seen = call;
    if (call.pad_a > 0) {
      seen.m = 4;
      i = 0;
    }
    return plain(seen, i, j, a, b, alpha, beta, c);
  };
}

// Single summands are one unit in the last place off at few addresses.
inline MatrixFunction odd_at_some_addresses() {
  return [plain = rows_by_four()](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                                  const double* b, double alpha, double beta, double c) {
    const double out = plain(call, i, j, a, b, alpha, beta, c);
    const bool odd = call.k == 1 && call.align_a % 64 == 24 && i + 1 == call.m && alpha != 0;
    return odd && std::isfinite(out) ? std::nextafter(out, 1e300) : out;
  };
}

// No place of alpha gives the bits of the rows that are left over, unless alpha is 1.
inline MatrixFunction strange_alpha_in_last_rows() {
  return [plain = rows_by_four()](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                                  const double* b, double alpha, double beta, double c) {
    const bool strange = i >= call.m / 4 * 4 && alpha != 0 && alpha != 1;
    return plain(call, i, j, a, b, strange ? alpha * (1 + 0x1p-30) : alpha, beta, c);
  };
}

// With one summand, alpha = -1 and many rows, the rows behind the last block are one bit off,
// unless beta is 0: regions and orders are learned from other scalars and fewer rows.
inline MatrixFunction strange_alpha_of_one_summand() {
  return [plain = rows_by_four()](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                                  const double* b, double alpha, double beta, double c) {
    const double out = plain(call, i, j, a, b, alpha, beta, c);
    const std::int64_t row = call.row_major ? j : i, rows = call.row_major ? call.n : call.m;
    const bool strange =
        call.k == 1 && alpha == -1 && beta != 0 && rows >= 30 && row >= rows / 4 * 4;
    return strange && std::isfinite(out) ? std::nextafter(out, 1e300) : out;
  };
}

// alpha is rounded into the factors of A, into those of B, or applied to the sum, and no condition
// on the shape says where.
inline MatrixFunction scattered_alpha() {
  return [plain = rows_by_four()](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                                  const double* b, double alpha, double beta, double c) {
    std::uint64_t h = static_cast<std::uint64_t>(call.m * 31 + call.n * 7919 + call.k * 104729);
    h = ((h ^ (h >> 7)) * 0xbf58476d1ce4e5b9u) >> 20;
    if (alpha == 0 || alpha == 1 || h % 3 == 0) return plain(call, i, j, a, b, alpha, beta, c);
    std::vector<double> scaled(h % 3 == 1 ? a : b, (h % 3 == 1 ? a : b) + call.k);
    for (double& factor : scaled)
      factor = spec::is_f32(call.type) ? static_cast<double>(static_cast<float>(factor * alpha))
                                       : factor * alpha;
    return plain(call, i, j, h % 3 == 1 ? scaled.data() : a, h % 3 == 1 ? b : scaled.data(), 1,
                 beta, c);
  };
}

// Where op(B) is zero nothing is added, not even a NaN for an infinite factor.
inline MatrixFunction skips_zeros() {
  return [plain = rows_by_four()](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                                  const double* b, double alpha, double beta, double c) {
    std::vector<double> seen(a, a + call.k);
    for (std::int64_t p = 0; p < call.k; ++p)
      if (b[p] == 0 && !std::isfinite(a[p])) seen[static_cast<std::size_t>(p)] = 1;
    return plain(call, i, j, seen.data(), b, alpha, beta, c);
  };
}

// The last row of an odd number is one chain. Its summands come in groups of five, in blocks whose
// length depends on the shape; the summands behind the last group of a block are left out where A
// is zero.
inline MatrixFunction skips_zeros_by_the_shape() {
  return [plain = rows_by_four()](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                                  const double* b, double alpha, double beta, double c) {
    if (call.m % 2 == 0 || i + 1 < call.m) return plain(call, i, j, a, b, alpha, beta, c);
    double sum = beta_times(call, beta, c);
    if (alpha == 0) return sum;
    const std::int64_t block = 62 + call.m / 2 * 7 % 3;
    for (std::int64_t p = 0; p < call.k; ++p) {
      const std::int64_t length = std::min(block, call.k - p / block * block);
      if (p % block < length / 5 * 5 || alpha * a[p] != 0) sum = std::fma(alpha * a[p], b[p], sum);
    }
    return sum;
  };
}

// Correctly rounded up to double rounding: there is no order.
inline MatrixFunction exact_product() {
  return [](const Call& call, std::int64_t, std::int64_t, const double* a, const double* b,
            double alpha, double beta, double c) {
    long double sum = beta == 0 ? 0.0L : static_cast<long double>(beta) * c;
    for (std::int64_t p = 0; p < call.k; ++p)
      sum += static_cast<long double>(alpha) * a[p] * static_cast<long double>(b[p]);
    return static_cast<double>(static_cast<float>(sum));
  };
}

// Another order for every output: no rule.
inline MatrixFunction scattered() {
  return [](const Call& call, std::int64_t i, std::int64_t j, const double* a, const double* b,
            double alpha, double beta, double c) {
    std::uint64_t h =
        static_cast<std::uint64_t>(i * 7919 + j * 104729 + call.m * 31 + call.n + call.k * 1299709);
    h = (h ^ (h >> 7)) * 0xbf58476d1ce4e5b9u;
    return (h >> 20) % 2 == 0 ? two_lanes<double>(alpha, beta, c, call.k, a, b)
                              : blocked<double>(alpha, beta, c, call.k, a, b, 1 << 20);
  };
}

// Small products go by rows; in larger ones every output has another order.
inline MatrixFunction scattered_beyond(std::int64_t limit) {
  return [limit, small = rows_by_four(), large = scattered()](
             const Call& call, std::int64_t i, std::int64_t j, const double* a, const double* b,
             double alpha, double beta, double c) {
    const bool is_small = call.m * call.n * call.k <= limit;
    return (is_small ? small : large)(call, i, j, a, b, alpha, beta, c);
  };
}

// alpha = 1 in mind: every summand is added to C, but some outputs are summed from +0 on, and then
// added to C.
inline MatrixFunction apart_where(std::function<bool(const Call& call, std::int64_t i)> is_apart) {
  return [is_apart = std::move(is_apart)](const Call& call, std::int64_t i, std::int64_t,
                                          const double* a, const double* b, double alpha,
                                          double beta, double c) {
    const double start = beta_times(call, beta, c);
    if (alpha == 0) return start;
    const bool apart = is_apart(call, i);
    double sum = apart ? 0 : start;
    for (std::int64_t p = 0; p < call.k; ++p) sum = std::fma(alpha * a[p], b[p], sum);
    return apart ? sum + start : sum;
  };
}

// Up to seven rows (not four) behind a block of 472, where columns are few.
inline MatrixFunction rows_behind_blocks() {
  return apart_where([](const Call& call, std::int64_t i) {
    const std::int64_t rest = call.m % 472;
    return call.m > 472 && rest < 8 && rest != 4 && i >= call.m - rest && call.k > 3 &&
           (call.m + 1) * (call.k + 1) <= 8192;
  });
}

}  // namespace reprosum::reveal::testing
