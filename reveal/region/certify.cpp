#include "reveal/region/certify.h"

#include <fmt/format.h>

#include <algorithm>

namespace reprosum::reveal::region {
namespace {

using spec::Shape3;

constexpr int most_rounds = 6;
constexpr std::size_t few = 6;           // contradictions that a repair may cure
constexpr std::size_t least_right = 25;  // shapes that a rule rests on
constexpr double usual_work = 8e6;       // of most held-out shapes; some are larger
constexpr std::int64_t large_every = 10;

// Random shapes: half log-uniform, some long and thin, some beside a threshold.
std::vector<Shape3> held_out_shapes(Maps& maps, const std::vector<Found>& found) {
  const RegionOptions& options = maps.options();
  const Shape3& top = options.largest;
  std::vector<Shape3> shapes;
  std::vector<spec::Atom> atoms;
  for (const Found& regime : found) {
    for (const Bracket& bracket : regime.brackets) atoms.push_back(bracket.atom);
  }
  static constexpr std::int64_t ks[] = {1,   2,   4,   7,   12,  23,  41,   64,   100,
                                        130, 257, 300, 421, 600, 777, 1000, 1500, 2048};
  const auto pick_k = [&] {
    return std::min(top.k, maps.pick(0, 3) == 0 ? maps.pick_log(1, top.k) : ks[maps.pick(0, 17)]);
  };
  for (std::int64_t tries = 0;
       tries < 60 * options.held_out && static_cast<std::int64_t>(shapes.size()) < options.held_out;
       ++tries) {
    const bool is_log = tries % 2 == 0;
    const auto size = [&](std::int64_t most) {
      return is_log ? maps.pick_log(1, most) : maps.pick(1, std::min<std::int64_t>(most, 600));
    };
    Shape3 shape{size(top.m), options.is_gemv ? 1 : size(top.n), pick_k()};
    if (tries % 5 == 4) {
      if (tries % 2 == 0 && !options.is_gemv) {
        shape = {maps.pick_log(1, 40), maps.pick(top.n / 2, top.n), shape.k};
      } else {
        shape = {maps.pick(top.m / 2, top.m), options.is_gemv ? 1 : maps.pick_log(1, 40), shape.k};
      }
    } else if (tries % 5 == 3 && !atoms.empty()) {
      // Beside a threshold: one factor is what the limit leaves to it, one more or one less.
      const spec::Atom& atom = atoms[maps.pick(0, static_cast<std::int64_t>(atoms.size()) - 1)];
      const auto solve = [&](std::int64_t& factor, std::int64_t most) {
        factor = 1;
        factor =
            std::clamp<std::int64_t>(atom.limit / product(atom, shape) + maps.pick(0, 1), 1, most);
      };
      if (atom.use_n && (tries % 2 || !atom.use_m)) {
        solve(shape.n, top.n);
      } else if (atom.use_m) {
        solve(shape.m, top.m);
      } else if (atom.use_k) {
        solve(shape.k, top.k);
      }
    }
    const double work = static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k);
    if (!maps.affordable(shape) || (work > usual_work && maps.pick(1, large_every) > 1)) continue;
    shapes.push_back(shape);
  }
  std::sort(shapes.begin(), shapes.end(),
            [](const Shape3& a, const Shape3& b) { return a.m * a.n < b.m * b.n; });
  return shapes;
}

// What one rule has met, in all rounds since it was learned.
struct Seen {
  std::vector<Shape3> right, wrong;
  int rounds = 0;  // whole ones
};

// Looks at one round of shapes; those after the deadline are not looked at. Returns the largest
// m*n that was reached, 0 if all were.
std::int64_t look(Maps& maps, std::vector<Found>& kept, std::vector<Seen>& seen) {
  std::int64_t reached = 0, uncovered = 0;
  for (Found& regime : kept) regime.rule.forget();
  for (const Shape3& shape : held_out_shapes(maps, kept)) {
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
    uncovered += verdict == Verdict::unknown;
  }
  maps.log(fmt::format("held out: {} not covered", uncovered));
  return 0;
}

bool is_cured(RegimeSearch& search, Found& regime, const Seen& seen) {
  if (seen.wrong.size() > few) return false;
  try {
    return search.repair(regime, seen.wrong);
  } catch (const OutOfTime&) {
    return false;
  }
}

bool is_cut(Found& regime, const Seen& seen, std::vector<std::string>& left) {
  const auto atom = cut(seen.right, seen.wrong, least_right);
  left.push_back(fmt::format("{}: held-out shapes contradict the rule{}", print(regime.rule.guard),
                             atom ? " unless " + print(*atom) : ""));
  if (!atom) return false;
  regime.rule.guard.push_back(*atom);
  regime.brackets.push_back({*atom, atom->limit, atom->limit + 1, 0, 0});
  return true;
}

}  // namespace

Certified certify(Maps& maps, RegimeSearch& search, std::vector<Found> found, bool may_give_up) {
  Certified result;
  std::vector<Found> kept = std::move(found);
  std::vector<Seen> seen(kept.size());
  for (int round = 0; round < most_rounds && !kept.empty(); ++round) {
    for (Seen& of : seen) of.wrong.clear();
    const std::int64_t reached = look(maps, kept, seen);
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
      if (!of.wrong.empty()) {
        is_clean = false;
        if (!is_last && !out_of_time && round < 2 && is_cured(search, regime, of)) {
          of = {};
        } else {
          is_kept = (!is_last || out_of_time) && is_cut(regime, of, result.left);
        }
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
  }
  for (const Seen& of : seen) result.checked += static_cast<std::int64_t>(of.right.size());
  maps.log(fmt::format("held out: {} right", result.checked));
  result.kept = std::move(kept);
  return result;
}

}  // namespace reprosum::reveal::region
