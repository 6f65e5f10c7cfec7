// What kind of box is this? Checks before anything is revealed, and the reason when a tree that was
// revealed does not give the target's bits.
//
// Is it a sum with an order? (check/classify.h) Small integers must add up, equal inputs must
// give equal bits, and permuting hostile data must sometimes change them. Refused otherwise:
// not_a_sum, not_deterministic, exact (every result is the correctly rounded one),
// input_dependent (a fixed result under permutation that is not the exact one: sorting). Where
// subnormal inputs or results become zero, data near underflow say which of them at sizes up to
// 24, and where +0 stands, when the order is known, and the order is certified with that
// (flush); of sums that are partly in f64, and of products of matrices, that is refused:
// flushes_subnormals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reveal/refused.h"
#include "reveal/target.h"

namespace reprosum::reveal {

// Throws Refused: unknown_arithmetic (factors.h), directed_rounding (rounding.h), not_a_sum (unit
// vectors, all ones), not_deterministic (equal inputs, other outputs), exact (every random sum is
// the correctly rounded one), input_dependent (the bits do not depend on the order of the summands,
// as after sorting). No call is longer than n_max. Gives which subnormal numbers become zero, as
// two summands show it; data near underflow decide.
// @pre an increment is not zero.
spec::Flush check_box(Target& target, const Call& context, std::uint64_t seed,
                      std::int64_t n_max = 1'000'000);

// A NaN among the summands of sum or dot must show: throws Refused skips_nan if the others are
// added without it, input_dependent if the result is anything else.
// @pre small integers add up, and an increment is not zero.
void check_nan(Target& target, const Call& context, std::int64_t n_max = 1'000'000);

// Whether masks confirm the tree that the order has at n. Of a large tree some nodes are looked at.
bool tree_is_right(Target& target, const Call& context, const spec::Order& order, std::int64_t n,
                   std::uint64_t seed);

// What tells that additions of n summands carry a correction term, as Kahan's do: sums of positive
// data are right to the last place where those of the order would not be. nullopt: nothing does.
std::optional<std::string> is_corrected(Target& target, const Call& context,
                                        const spec::Order& order, std::int64_t n,
                                        std::uint64_t seed);

// The reason for bits of n summands that `order`, the inferred one, does not explain: compensated
// if sums of positive data are right to the last place where the order's would not be;
// unknown_rule if the masks deny the order's tree of n, else unknown_arithmetic.
RefusedAt explain_mismatch(Target& target, const Call& context, const spec::Order& order,
                           const std::string& evidence, std::int64_t n, std::uint64_t seed);

}  // namespace reprosum::reveal
