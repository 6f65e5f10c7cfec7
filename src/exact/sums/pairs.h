// Sums of products as a pair of doubles, by four operations each: who does so, and why it is right.
#pragma once

#include <bit>
#include <cstdint>

namespace reprosum::exact {

// Let M = 1.5 * 2^e, u = 2^-53, and x_k y_k be products all whose partial sums, and they
// themselves, are at most 0.495 * 2^e. From S = M and L = 0, each step does
//     t = fma(x, y, S)    d = t - S    r = fma(x, y, -d)    L = L + r    S = t
// S stays within [2^e, 2^(e+1)], so S and t are multiples of 2^(e-52) and d, of at most 2^e, is
// exact. x y - d is the error of t, at most 2^(e-53); r rounds it, off by at most u * 2^(e-53).
// After k steps |L| is at most k * 2^(e-53) (1 + k u), so that its next rounding is off by at most
// u * (k + 1) * 2^(e-53). The sum of n products is S - M, exact, plus L, off by at most
//     (n^2 / 2 + 2 n) * 2^(e-106),
// and by 2^-1074 for each r that underflows. Sums S - M of several such runs with one M are
// multiples of 2^(e-52), and so add up exactly up to 2^e.
// @pre -1022 <= e <= 1023
inline double anchor_of(int e) {
  return std::bit_cast<double>((static_cast<std::uint64_t>(e + 1023) << 52) |
                               (std::uint64_t{1} << 51));
}
inline constexpr double kAnchored = 0.33;  // times M: what sums of magnitudes must not exceed

// Adds a block's product of packed operands to pairs high + low, column-major with `ld`: high takes
// the block's S - M exactly, as the sum of two whose error goes into low, as L does. Packed A has
// `rows` elements for each step, packed B `columns`; `anchors` has M for each column.
// @pre the default floating-point environment
struct PairTile {
  std::int64_t rows, columns;
  void (*run)(std::int64_t depth, const double* a, const double* b, const double* anchors,
              double* high, double* low, std::int64_t ld);
  // Single products: x_i * u_q off pairs i, q of `count` rows of eight. The product and its error
  // go into high, as a sum with its own error, and into low.
  void (*subtract_row)(std::int64_t count, const double* x, const double* u, double* high,
                       double* low);
};

}  // namespace reprosum::exact
