// Calls without summands: n <= 0 of sum and dot, k = 0 of gemv and gemm. A library settles them
// before it chooses code, in a way of its own, so they are probed like everything else.
//
// n <= 0 of sum and dot is asked with many increments and addresses. k = 0 of gemv and gemm is
// asked at every shape of few rows and columns with every pair of special scalars (zeros, ones,
// Inf, NaN, tiny and huge), at larger ones with some, C being full of such values; one rule must
// give all the bits, or these calls are refused. If products are tried beyond the sizes that they
// are learned from, the rule is as well, at shapes drawn in the same way (capture/reach_region). If
// one of them differs, the rule ends at the learned sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "reveal/capture.h"
#include "reveal/target.h"
#include "spec/empty.h"

namespace reprosum::reveal {

// The rule for calls of the context's routine without summands. nullopt: the target declines them.
// Throws Refused("unknown_arithmetic") where no rule gives the bits.
//
// For sum and dot, the rule is one zero for n = 0 and, if the target takes such calls, one for n <
// 0, whatever the increments and addresses are. For gemv and gemm (the context has the type and
// transposes, by columns), it is the one rule that gives the bits of every output for k = 0. Every
// shape of few rows and columns is asked with every pair of special scalars, larger ones up to
// `largest` with some; C is full of special values.
std::optional<spec::EmptyRule> empty_rule(
    Target& target, const Call& context, int threads, const spec::Shape3& largest,
    std::span<const std::pair<std::int64_t, std::int64_t>> increments, std::uint64_t seed);

// Whether the rule gives the bits of random calls that it covers, with more than `learned` rows or
// columns.
bool holds_beyond(Target& target, const spec::EmptyRule& rule, const spec::Shape3& learned,
                  std::span<const std::pair<std::int64_t, std::int64_t>> increments,
                  std::uint64_t seed);

// Lets a rule that was found up to its m_max and n_max cover as many rows, columns and outputs as
// are asked for, if it holds beyond. Throws what a target throws; the rule is sound then.
void reach_beyond(Target& target, spec::EmptyRule& rule, const CaptureOptions::Reach& reach,
                  std::span<const std::pair<std::int64_t, std::int64_t>> increments,
                  std::uint64_t seed);

}  // namespace reprosum::reveal
