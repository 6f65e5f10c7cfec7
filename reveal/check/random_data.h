// Hostile random summands: data on which two different orders give different bits.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "spec/spec.h"

namespace reprosum::reveal {

// splitmix64 (Steele, Lea, Flood 2014): large vectors need speed, and a printed seed repeats a run.
class FastRandom {
 public:
  explicit FastRandom(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567u) {}
  std::uint64_t bits() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n));
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)

 private:
  std::uint64_t state_;
};

// Hostile data first, on which two orders give different bits. Then classes of data that programs
// have and libraries branch on (data_classes.h); most orders differ on these as well.
enum class Data : std::uint8_t {
  ordinary,      // uniform in (-1, 1)
  wide,          // exponents over 40 binades, an eighth of the summands cancels an earlier one
  tiny,          // products and sums that are subnormal, underflow or nearly do
  zeros,         // signed zeros and negative underflows, rarely a nonzero
  special,       // ordinary with a few infinities and NaNs
  nonnegative,   // no sign bit; in half of the vectors a few zeros
  nonpositive,   // no value above zero
  alternating,   // signs alternate, in runs of any length
  one_binade,    // one exponent, one sign or both
  ascending,     // by value or by magnitude
  descending,    // by value or by magnitude
  constant,      // one value everywhere
  integers,      // of up to all bits of the type
  sparse,        // mostly zeros, scattered or in one run
  short_bits,    // significands of few bits, as if converted from a shorter type
  shifted,       // ordinary, times one power of two of any size that the products allow
  overflowing,   // partial sums overflow, in some orders or in all of them
  subnormal,     // subnormal factors, the products normal or not
  cancelling,    // every summand is cancelled by another one; only rounding errors remain
  same,          // y = x (of sums: palindromes)
  negated,       // y = -x (of sums: x[2k+1] = -x[2k])
  proportional,  // y = c x (of sums: a geometric series)
  reversed,      // y is x from its end on (of sums: one half is the other one)
  fixed_point,   // multiples of a power of two: halves, samples of 16 bits
  decimals,      // multiples of a tenth, a hundredth, ..: prices
  across,        // zeros across from Inf and NaN, and Inf from NaN
};
inline constexpr int kDataKinds = 5;  // the hostile ones
inline constexpr int kAllKinds = 26;
inline constexpr int kDataClasses = kAllKinds - kDataKinds;
// The last class has Inf and NaN, which some entries of products do not cover; the hostile data of
// products already have them.
inline constexpr int kFiniteClasses = kDataClasses - 1;

const char* name(Data kind);  // "one_binade"
inline bool is_class(Data kind) { return static_cast<int>(kind) >= kDataKinds; }
// @pre 0 <= k < kDataClasses
inline Data data_class(int k) { return static_cast<Data>(kDataKinds + k); }

// Summands that cancel an earlier one, in order, each with that one.
using Partners = std::vector<std::pair<std::size_t, std::size_t>>;

// Fills x and y (empty for sum) with values that are representable in `type`, and says which
// summands cancel where `partners` is given.
void fill(Data kind, spec::Type type, FastRandom& random, std::span<double> x, std::span<double> y,
          Partners* partners = nullptr);

// A number of either sign about as small as the least normal one, representable in the type: from
// twice that down to one of a few bits.
double near_underflow(spec::Type type, FastRandom& random);

// Another x for a y that was filled so: what cancelled there cancels again.
void fill_beside(Data kind, spec::Type type, FastRandom& random, std::span<double> x,
                 const Partners& partners);

}  // namespace reprosum::reveal
