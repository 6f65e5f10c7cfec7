#include "reveal/region/divide_candidate.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "reveal/region/atoms.h"

namespace reprosum::reveal::region {

using spec::Atom;
using spec::Shape3;

Candidate::Candidate(Maps& maps, Rule rule) : maps_(maps), rule_(std::move(rule)) {
  // A condition on k alone would leave other k without hashes.
  std::erase_if(rule_.guard, [](const Atom& atom) {
    return !atom.compares_panels() && atom.use_k && !atom.use_m && !atom.use_n;
  });
  rule_.forget_hashes();  // full signatures have others
}

Verdict Candidate::test(const Shape3& shape) {
  if (asked_.insert(shape.k).second) show_classes(shape.k);
  if (count_shown(shape.k) == rule_.classes) return rule_.test(maps_, shape);
  if (count_shown(shape.k) == 0) return Verdict::unknown;
  Rule copy = rule_;  // a class seen here first must not be taken for known
  return copy.test(maps_, shape);
}

int Candidate::count_shown(std::int64_t k) const {
  int shown = 0;
  for (int c = 0; c < rule_.classes; ++c) shown += rule_.hash(k, c) != 0;
  return shown;
}

// Large shapes first where the guard is a lower bound, else small ones: the guard may be wider
// than the rule, and then its border is where others are right. Sizes beside each scale show all
// types there are.
void Candidate::show_classes(std::int64_t k) {
  static constexpr std::int64_t scales[] = {1, 2, 3, 5, 9, 17, 31, 60, 120, 240, 480, 960};
  std::vector<std::int64_t> order(std::begin(scales), std::end(scales));
  if (std::any_of(rule_.guard.begin(), rule_.guard.end(),
                  [](const Atom& atom) { return atom.kind == Atom::Kind::above; }))
    std::reverse(order.begin(), order.end());
  const auto beside = [&](Side side, std::int64_t scale) {
    return rule_.telling(side, scale, rule_.axes[side].back().period);
  };
  for (const std::int64_t scale : order) {
    const auto columns =
        maps_.is_gemv() ? std::vector<std::int64_t>{1} : beside(column_side, scale);
    for (const std::int64_t m : beside(row_side, scale))
      for (const std::int64_t n : columns) {
        const Shape3 shape{m, n, k};
        if (work(shape) <= usual_work && rule_.inside(shape) && maps_.affordable(shape))
          rule_.test(maps_, shape);
        if (count_shown(k) == rule_.classes) return;
      }
  }
}

}  // namespace reprosum::reveal::region
