// A condition that leaves out what contradicts a rule.
#include <algorithm>
#include <limits>

#include "reveal/region/certify.h"

namespace reprosum::reveal::region {

using spec::Atom;
using spec::Shape3;

std::optional<Atom> cut(const std::vector<Shape3>& right, const std::vector<Shape3>& wrong,
                        std::size_t least) {
  std::optional<Atom> best;
  std::size_t most = least;
  if (wrong.empty()) return best;
  for (const Atom::Kind kind : {Atom::Kind::at_most, Atom::Kind::above}) {
    const bool upper = kind == Atom::Kind::at_most;
    for (int use = 1; use < 8; ++use) {
      Atom atom;
      atom.kind = kind;
      atom.use_m = use & 1;
      atom.use_n = use & 2;
      atom.use_k = use & 4;
      std::int64_t first = upper ? std::numeric_limits<std::int64_t>::max() : 0;
      for (const Shape3& shape : wrong) {
        const std::int64_t x = product(atom, shape);
        first = upper ? std::min(first, x) : std::max(first, x);
      }
      // The first contradiction met is not the first there is: a factor of two is left.
      atom.limit = upper ? first / 2 : 2 * first;
      const auto count = static_cast<std::size_t>(std::count_if(
          right.begin(), right.end(), [&](const Shape3& shape) { return atom.holds(shape); }));
      // Conditions on one size come first among equals.
      if (count < most || (count == most && best)) continue;
      most = count;
      best = atom;
    }
  }
  return best;
}

}  // namespace reprosum::reveal::region
