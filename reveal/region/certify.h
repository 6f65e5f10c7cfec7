// The final check: shapes that no part of the search has seen.
#pragma once

#include <string>
#include <vector>

#include "reveal/region/regime_search.h"

namespace reprosum::reveal::region {

struct Certified {
  std::vector<Found> kept;
  std::int64_t checked = 0;       // shapes that were right in the last round
  bool is_hopeless = false;       // so many contradictions that the search itself went wrong
  std::vector<std::string> left;  // why shapes are left out
  std::vector<RegimeSearch::Task> cut_off;  // what further conditions exclude: not searched
  std::vector<spec::Shape3> doubts;         // all that contradicted a rule
};

// Rounds of held-out shapes until one round contradicts nothing. A few contradictions are learned
// from; what that does not cure is cut off by a further condition, and a rule of which too little
// was seen to be right is given up. When the time is over, what is kept is what the last round has
// seen. With `may_give_up` many contradictions end the check. `was_short`: the rules were found
// with short signatures; one that most shapes contradict is among what is cut off, as a whole.
Certified certify(Maps& maps, RegimeSearch& search, std::vector<Found> found, bool was_short,
                  bool may_give_up);

// Random shapes, half of them log-uniform, some long and thin, some beside a limit of these guards;
// by rising m*n; then corners of the guards, likewise. The first guard that holds decides a shape:
// where one decides fewer than least_inside, cheap shapes that it decides are added, if that many
// are found. `effort`: times as many of these and of corners.
constexpr std::int64_t least_inside = 150;
std::vector<spec::Shape3> held_out_shapes(Maps& maps,
                                          const std::vector<std::vector<spec::Atom>>& guards,
                                          int effort = 1);

// Shapes that contradicted a rule and cheap ones a few rows and columns from them, by rising m*n:
// a rule that was repaired or cut there, or that covers the shape later, may be wrong in some of
// them.
std::vector<spec::Shape3> neighbours(Maps& maps, std::vector<spec::Shape3> doubts);

// The condition that excludes every wrong shape, with a wide margin, and the fewest right ones.
// nullopt if fewer than `least` right shapes would remain.
std::optional<spec::Atom> cut(const std::vector<spec::Shape3>& right,
                              const std::vector<spec::Shape3>& wrong, std::size_t least);

}  // namespace reprosum::reveal::region
