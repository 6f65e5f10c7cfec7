// expand(): from an order and n to the explicit tree; and the arithmetic of split rules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "spec/order.h"
#include "spec/tree.h"

namespace reprosum::spec {

// True iff the order is defined at n.
bool covers(const Order& order, std::int64_t n);

// Largest n such that the order is defined on all of 1..n; 0 if none.
std::int64_t covered_to(const Order& order);

// The regime that holds n, or nullptr.
const Regime* regime_of(const Order& order, std::int64_t n);

// @post a Tree with the invariants of tree.h.
// Throws UserError if the order is not defined at n (or at a piece of n), if n exceeds
// kMaxExplicitLeaves, or if a schema does not name each of 0..n-1 exactly once.
Tree expand(const Order& order, std::int64_t n);

// The tree of one schema at (q, r): the same with n leaves expected. `subs` are those of its order.
Tree expand(const Schema& schema, std::int64_t q, std::int64_t r, std::int64_t n,
            std::span<const Order> subs = {});

// Tree of `tree` restricted to the leaves < n (a node that loses a child becomes the other child, a
// fused operand that loses its accumulator is rounded; the output stays).
Tree restrict_to(const Tree& tree, std::int64_t n);

// The tree restricted to the summands of [lo, hi) in the same way, numbered from lo.
Tree restrict_to(const Tree& tree, std::int64_t lo, std::int64_t hi);

// The tree with its output dropped in the same way: what MatrixClass::BetaZero::drop computes, but
// where a product that is left out takes the output's place.
Tree without_output(const Tree& tree);

// The tree with its output and every +0 dropped: MatrixClass::BetaZero::drop_zeros.
Tree without_constants(const Tree& tree);

// The tree without output, scales and skips.
Tree without_update(const Tree& tree);

// h of a split, or nullopt where the rule cannot split n (h <= 0 or h >= n). h == n only for
// `remainder` where m divides n: then there is no right piece.
std::optional<std::int64_t> split_point(const Split& split, std::int64_t n);

// Lengths of the pieces; nullopt where one is not positive, or where there is only one and the rule
// has neither `onto` nor `scale`.
std::optional<std::vector<std::int64_t>> piece_lengths(const Parts& parts, std::int64_t n);

// What a window holds of n summands: those from..from+count-1, at the places first.. of the window.
struct Window {
  std::int64_t from = 0, count = 0, first = 0;
};
// How many windows there are, and the one numbered w. @pre n > rule.width
std::int64_t number_of_windows(const Windows& rule, std::int64_t n);
Window window_at(const Windows& rule, std::int64_t n, std::int64_t w);

// Whether the order uses anything that only the order of a matrix update may: outputs, scales,
// skips.
bool is_update(const Order& order);
bool is_update(const Tree& tree);

// Whether some item of the order, or of a sub-order, is added by a sub-order (Shape::sub).
bool has_sub_runs(const Order& order);

// Whether anything is added, or a product is exact, in the wide format.
bool has_wide(const Order& order);

// Whether the order has fused nodes of more than two operands, or with products alone.
bool has_fused_nodes(const Rule& rule);
bool has_fused_nodes(const Order& order);
bool has_fused_nodes(const Tree& tree);

// Whether a zero factor leaves some product out.
bool leaves_products_out(const Order& order);

// The plain order of the sums, what masks see: outputs, scales and skips
// removed.
// @post expand(result, n) == without_update(expand(order, n)) wherever the latter is defined.
// Throws UserError if a piece refers to a regime of one-piece parts beyond its range.
Order without_update(const Order& order);

// The canonical program of a tree given in any operand order (see tree.h's invariant).
// Throws UserError if the ops are not a tree on 0..n-1 or a fused leaf is not an addend.
Tree canonical(Tree tree);

// Throws UserError naming the first broken invariant: regimes not ascending, cases that do not
// cover the residues, a shape that names a later chain, a child that does not exist, an Explicit
// entry outside its regime, depth beyond kMaxDepth, a scale or a skip where it cannot act, a
// recursion that does not shrink (the left child of `remainder` and the child of parts with `onto`
// or `scale` are sub-orders or earlier regimes). That every tree is one is prove_trees()'s to say.
void validate(const Order& order);

}  // namespace reprosum::spec
