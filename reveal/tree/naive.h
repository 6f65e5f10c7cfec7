// Naive enumeration: every labelled binary tree is tried against random data. A baseline.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "spec/spec.h"
#include "spec/tree.h"

namespace reprosum::reveal {

// Outputs of a sum for rows * n values.
using SumRows = std::function<std::vector<double>(std::span<const double> rows)>;

inline constexpr std::int64_t kNaiveLimit = 8;  // 135 135 trees

// The first tree that reproduces the sums of `rows` random vectors, if any; other trees may do so
// too. Throws UserError for n > kNaiveLimit: there would be (2n-3)!! trees.
std::optional<spec::Tree> naive_enumeration(std::int64_t n, spec::Type type, const SumRows& sums,
                                            int rows, std::uint64_t seed);

}  // namespace reprosum::reveal
