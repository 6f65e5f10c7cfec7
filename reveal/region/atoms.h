// From borders to conditions on the shape.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reveal/region/borders.h"

namespace reprosum::reveal::region {

// atom.limit is one number of [low, high): the product of the largest shape known on the lower side
// and of the smallest known on the upper side.
struct Bracket {
  spec::Atom atom;
  std::int64_t low = 0, high = 0;
  int explains = 0;    // borders
  std::int64_t k = 0;  // where the borders were seen, as near to the least as they come
};

// The condition that most borders agree with (maximum stabbing): each border is an interval of
// every product of m, n and k, and one threshold lies in many of them. nullopt if none explains
// `least` of them.
std::optional<Bracket> fit_atom(const std::vector<Border>& borders, bool is_gemv, int least);

// Narrows the bracket with shapes of the rule's guard between its ends, then chooses the limit.
void refine(Maps& maps, Rule& rule, const std::vector<spec::Atom>& also, Bracket& bracket);

// floor(m/a) > floor(n/b), or its contrary, if that explains clearly more borders than `others`: a
// comparison of numbers of panels is a staircase in (m, n). Where several (a, b) do, shapes on
// which they differ decide.
std::optional<Bracket> fit_ratio(Maps& maps, Rule& rule, const std::vector<spec::Atom>& also,
                                 const std::vector<Border>& borders, int others);

// The roundest number T of [low, high), or one with T + 1 round ("less than").
std::int64_t roundest(std::int64_t low, std::int64_t high);

// m^.. * n^.. * k^.. as the atom uses them.
std::int64_t product(const spec::Atom& atom, const spec::Shape3& shape);
spec::Atom negation(spec::Atom atom);
// The last shape inside a comparison of panels along the side that it bounds. `is_whole`: the other
// side has no rest. Sizes may come out at 0. @pre atom.compares_panels().
spec::Shape3 beside_panels(const spec::Atom& atom, spec::Shape3 shape, bool is_whole);

}  // namespace reprosum::reveal::region
