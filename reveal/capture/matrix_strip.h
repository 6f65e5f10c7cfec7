// A library may compare (m + 1) * (k + 1) with its limit, or round sizes up: no product of sizes
// says so. The best limit of a product is then right but for a strip below it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "spec/region.h"

namespace reprosum::reveal {

// @pre regimes[wrong] is wrong at `shape`, in this class. If the shape lies in a strip just below
// an upper limit on a product of sizes, and the class is right in `count` shapes below the strip,
// the result is a regime that covers nothing in the strip, to stand before the wrong one. nullopt
// if the trouble is elsewhere, or if so many shapes are too dear.
std::optional<spec::MatrixRegime> strip_below_limit(
    const std::vector<spec::MatrixRegime>& regimes, std::size_t wrong, std::int32_t output_class,
    const spec::Shape3& shape, const spec::Shape3& largest, bool is_gemv, int count,
    std::uint64_t seed, const std::function<bool(std::span<const spec::Shape3>)>& are_right);

}  // namespace reprosum::reveal
