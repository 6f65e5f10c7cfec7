// The rule of one regime at one k, inside a box of sizes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reveal/region/rule.h"

namespace reprosum::reveal::region {

struct Box {
  std::int64_t k = 0;
  std::array<std::int64_t, 2> low{1, 1}, high{1, 1};
};

using Anchors = std::array<std::set<std::int64_t>, 2>;

// Sizes up to this one may be listed one by one.
constexpr std::int64_t most_listed = 96;

// Whether the guard admits so few sizes on both axes that each may be listed.
bool has_few_sizes(const Maps& maps, const std::vector<spec::Atom>& guard);

// Boxes inside the guard (all four corners are), best first: wide ones with a small k. `k_least`:
// no smaller k.
std::vector<Box> boxes(const Maps& maps, const std::vector<spec::Atom>& guard,
                       std::int64_t k_least);

// The rule of the sizes box.low..box.high that can be looked at within the guard. `anchors` are
// where the search for types begins, `extra` stay experiments whatever happens. nullopt, and why,
// if there is none of the expected form.
std::optional<Rule> learn_in(Maps& maps, const std::vector<spec::Atom>& guard, const Box& box,
                             const Anchors& anchors, const Anchors& extra, std::string& why);

// The same for all sizes. At a large k the last ones of an axis cost more than all others and are
// left out: the last segments end before them.
std::optional<Rule> learn_axes(Maps& maps, const std::vector<spec::Atom>& guard, std::int64_t k,
                               const Anchors& anchors, const Anchors& extra, std::string& why);

// The same for the best boxes, made smaller where no rule holds and larger where a period does not
// show; checked on random shapes of the box.
std::optional<Rule> learn_core(Maps& maps, const std::vector<spec::Atom>& guard,
                               std::int64_t k_least, Anchors& extra, std::string& why);

}  // namespace reprosum::reveal::region
