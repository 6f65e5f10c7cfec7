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

// What becomes of every output. Sum and dot have one, a zero; the other results are those of a
// matrix update without products.
struct EmptyRule {
  enum class Result : std::uint8_t {
    keep,        // nothing is written, whatever beta is
    scale,       // beta*c
    add,         // beta*c + alpha*0, each rounded
    fuse,        // fma(beta, c, alpha*0)
    plus_zero,   // +0
    minus_zero,  // -0
  };
  Routine routine{};
  Type type = Type::f32;
  Trans trans_a = Trans::no, trans_b = Trans::no;  // as in Guard
  std::vector<int> threads;                        // of the captured library, ascending
  bool row_major = false;                          // also covers row-major calls
  Result result = Result::keep;
  std::optional<Result> below_zero;  // of sum and dot with n < 0; nullopt: it is not known
  bool keeps_at_one = false;         // of add and fuse: with beta = 1 nothing is written
  // For add and fuse: whether they are scale when alpha = 0 (skip) or not (compute). Otherwise
  // skip.
  MatrixClass::AlphaZero alpha_zero = MatrixClass::AlphaZero::skip;
  // beta = 0 stores a zero for beta*c, or drops it from what add and fuse add. store for others
  // than scale, add and fuse.
  MatrixClass::BetaZero beta_zero = MatrixClass::BetaZero::store;
  static constexpr std::int64_t kAnyOutputs = std::numeric_limits<std::int64_t>::max();
  std::int64_t m_max = 1, n_max = 1, outputs_max = kAnyOutputs;  // no claim beyond; of m, n, m*n
  auto operator<=>(const EmptyRule&) const = default;
};

// Whether the result multiplies beta and c, or adds alpha*0 to that.
constexpr bool reads_beta(EmptyRule::Result result) {
  return result == EmptyRule::Result::scale || result == EmptyRule::Result::add ||
         result == EmptyRule::Result::fuse;
}
constexpr bool reads_alpha(EmptyRule::Result result) {
  return result == EmptyRule::Result::add || result == EmptyRule::Result::fuse;
}

// The zero that is one of the results of sum and dot.
template <class T>
T zero_of(EmptyRule::Result result) {
  return result == EmptyRule::Result::minus_zero ? T(-0.0) : T(0);
}

// Whether the rule speaks of so many outputs. m, n >= 0.
bool covers(const EmptyRule& rule, std::int64_t m, std::int64_t n);

// Whether outputs are written at all; where not, nothing need be there.
template <class T>
bool writes(const EmptyRule& rule, T beta) {
  return rule.result != EmptyRule::Result::keep && !(rule.keeps_at_one && beta == T(1));
}
// The output that was c. @pre the rule is of gemv or gemm
template <class T>
T value_of(const EmptyRule& rule, T alpha, T beta, T c);

// The rule that speaks of the call (shape.k <= 0), or nullptr and, in *why, what is not covered.
const EmptyRule* find_empty(const Spec& spec, const Context& call, std::string* why = nullptr);

// @post sorted, threads merged where rules agree in everything else, flags that say nothing unset.
void canonicalize(std::vector<EmptyRule>& rules);

// "+0", "+0; -0 for n < 0"; "C := beta*C + alpha*0; alpha = 0 scales; beta = 0 drops C".
std::string describe(const EmptyRule& rule);

}  // namespace reprosum::spec
