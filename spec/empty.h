// What a call without summands gives: n <= 0 of sum and dot, k = 0 of gemv and gemm.
//
// No order has such a size: libraries settle it before they choose code, each in its own way. So
// what they do is a rule of its own, which speaks of every increment, address and leading
// dimension.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "spec/guard.h"
#include "spec/region.h"

namespace reprosum::spec {

struct Spec;

enum class Zero : std::uint8_t { plus, minus };

template <class T>
T value_of(Zero zero) {
  return zero == Zero::minus ? T(-0.0) : T(0);
}

// A sum or dot product of no numbers.
struct EmptySum {
  Routine routine{};
  Type type = Type::f32;
  std::vector<int> threads;        // of the captured library, ascending
  Zero at_zero = Zero::plus;       // n = 0
  std::optional<Zero> below_zero;  // n < 0; nullopt: it is not known
  auto operator<=>(const EmptySum&) const = default;
};

// A matrix update without products: what becomes of every output.
struct EmptyUpdate {
  enum class Result : std::uint8_t {
    keep,   // nothing is written, whatever beta is
    scale,  // beta*c
    add,    // beta*c + alpha*0, each rounded
    fuse,   // fma(beta, c, alpha*0)
  };
  Routine routine{};
  Type type = Type::f32;
  Trans trans_a = Trans::no, trans_b = Trans::no;  // as in Guard
  std::vector<int> threads;                        // of the captured library, ascending
  bool row_major = false;                          // row-major calls, too
  Result result = Result::keep;
  bool keeps_at_one = false;  // of add and fuse: with beta = 1 nothing is written
  // Of add and fuse: with alpha = 0 they are scale (skip) or not (compute). skip otherwise.
  MatrixClass::AlphaZero alpha_zero = MatrixClass::AlphaZero::skip;
  // beta = 0 stores a zero for beta*c, or drops it from what add and fuse add. store for keep.
  MatrixClass::BetaZero beta_zero = MatrixClass::BetaZero::store;
  static constexpr std::int64_t kAnyOutputs = std::numeric_limits<std::int64_t>::max();
  std::int64_t m_max = 0, n_max = 0, outputs_max = kAnyOutputs;  // no claim beyond; of m, n, m*n
  auto operator<=>(const EmptyUpdate&) const = default;
};

// Whether the rule speaks of so many outputs. m, n >= 0.
bool covers(const EmptyUpdate& rule, std::int64_t m, std::int64_t n);

// Whether outputs are written at all; where not, nothing need be there.
template <class T>
bool writes(const EmptyUpdate& rule, T beta) {
  return rule.result != EmptyUpdate::Result::keep && !(rule.keeps_at_one && beta == T(1));
}
// The output that was c.
template <class T>
T value_of(const EmptyUpdate& rule, T alpha, T beta, T c);

// The rule that speaks of the call (n <= 0; shape.k == 0), or nullptr and, in *why, what is not
// covered.
const EmptySum* find_empty(const Spec& spec, const Context& call, std::string* why = nullptr);
const EmptyUpdate* find_empty_update(const Spec& spec, const Context& call,
                                     std::string* why = nullptr);

// @post sorted, threads merged where rules agree in everything else, flags that say nothing unset.
void canonicalize(std::vector<EmptySum>& rules);
void canonicalize(std::vector<EmptyUpdate>& rules);

// "+0", "+0; -0 for n < 0".
std::string describe(const EmptySum& rule);
// "C := beta*C + alpha*0; alpha = 0 skips; beta = 0 drops C; beta = 1 keeps C".
std::string describe(const EmptyUpdate& rule);

}  // namespace reprosum::spec
