// Conditions that compare numbers of panels.
#include <algorithm>

#include "reveal/region/atoms.h"

namespace reprosum::reveal::region {
namespace {

using spec::Shape3;
using Kind = spec::Atom::Kind;

constexpr std::int64_t widest_panel = 64;
constexpr int least_borders = 6;
constexpr int deciding_shapes = 60;

struct Candidate {
  spec::Atom atom;
  int explains = 0, doubts = 0;
};

// in_high may lie beyond the border and be right because it shows no difference: it has whatever
// sizes the bisection came to, and in_low those with most types near by.
bool explains(const spec::Atom& atom, const Border& border) {
  return atom.holds(border.in_low) && !atom.holds(border.out);
}

}  // namespace

std::optional<Bracket> fit_ratio(Maps& maps, Rule& rule, const std::vector<spec::Atom>& also,
                                 const std::vector<Border>& borders, int others) {
  std::vector<Candidate> candidates;
  int most = std::max(least_borders, others + 2);
  for (const Kind kind : {Kind::taller, Kind::not_taller, Kind::wider, Kind::not_wider}) {
    for (std::int64_t a = 1; a <= widest_panel; ++a) {
      for (std::int64_t b = 1; b <= widest_panel; ++b) {
        spec::Atom atom;
        atom.kind = kind;
        atom.a = a;
        atom.b = b;
        const auto count = std::count_if(borders.begin(), borders.end(), [&](const Border& border) {
          return explains(atom, border);
        });
        if (count < most - 1) continue;
        candidates.push_back({atom, static_cast<int>(count), 0});
        most = std::max(most, static_cast<int>(count));
      }
    }
  }
  std::erase_if(candidates, [&](const Candidate& c) { return c.explains < most - 1; });
  if (candidates.empty() || most < std::max(least_borders, others + 2)) return std::nullopt;

  Prober prober(maps, rule);
  prober.also = also;
  rule.forget();
  for (int looked = 0, tries = 0; looked < deciding_shapes && tries < 4000; ++tries) {
    const Shape3 shape{maps.pick_log(1, 400), maps.pick_log(1, 400), rule.k_ref};
    const auto agree = std::count_if(candidates.begin(), candidates.end(),
                                     [&](const Candidate& c) { return c.atom.holds(shape); });
    if (agree == 0 || agree == static_cast<std::ptrdiff_t>(candidates.size())) continue;
    if (!prober.inside(shape)) continue;
    ++looked;
    const Verdict verdict = prober.test(shape);
    // A contradiction is certain; a right shape may be one that shows no difference.
    for (Candidate& c : candidates) {
      if (verdict == Verdict::wrong && c.atom.holds(shape)) c.doubts += 3;
      if (verdict == Verdict::right && !c.atom.holds(shape)) c.doubts += 1;
    }
    const auto least = std::min_element(candidates.begin(), candidates.end(),
                                        [](auto& x, auto& y) { return x.doubts < y.doubts; });
    const int bound = least->doubts + 12;
    std::erase_if(candidates, [&](const Candidate& c) { return c.doubts > bound; });
  }
  const auto best = std::min_element(
      candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
        return std::tuple(x.doubts, -x.explains, x.atom.a + x.atom.b) <
               std::tuple(y.doubts, -y.explains, y.atom.a + y.atom.b);
      });
  return Bracket{best->atom, 0, 1, best->explains, rule.k_ref};
}

}  // namespace reprosum::reveal::region
