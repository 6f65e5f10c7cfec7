// The order language: an order is a function from n to a summation tree with its arithmetic.
//
// Everything here is a plain value with structural equality. `expand(order, n)` (expand.h) is the
// meaning; parse.h, print.h and json.h are the surfaces.
#pragma once

#include <compare>
#include <cstdint>
#include <variant>
#include <vector>

#include "spec/checked.h"

namespace reprosum::spec {

// Which of the formats of a routine (format.h) a node adds in and carries its value in to its
// parent. A node first converts both operands to its own format (rounding a wide value to narrow,
// widening exactly the other way), then adds and rounds once. The root is rounded to narrow, then
// to the format of the result.
// Kinds are add-only; a reader refuses one it does not know.
enum class NodeFormat : std::uint8_t {
  narrow,  // the format that the routine adds in: f32 for sdot
  wide,    // f64 where that is narrower
  // Only in a tree: the sum is not rounded and enters the node above as it is. So a fused node of
  // k operands is k - 2 such additions below one that rounds.
  exact,
};

// How a summand enters the node above it. For sum the "product" is x[k] itself.
enum class Leaf : std::uint8_t {
  rounded,  // '.'  product rounded to narrow
  fused,    // 'f'  the product is not rounded by itself: fma(x[k], y[k], left), rounded once; the
            //      right operand of its node, or both are fused
  exact,    // 'x'  product computed in wide (exact for f32 data), then added as a wide value
  zero,     // '0'  the constant +0; takes no summand (accumulators that start at zero)
  // Only in the order of a matrix update C := alpha*A*B + beta*C, where they stand for the output:
  out,        // 'out'   beta*c rounded; takes no summand
  out_fused,  // 'outf'  only as the right operand of a node: fma(beta, c, left), rounded once
};

// Where alpha enters what an item adds; only in the order of a matrix update. alpha == 1 makes all
// of them the same.
enum class Scale : std::uint8_t {
  none,
  x,        // '<'  of a product leaf: alpha * x[k] is rounded first and takes the place of x[k]
  y,        // '>'  of a product leaf: the same with y[k]
  rounded,  // '*'  the value of the shape times alpha, rounded, then added
  fused,    // '&'  only as the right operand of a node: fma(alpha, value, left), rounded once
};

// Which zero factor leaves a product out: it is then -0, which changes no sum, whatever the other
// factor is, an Inf or a NaN included. Only of a product leaf in the order of a matrix update that
// is not marked with '*' or '&'.
enum class Skip : std::uint8_t {
  none,
  x,       // '~'  left out where x[k] == 0
  y,       // '^'  left out where y[k] == 0
  scaled,  // '?'  left out where the factor that alpha meets, times alpha, rounds to zero
};

// The integer a*q + b*r + c of a loop with n = q*B + r.
struct Linear {
  std::int64_t q = 0, r = 0, c = 0;
  constexpr Int128 exactly_at(std::int64_t qv, std::int64_t rv) const {
    return Int128{q} * qv + Int128{r} * rv + c;
  }
  // As far as it goes: clamped() to what no place reaches.
  constexpr std::int64_t at(std::int64_t qv, std::int64_t rv) const {
    return clamped(exactly_at(qv, rv));
  }
  auto operator<=>(const Linear&) const = default;
};

// What an item repeats: a leaf, an earlier chain of the same schema, or leaves that a sub-order
// adds.
struct Shape {
  std::int32_t chain = -1;  // index into Schema::chains, or -1 for a leaf
  Leaf leaf = Leaf::rounded;
  Scale scale = Scale::none;
  Skip skip = Skip::none;
  // The enclosing order's subs[sub] adds the leaves of each run of `times` to one value; its
  // summand t is the leaf at + t*step. So a lane of a vectorised sum may have an order of its own.
  // -1: none. Neither in a padded loop nor in the order of a matrix update.
  std::int32_t sub = -1;
  bool is_leaf() const { return chain < 0; }
  bool is_sub() const { return sub >= 0; }
  auto operator<=>(const Shape&) const = default;
};

// A (two-level) run of equal shapes: copy (u, t), 0 <= u < times2, 0 <= t < times, has its origin
// at at + t*step + u*step2, u outermost. times <= 0 or times2 <= 0 means the item is absent. A zero
// leaf and an output have no place: their copies are counted by times alone and `at` is 0.
struct Item {
  Shape shape;
  Linear at, step, times{0, 0, 1}, step2, times2{0, 0, 1};
  auto operator<=>(const Item&) const = default;
};

// What a node of more than two operands does: matrix units add a group of products and the sum so
// far at once. The parameters are those of the units that are known; others than these are refused.
struct Fused {
  enum class Sum : std::uint8_t {
    exact,  // of the operands as they are, rounded once to nearest even; without any but -0, -0
  };
  std::int64_t terms = 0;  // at once, besides the sum so far; 0: no such node
  Sum sum = Sum::exact;
  auto operator<=>(const Fused&) const = default;
};
inline constexpr std::int64_t kMaxFusedTerms = 4096;

// Items added from left to right: ((first + second) + third) + ... , every addition in `format`.
// Offsets inside a chain are relative to the chain's own origin; a leaf's origin is its index. By
// convention the origin of a chain is its least leaf. A chain with one present copy is that copy; a
// chain with none is absent. A fused leaf that is the first present copy of its chain has nothing
// to be added to and is a rounded product; so [f@0 +16 x q] is uniform: round(x0*y0), then fma's.
// A fused scale and a fused output that come first are likewise rounded.
// fused.terms = k > 0: not one by one, but the next k copies at once, with the sum so far, if there
// is one: a fused node, in which a product marked 'f' is not rounded, nor is the first. Zero leaves
// and outputs are operands besides the k. The last node takes the remaining copies, which may be
// fewer. Such a chain is narrow, and alpha, skips and fused outputs are not in it.
struct Chain {
  NodeFormat format = NodeFormat::narrow;
  std::vector<Item> items;
  Fused fused{};
  auto operator<=>(const Chain&) const = default;
};

// A tree for one (q, r). chains.back() is the root; a chain names only earlier chains, so there are
// no cycles. The nesting depth is at most kMaxDepth.
struct Schema {
  std::vector<Chain> chains;
  auto operator<=>(const Schema&) const = default;
};
inline constexpr int kMaxDepth = 64;
inline constexpr std::int64_t kMaxLeaves = std::int64_t{1} << 40;  // of a lazily walked order
inline constexpr std::int64_t kMaxExplicitLeaves = std::int64_t{1} << 20;  // of an expanded tree

// ---- rules: each gives the tree of n summands for the n of its regime ----

// One tree per listed n, for those n only (all Linear are constants).
struct Explicit {
  struct Entry {
    std::int64_t n = 0;
    Schema tree;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> entries;  // ascending n
  auto operator<=>(const Explicit&) const = default;
};

// n = q*block + r. The case whose [r_lo, r_hi] holds r gives the tree. Cases are disjoint,
// ascending and cover 0..block-1. pad: there is one case (r = 0) and the tree of n is that of the
// next multiple of `block` with the leaves >= n deleted (a node that loses a child becomes the
// other child).
struct Loop {
  struct Case {
    std::int64_t r_lo = 0, r_hi = 0;
    Schema schema;
    auto operator<=>(const Case&) const = default;
  };
  std::int64_t block = 1;
  bool pad = false;
  std::vector<Case> cases;
  auto operator<=>(const Loop&) const = default;
};

// Which order a piece of a split follows.
struct Child {
  enum class Kind : std::uint8_t {
    self,    // the enclosing order, regime chosen by the piece's length
    regime,  // regime `index` of the enclosing order, also beyond its range; below it: self
    sub,     // the enclosing order's subs[index]
  };
  Kind kind = Kind::self;
  std::int32_t index = 0;
  auto operator<=>(const Child&) const = default;
};

// F(n) = left(h) + right(n - h), contiguous, added in `format`.
// through: right(n - h) is not added but goes on from left(h), rounded to narrow, which is what the
// output leaf of its trees stands for: a block that loads what earlier blocks left in C. The right
// child is then a sub-order that nothing else names, whose every tree begins with an output leaf
// and has no other one (running_sum.h); they may be wide. `last` and `last_const` only, and narrow.
struct Split {
  enum class Kind : std::uint8_t {
    half_down,     // h = floor(n/2) rounded down to a multiple of m
    half_up,       // h = floor(n/2) rounded up to a multiple of m
    ceil_half_up,  // h = ceil(n/2) rounded up to a multiple of m
    half_near,     // h = floor(n/2) rounded to the nearest multiple of m (half up)
    pow2_below,    // largest h = m * 2^k, k >= 0, with h < n
    pow2_half,     // largest h = m * 2^k, k >= 0, with 2h <= n
    last,          // h = floor((n-1)/m) * m : the last piece has 1..m leaves
    last_const,    // h = n - m
    first,         // h = m
    first_rest,    // h = (n-1) mod m + 1 : the first piece has 1..m leaves
    remainder,     // h = floor(n/m) * m, the right piece has 1..m-1 leaves; if m divides n there is
                   // none, and F(n) = left(n) (the left child must not be self)
  };
  Kind kind = Kind::half_down;
  std::int64_t m = 1;
  NodeFormat format = NodeFormat::narrow;
  Child left, right;
  bool through = false;
  auto operator<=>(const Split&) const = default;
};

// Pieces p0, p1, ... contiguous, each a `child`, folded from the left in `format`.
// `onto` zero starts the fold at +0: 0 + p0 + p1 ... Only in the order of a matrix update: `scale`
// (none, rounded or fused) is where alpha meets each piece, and `onto` says that the fold takes in
// the output: `first` starts it, out + p0 + p1 ...; `fused` adds it to the first piece,
// fma(beta, c, p0) + p1 ... A single piece is then folded as well: out + p0.
struct Parts {
  enum class Onto : std::uint8_t { none, first, fused, zero };
  enum class Kind : std::uint8_t {
    balanced_up,    // left >= 2m: m;  m < left < 2m: floor(left/2) rounded up to u;  else left
    balanced_ceil,  // the same with ceil(left/2)
    ceil,           // count pieces of ceil(n/count) rounded up to m, the last shorter
    floor,          // count-1 pieces of floor(n/count) rounded down to m, the last longer
    even,           // lengths differ by at most one, longer ones first
    proportional,   // piece k ends at floor(n*(k+1)/count)
    rest,           // each takes ceil(left / pieces left) rounded up to m
    fixed,          // pieces of m, the last one 1..m
  };
  Kind kind = Kind::balanced_up;
  std::int64_t count = 0;  // number of pieces (not for balanced_* and fixed)
  std::int64_t m = 1;      // block length or rounding
  std::int64_t u = 1;      // rounding of the half (balanced_up)
  NodeFormat format = NodeFormat::narrow;
  Child child;
  Onto onto = Onto::none;
  Scale scale = Scale::none;
  auto operator<=>(const Parts&) const = default;
};

// A sum in passes, each of which makes one sum of every window of `width` places: the windows lie
// over the n summands so that as many places are missing before the first as behind the last, or
// one more behind: window w holds the places w*width - low, ..., low = floor((c*width - n)/2), and
// there are c = ceil(n/width) of them. `piece` adds what a window holds: its tree of `width`
// summands, from which the places outside are deleted as in a padded loop. `values` is applied to
// the c sums, which are its summands. XLA's tree reduction, for one, is
// windows(32) { sub 0 by self }.
// n > width. Only of a whole order in which every summand is rounded and nothing is wide, not of a
// matrix update; `piece` is a sub-order.
struct Windows {
  std::int64_t width = 2;
  Child piece, values;
  auto operator<=>(const Windows&) const = default;
};
inline constexpr std::int64_t kMaxWindow = 4096;

using Rule = std::variant<Explicit, Loop, Split, Parts, Windows>;

struct Regime {
  std::int64_t lo = 1, hi = 1;  // inclusive
  Rule rule;
  auto operator<=>(const Regime&) const = default;
};

// Which subnormal numbers every operation takes as zero, with their sign: the additions, products
// and fused products of a machine that is set so. Where there is no operation they are kept: one
// summand alone, the result as it is stored. Add-only.
enum class Flush : std::uint8_t {
  none,
  inputs,   // operands (x86 DAZ)
  results,  // what is tiny after rounding, as if exponents had no limit (x86 FTZ); of a fused
            // product the one result
  both,
};
constexpr bool flushes_inputs(Flush flush) {
  return flush == Flush::inputs || flush == Flush::both;
}
constexpr bool flushes_results(Flush flush) {
  return flush == Flush::results || flush == Flush::both;
}

// Regimes ascending and disjoint; the order is defined for exactly the n in one of them (and, for
// Explicit, listed). The first regime of a top-level order starts at 1.
// zero_start: one more +0 is added (narrow) to the result of the whole order, at the root.
// flush: of an order as a whole, not of its sub-orders, which follow it; only where nothing is
// wide, and not of a matrix update.
struct Order {
  bool zero_start = false;
  std::vector<Regime> regimes;
  std::vector<Order> subs;
  Flush flush = Flush::none;
  std::strong_ordering operator<=>(const Order&) const;
  bool operator==(const Order&) const;
};

}  // namespace reprosum::spec
