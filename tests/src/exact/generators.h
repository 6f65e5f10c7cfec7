// Terms that break sums: ties and their neighbours, subnormals, products that underflow, sums that
// nearly overflow, that cancel to zero, special values, and any bits at all.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace reprosum::exact::testing {

// x alone is a sum; x and y a dot product.
template <class T>
struct Terms {
  std::vector<T> x, y;
};

enum class Kind {
  any_bits,       // every pattern, NaN and infinities among them
  finite_bits,    // every finite pattern
  near,           // of like sizes, both signs
  wide,           // exponents all over the range
  tie,            // the exact result is half way between two numbers, in pieces
  tie_neighbour,  // a tie and something tiny
  subnormal,      // all subnormal (dot: the products are below the smallest number)
  overflow,       // around the largest number
  cancelling,     // zero, or one tiny term after all else has gone
  special,        // NaN, infinities and zeros among finite terms
  zeros           // zeros of both signs
};
inline constexpr Kind kKinds[] = {Kind::any_bits,  Kind::finite_bits, Kind::near,
                                  Kind::wide,      Kind::tie,         Kind::tie_neighbour,
                                  Kind::subnormal, Kind::overflow,    Kind::cancelling,
                                  Kind::special,   Kind::zeros};
const char* name(Kind kind);

// About n terms of a kind (ties and cancellations need a few more), in random order. `dot` fills y.
template <class T>
Terms<T> make_terms(Kind kind, std::size_t n, bool dot, std::mt19937_64& random);

}  // namespace reprosum::exact::testing
