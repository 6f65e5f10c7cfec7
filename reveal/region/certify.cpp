#include "reveal/region/certify.h"

#include <fmt/format.h>

#include <algorithm>

namespace reprosum::reveal::region {
namespace {

using spec::Shape3;

constexpr int most_rounds = 6;
// What was cured or cut at the shapes that one round has met may be wrong beside them: from then on
// so many times the shapes are looked at.
constexpr int doubted = 4;
constexpr std::size_t few = 6;           // contradictions that a repair may cure
constexpr std::size_t least_right = 25;  // shapes that a rule rests on, if there are so many

// What one rule has met, in all rounds since it was learned.
struct Seen {
  std::vector<Shape3> right, wrong;
  std::size_t unknown = 0;
  int rounds = 0;  // whole ones
};

// The guard, and the sizes at which the axes end, where the covered shapes also have corners.
std::vector<spec::Atom> bounds(const Maps& maps, const Rule& rule) {
  std::vector<spec::Atom> all = rule.guard;
  for (const Side side : {row_side, column_side}) {
    const spec::Shape3& largest = maps.options().largest;
    const std::int64_t top = side == row_side ? largest.m : largest.n;
    if (rule.axes[side].empty() || (side == column_side && maps.is_gemv())) continue;
    const std::int64_t last = rule.axes[side].back().to;
    if (last < top)
      all.push_back(
          {spec::Atom::Kind::at_most, side == row_side, side == column_side, false, last, 1, 1});
  }
  return all;
}

// Looks at one round of shapes; those after the deadline are not looked at. Returns the largest
// m*n that was reached, 0 if all were.
std::int64_t look(Maps& maps, std::vector<Found>& kept, std::vector<Seen>& seen, int effort,
                  const std::vector<Shape3>& doubts) {
  std::int64_t reached = 0, uncovered = 0;
  for (Found& regime : kept) regime.rule.forget();
  std::vector<std::vector<spec::Atom>> guards;
  for (const Found& regime : kept) guards.push_back(bounds(maps, regime.rule));
  std::vector<Shape3> shapes = held_out_shapes(maps, guards, effort);
  const std::vector<Shape3> near = neighbours(maps, doubts);
  shapes.insert(shapes.end(), near.begin(), near.end());
  for (const Shape3& shape : shapes) {
    const auto first = std::find_if(kept.begin(), kept.end(),
                                    [&](const Found& regime) { return regime.rule.inside(shape); });
    if (first == kept.end()) {
      ++uncovered;
      continue;
    }
    Verdict verdict = Verdict::unknown;
    try {
      verdict = first->rule.test(maps, shape);
    } catch (const OutOfTime&) {
      return std::max<std::int64_t>(1, reached);
    }
    reached = shape.m * shape.n;
    Seen& of = seen[static_cast<std::size_t>(first - kept.begin())];
    if (verdict == Verdict::right) of.right.push_back(shape);
    if (verdict == Verdict::wrong) {
      of.wrong.push_back(shape);
      maps.log(fmt::format("held out: {} contradicts {}: {}", print(shape),
                           print(first->rule.guard), first->rule.last_error));
    }
    of.unknown += verdict == Verdict::unknown;
    uncovered += verdict == Verdict::unknown;
  }
  maps.log(fmt::format("held out: {} not covered", uncovered));
  return 0;
}

// What contradicted the old rule must be right for the new one, beside what was right at these k.
bool is_cured(Maps& maps, RegimeSearch& search, Found& regime, const Seen& seen) {
  if (seen.wrong.size() > few) return false;
  Found cured = regime;
  try {
    if (!search.repair(cured, seen.wrong)) return false;
    std::vector<Shape3> shapes = seen.wrong;
    for (const Shape3& right : seen.right) {
      if (std::any_of(seen.wrong.begin(), seen.wrong.end(),
                      [&](const Shape3& wrong) { return wrong.k == right.k; }))
        shapes.push_back(right);
    }
    std::stable_sort(shapes.begin(), shapes.end(),
                     [](const Shape3& a, const Shape3& b) { return a.m * a.n < b.m * b.n; });
    for (const Shape3& shape : shapes) {
      if (cured.rule.test(maps, shape) == Verdict::wrong) return false;
    }
  } catch (const OutOfTime&) {
    return false;
  }
  regime = std::move(cured);
  return true;
}

bool is_cut(Found& regime, const Seen& seen, Certified& result) {
  const auto atom = cut(seen.right, seen.wrong, least_right);
  if (!atom) {
    result.left.push_back(print(regime.rule.guard) + ": held-out shapes contradict the rule");
    return false;
  }
  RegimeSearch::Task& rest = result.cut_off.emplace_back();
  rest.guard = regime.rule.guard;
  rest.guard.push_back(negation(*atom));
  regime.rule.guard.push_back(*atom);
  regime.brackets.push_back({*atom, atom->limit, atom->limit + 1, 0, 0});
  return true;
}

}  // namespace

Certified certify(Maps& maps, RegimeSearch& search, std::vector<Found> found, bool was_short,
                  bool may_give_up) {
  Certified result;
  std::vector<Found> kept = std::move(found);
  std::vector<Seen> seen(kept.size());
  int effort = 1;
  for (int round = 0; round < most_rounds && !kept.empty(); ++round) {
    for (Seen& of : seen) of.wrong.clear();
    const std::int64_t reached = look(maps, kept, seen, effort, search.doubts);
    const bool out_of_time = reached > 0, is_last = round + 1 == most_rounds;
    bool is_clean = true;
    std::vector<Found> rest;
    std::vector<Seen> rest_seen;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      Found& regime = kept[i];
      Seen& of = seen[i];
      if (may_give_up && of.wrong.size() > few) {
        result.is_hopeless = true;
        return result;
      }
      bool is_kept = true;
      if (regime.covers_nothing) {
        rest.push_back(regime);
        rest_seen.push_back(of);
        continue;
      }
      if (was_short && round == 0 && of.wrong.size() > few &&
          2 * of.wrong.size() > of.right.size()) {
        // More classes than the short signatures told apart.
        result.cut_off.push_back({regime.rule.guard, 0});
        continue;
      }
      if (!of.wrong.empty()) {
        is_clean = false;
        search.doubts.insert(search.doubts.end(), of.wrong.begin(), of.wrong.end());
        if (!is_last && !out_of_time && round < 2 && is_cured(maps, search, regime, of)) {
          of = {};
        } else {
          is_kept = (!is_last || out_of_time) && is_cut(regime, of, result);
        }
      } else if (of.right.empty() || (of.unknown > 0 && of.right.size() < least_right)) {
        // Where a guard admits few shapes at all, all of them must be right.
        is_kept = false;
      }
      of.rounds += !out_of_time;
      std::erase_if(of.right, [&](const Shape3& shape) { return !regime.rule.inside(shape); });
      if (is_kept && out_of_time && of.rounds == 0) {
        // Shapes are looked at in the order of m*n.
        regime.rule.guard.push_back({spec::Atom::Kind::at_most, true, true, false, reached, 1, 1});
        result.left.push_back(print(regime.rule.guard) + ": no time was left for larger shapes");
        is_kept = of.right.size() >= least_right;
      }
      if (is_kept) {
        rest.push_back(regime);
        rest_seen.push_back(of);
      } else {
        result.left.push_back(print(regime.rule.guard) + ": not certified by held-out shapes");
      }
    }
    kept = std::move(rest);
    seen = std::move(rest_seen);
    if (is_clean || out_of_time) break;
    effort = doubted;
  }
  for (const Seen& of : seen) result.checked += static_cast<std::int64_t>(of.right.size());
  maps.log(fmt::format("held out: {} right", result.checked));
  result.kept = std::move(kept);
  result.doubts = search.doubts;
  return result;
}

}  // namespace reprosum::reveal::region
