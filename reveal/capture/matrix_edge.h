// A library may have two limits at one product of sizes, `<` here and `<=` there: the shapes on
// that very product then follow neither the rule below nor, all of them, the rule above.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "spec/region.h"

namespace reprosum::reveal {

// Shapes up to `largest` in which the product of the two or more sizes that `product` names is
// `value`.
std::vector<spec::Shape3> shapes_on(const spec::Atom& product, std::int64_t value,
                                    const spec::Shape3& largest, bool is_gemv);

// @pre regimes[wrong] is wrong at `shape`. If the shape has the least product that the regime's
// bound admits, and shapes beyond it are right, the result is a regime to stand before it. It is
// for the wrong shapes on that product and has the rule of another regime that is right there, or
// covers nothing. nullopt if the trouble is elsewhere.
std::optional<spec::MatrixRegime> on_the_edge(
    const std::vector<spec::MatrixRegime>& regimes, std::size_t wrong, const spec::Shape3& shape,
    const spec::Shape3& largest, bool is_gemv,
    const std::function<bool(const std::vector<spec::MatrixRegime>& rules, const spec::Shape3&)>&
        is_right);

}  // namespace reprosum::reveal
