// Which output of a matrix product follows which order: region rules over the shape (m, n, k).
//
// Inside one regime the class of output (i, j) is table[row type of i][column type of j]; the row
// type depends on (i, m) only and the column type on (j, n) only. So the two-dimensional question
// is two words, one over rows and one over columns, and each word is a rule over its length.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/checked.h"

namespace reprosum::spec {

// m outputs down, n across, k summands each. gemv: m outputs, n = 1, k summands, for either trans.
struct Shape3 {
  std::int64_t m = 0, n = 0, k = 0;
  auto operator<=>(const Shape3&) const = default;
};

// One condition on a shape. A regime's guard is the conjunction of its atoms.
struct Atom {
  enum class Kind : std::uint8_t {
    at_most,     // m^use_m * n^use_n * k^use_k <= limit
    above,       // the same product > limit
    taller,      // floor(m / a) > floor(n / b)
    not_taller,  // floor(m / a) <= floor(n / b)
    wider,       // floor(n / b) > floor(m / a)
    not_wider,   // floor(n / b) <= floor(m / a)
    equal,       // the sizes in use are all equal
    unequal,     // they are not
  };
  Kind kind = Kind::at_most;
  // at_most, above: at least one; equal, unequal: at least two.
  bool use_m = false, use_n = false, use_k = false;
  std::int64_t limit = 0;     // at_most, above
  std::int64_t a = 1, b = 1;  // those of panels; >= 1
  bool is_bound() const { return kind <= Kind::above; }
  bool compares_panels() const { return kind >= Kind::taller && kind <= Kind::not_wider; }
  bool compares_sizes() const { return kind >= Kind::equal; }
  int sizes_in_use() const { return int{use_m} + int{use_n} + int{use_k}; }
  bool holds(const Shape3& shape) const;
  auto operator<=>(const Atom&) const = default;
};

// c + q*Q, where Q counts whole periods.
struct Count {
  std::int64_t c = 0, q = 0;
  std::int64_t at(std::int64_t periods) const { return clamped(Int128{q} * periods + c); }
  auto operator<=>(const Count&) const = default;
};

// `length` neighbours of one type.
struct TypeRun {
  std::int32_t type = 0;
  Count length;
  auto operator<=>(const TypeRun&) const = default;
};

// The runs one after the other, all of them `times` times.
struct WordItem {
  Count times{1, 0};
  std::vector<TypeRun> runs;
  auto operator<=>(const WordItem&) const = default;
};
using Word = std::vector<WordItem>;

// The word of every size in [from, to]: below `base` it is listed (words[size - from], constants
// only); from there on size = base + r + period*Q has word schemas[r] at Q.
struct Segment {
  std::int64_t from = 1, to = 1;  // inclusive
  std::int64_t base = 1, period = 1;
  std::vector<Word> words;    // base - from of them
  std::vector<Word> schemas;  // period of them, or none if to < base
  auto operator<=>(const Segment&) const = default;
};
using Axis = std::vector<Segment>;  // ascending and disjoint; a size in none is not covered

// What an output class is. The order is that of C := alpha*A*B + beta*C over the k summands, with
// the output's own places of alpha and of `out` (order.h).
struct MatrixClass {
  enum class BetaZero : std::uint8_t {
    store,  // C := +0 first: the `out` leaf stays and is +0, also for a beta of -0
    drop,   // the `out` leaf is absent: a node that loses a child becomes the other child, or +0
            // if that one comes second and is a product that is left out
    drop_zeros,  // all +0 leaves and zero_starts of orders are absent in the same way as well
    store_beta,  // C := beta first: the `out` leaf stays and is a zero of beta's sign
    multiply,    // as for any other beta: C is read, and what is not finite there makes a NaN
  };
  enum class AlphaZero : std::uint8_t {
    skip,     // A and B are not read: beta*c, or, if beta is zero as well, the zero that is stored
    compute,  // as for any other alpha (then an Inf in A makes a NaN)
  };
  // Ascending: each rule up to its k. Few summands may have code of their own.
  using BetaZeroUpTo = std::vector<std::pair<std::int64_t, BetaZero>>;

  std::size_t order = 0;                 // index into Spec::orders
  BetaZero beta_zero = BetaZero::store;  // beyond all of beta_zero_up_to
  AlphaZero alpha_zero = AlphaZero::skip;
  BetaZeroUpTo beta_zero_up_to{};

  static BetaZero rule_at(const BetaZeroUpTo& up_to, BetaZero beyond, std::int64_t k) {
    for (const auto& [last, rule] : up_to)
      if (k <= last) return rule;
    return beyond;
  }
  BetaZero beta_zero_at(std::int64_t k) const { return rule_at(beta_zero_up_to, beta_zero, k); }
  static bool drops(BetaZero rule) {
    return rule == BetaZero::drop || rule == BetaZero::drop_zeros;
  }
  // Whether C is read at some k with beta = 0, which is then multiplied like any other beta.
  bool multiplies_by_zero() const {
    return beta_zero == BetaZero::multiply ||
           std::any_of(beta_zero_up_to.begin(), beta_zero_up_to.end(),
                       [](const auto& rule) { return rule.second == BetaZero::multiply; });
  }
  // Whether the output starts from the product of beta and C, so that C is read.
  template <class T>
  static bool multiplies(BetaZero rule, T beta) {
    return beta != T(0) || rule == BetaZero::multiply;
  }
  // The zero that takes the place of beta*c if that is neither computed nor dropped; also the
  // output if alpha = 0 skips the sum.
  template <class T>
  static T stored_zero(BetaZero rule, T beta) {
    return rule == BetaZero::store_beta ? beta : T(0);
  }
  auto operator<=>(const MatrixClass&) const = default;
};

struct MatrixRegime {
  std::vector<Atom> guard;  // empty: every shape
  Axis rows, columns;
  // table[row type][column type]: index into `classes`, or -1 where the pair was never seen (an
  // output there is not covered). Rectangular.
  std::vector<std::vector<std::int32_t>> table;
  std::vector<MatrixClass> classes;
  std::int64_t k_max = 0;  // covers 1..k_max
  auto operator<=>(const MatrixRegime&) const = default;
};

// The rule of products of one output, as sum and dot are: no guard, one class, {order}.
MatrixRegime regime_of_one_output(std::size_t order, std::int64_t k_max);
// Whether it is such a rule.
bool is_of_one_output(const MatrixRegime& regime);

// `count` neighbours from `first` on that have one type.
struct Stretch {
  std::int64_t first = 0, count = 0;
  std::int32_t type = 0;
  auto operator<=>(const Stretch&) const = default;
};

// The runs of one size, or nullopt where the axis does not cover it. @post they tile 0..size-1.
std::optional<std::vector<Stretch>> stretches(const Axis& axis, std::int64_t size);

// The regions of one shape: class(i, j) = regime->table[type of row i][type of column j].
struct RegionMap {
  const MatrixRegime* regime = nullptr;
  std::vector<Stretch> rows, columns;
  std::int32_t class_at(std::int64_t i, std::int64_t j) const;
};

// The first regime whose guard holds decides. nullopt, and in *why what is not covered.
std::optional<RegionMap> regions(const std::vector<MatrixRegime>& regimes, const Shape3& shape,
                                 std::string* why = nullptr);

// Throws UserError naming the first broken invariant: segments that overlap or do not ascend, a
// word whose length is not its size (checked on the coefficients, so for every Q at once), a
// negative length, a type outside the table, a class that does not exist.
void validate(const MatrixRegime& regime);

}  // namespace reprosum::spec
