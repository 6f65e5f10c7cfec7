// Exact products of integer matrices from their remainders by small moduli (the Chinese remainder
// theorem), for gemm: the moduli, how many are needed, and why nothing overflows.
#pragma once

#include <array>
#include <cstdint>

namespace reprosum::exact {

// A line, which is a row of A or a column of B, is scaled by a power of two 2^s and rounded to
// integers x. What that drops is known, and zero where the line's numbers lie near one another.
// Integers are multiplied modulo p_1 ... p_N, pairwise coprime and at most 256; P is their product.
//
// Premises, u = 2^-53:
//  - s is the largest with norm * 2^s <= limit - sqrt(k), where limit^2 <= P / 2 * (1 - 2^-9). So
//    |x| <= limit - sqrt(k) + sqrt(k) / 2 in the 2-norm and, by Cauchy and Schwarz, an entry V of
//    the integer product has |V| <= P * (1/2 - 2^-10). Also |x_l| <= limit < 2^78 for each element.
//  - Remainders of rows are bytes 0 ... 255, of columns -128 ... 127. Sums of k products are at
//  most
//    255 * 128 * k < 2^31 for k <= kMostDepth, so they are exact in 32 bits, in any order, even
//    where additions wrap.
//  - Those sums, and kMostReduced added to them, are reduced to r, congruent, |r| <= kMostReduced:
//    bytes (reduce_sums_avx512.h).
//
// V = P * frac, frac = (sum of r_t * f_t) modulo 1, f_t = ((P / p_t)^-1 mod p_t) / p_t. f_t is cut
// into fraction[0] + [1] + [2], multiples of 2^-40, 2^-80 and 2^-120, at most 1/2, 2^-41 and 2^-81,
// off by 2^-121. Each sum of r_t * fraction[h] fits 53 bits as N * kMostReduced * 2^39 < 2^53, so
// it is exact in doubles. Let S be the first, D = S - rint(S), exact: D and the two others differ
// from V / P by an integer, and by less than 1/2 + 2^-26 + 1/2 - 2^-10 + 2^-100 < 1: by nothing.
//
// The result is (d + l) * P with d + e = D + (second sum), exact, l = e + (third sum) rounded. It
// is off, relative to P: 2^-106 by the fractions, |l| * u < 2^-106 by l, below 2^-103 by the
// product of two pairs of doubles. P * 2^-(s + t) is at most 8.1 * norm * norm where limit >= 2^20
// * sqrt(k): an entry is off by less than 2^-98 * norm * norm, beside what rounding to integers
// dropped.
inline constexpr int kMostModuli = 20;
inline constexpr std::int64_t kMostDepth = 65536;
inline constexpr int kMostReduced = 128;
inline constexpr double kRemainderError = 0x1p-98;
static_assert(std::int64_t{255} * 128 * kMostDepth + kMostReduced <
              (std::int64_t{1} << 31) - (1 << 16));
static_assert(std::int64_t{kMostModuli} * kMostReduced << 39 < std::int64_t{1} << 53);

// An integer of a line is w[0] * 2^48 + w[1] * 2^24 + w[2], each below 2^31 in magnitude.
inline constexpr int kWords = 3;

// Limbs of 40 bits: sums of kMostModuli of their products with reduced sums fit 64 bits.
inline constexpr int kLimbs = 4, kLimbBits = 40;

struct Modulus {
  std::int32_t p;
  float size, inverse;  // p and 1 / p, rounded
  // The bytes of w[h] + 2^31 times those of weights[h], plus `start`, are congruent to the integer;
  // less than 2^19 in magnitude.
  std::int32_t weights[kWords], start;
  std::int32_t start_of_rows;  // the same, less 128
  std::int32_t halves;         // 1 and, in the upper half, 2^16 modulo p, between -p / 2 and p / 2
  double fraction[3];
  // f_t * P, an integer, is the sum of weight[h] * 2^(40 h).
  std::int64_t weight[kLimbs];
};

struct Remainders {
  int count;
  double limit;
  // P is (high + low) * 2^exponent, off by 2^-106 of it; 1 <= high < 2.
  double high, low;
  int exponent;
  std::array<Modulus, kMostModuli> moduli;
  std::int64_t product[kLimbs];  // P's

  // s for lines of that norm (at most 2^401, at least 2^-440) and k elements.
  int scale_exponent(double norm, std::int64_t k) const;
  // The integer itself, as the sum of limbs[h] * 2^(40 h), from sums that are reduced, `stride`
  // apart. As above, but for limbs in place of doubles: sum of r_t * f_t * P, less P times the
  // nearest integer to the sum of r_t * f_t.
  void integer(const std::int8_t* reduced, std::int64_t stride, std::int64_t* limbs) const;
};

// By the first `count` moduli. @pre 2 <= count <= kMostModuli
const Remainders& remainders(int count);

// By the fewest with which elements of a line of one size keep `bits` bits: 2^bits * sqrt(k) <=
// limit. Or by all there are. @pre 0 < k <= kMostDepth
const Remainders& remainders_for(int bits, std::int64_t k);

}  // namespace reprosum::exact
