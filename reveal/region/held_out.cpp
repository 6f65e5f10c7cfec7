// Shapes that no part of a search has seen.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "reveal/region/certify.h"

namespace reprosum::reveal::region {
namespace {

using spec::Shape3;

constexpr double usual_work = 8e6;   // of most held-out shapes; some are larger
constexpr double inside_work = 2e6;  // of those drawn for one guard
constexpr std::int64_t large_every = 10;
constexpr std::size_t most_corners = 80;  // of one guard
constexpr int near_turns = 6;
constexpr int beside_panels_each = 40;        // of one guard
constexpr std::int64_t longest_beside = 400;  // rows or columns of them
constexpr std::int64_t usual_k = 41;
constexpr int most_tries = 40'000;  // a guard with 1/1000 of all shapes is met
// For a guard whose least shape costs more than inside_work: so many shapes, each of at most so
// many times the cost of that one.
constexpr std::int64_t dear_inside = 40;
constexpr double dear_times = 4;
constexpr std::size_t most_doubts = 40;
constexpr int beside_one = 12;          // neighbours of one of them
constexpr std::int64_t most_away = 12;  // rows or columns
constexpr int all_large = 12;           // shapes with three large sizes

std::int64_t pick_usual_k(Maps& maps) {
  static constexpr std::int64_t ks[] = {1,   2,   4,   7,   12,  23,  41,   64,   100,
                                        130, 257, 300, 421, 600, 777, 1000, 1500, 2048};
  return std::min(maps.options().largest.k, ks[maps.pick(0, 17)]);
}

std::int64_t pick_k(Maps& maps) {
  const std::int64_t most = maps.options().largest.k;
  return maps.pick(0, 3) == 0 ? maps.pick_log(1, most) : pick_usual_k(maps);
}

std::size_t deciding(const std::vector<std::vector<spec::Atom>>& guards, const Shape3& shape) {
  return static_cast<std::size_t>(
      std::find_if(guards.begin(), guards.end(),
                   [&](const auto& guard) { return holds(guard, shape); }) -
      guards.begin());
}

// Gives the sizes that an atom bounds and that are not set (0) what its limit leaves to them: the
// last on its inner side, all equal, or with `is_near` some way from there. False if there is none.
bool set_sizes(Maps& maps, const spec::Atom& atom, bool is_near, Shape3& shape) {
  const bool is_upper = atom.kind == spec::Atom::Kind::at_most;
  double left = static_cast<double>(atom.limit) + (is_upper ? 0 : 1);
  std::vector<std::int64_t*> unset;
  const std::array<std::pair<bool, std::int64_t*>, 3> sizes{
      {{atom.use_m, &shape.m}, {atom.use_n, &shape.n}, {atom.use_k, &shape.k}}};
  for (const auto& [is_used, size] : sizes) {
    if (!is_used) continue;
    if (*size == 0)
      unset.push_back(size);
    else
      left /= static_cast<double>(*size);
  }
  if (unset.empty()) return false;
  const double root = std::pow(left, 1.0 / static_cast<double>(unset.size()));
  for (std::int64_t* size : unset) {
    *size = static_cast<std::int64_t>(is_upper ? root + 1e-6 : std::ceil(root - 1e-6));
    if (is_near) {
      const std::int64_t way = maps.pick_log(1, std::max<std::int64_t>(5, *size / 5)) - 1;
      *size += is_upper ? -way : way;
    }
    *size = std::max<std::int64_t>(1, *size);
  }
  return true;
}

// Shapes at and near places where two limits of a guard meet, or one of them and the least sizes,
// at comparisons of panels, and where the sizes that one limit bounds are equal: a border that no
// condition expresses touches the guards that were cut along it there.
std::vector<Shape3> corners(Maps& maps, const std::vector<std::vector<spec::Atom>>& guards,
                            int effort) {
  const std::size_t most = most_corners * static_cast<std::size_t>(effort);
  using Kind = spec::Atom::Kind;
  std::vector<Shape3> all;
  for (std::size_t at = 0; at < guards.size(); ++at) {
    std::vector<spec::Atom> faces;
    for (const spec::Atom& atom : guards[at])
      if (!atom.compares_panels()) faces.push_back(atom);
    const std::size_t limits = faces.size();
    for (const int size : {0, 1, 2})
      faces.push_back({Kind::above, size == 0, size == 1, size == 2, 0, 1, 1});
    std::vector<Shape3> some;
    const auto add = [&](const spec::Atom& first, const spec::Atom& second, bool is_near) {
      Shape3 shape{0, maps.is_gemv() ? 1 : 0, 0};
      set_sizes(maps, first, is_near, shape);
      set_sizes(maps, second, is_near, shape);
      for (std::int64_t* size : {&shape.m, &shape.n})
        if (*size == 0) *size = maps.pick_log(1, 12);
      if (shape.k == 0) {
        shape.k = pick_usual_k(maps);
        if (work(shape) > inside_work) shape.k = usual_k;
      }
      if (work(shape) > usual_work || !maps.affordable(shape)) return;
      if (deciding(guards, shape) == at) some.push_back(shape);
    };
    for (const bool is_near : {false, true}) {
      std::vector<Shape3> before = std::exchange(some, {});
      for (int turn = 0; turn < (is_near ? near_turns * effort : 1); ++turn) {
        for (std::size_t i = 0; i < limits; ++i) {
          for (std::size_t j = 0; j < faces.size(); ++j) {
            add(faces[i], faces[j], is_near);
            if (i != j) add(faces[j], faces[i], is_near);
          }
        }
      }
      std::shuffle(some.begin(), some.end(), maps.random());
      before.insert(before.end(), some.begin(), some.end());
      some = std::move(before);
      if (some.size() > most) some.resize(most);
    }
    all.insert(all.end(), some.begin(), some.end());
    // Shapes on both sides of a comparison of panels, where it matters whether a remainder counts
    // as one.
    for (const spec::Atom& atom : guards[at]) {
      for (int turn = 0; atom.compares_panels() && turn < beside_panels_each * effort; ++turn) {
        Shape3 shape{maps.pick_log(1, longest_beside), maps.pick_log(1, longest_beside),
                     pick_usual_k(maps)};
        shape = beside_panels(atom, shape, turn % 2 == 0);
        if (maps.affordable(shape) && work(shape) <= usual_work && deciding(guards, shape) == at)
          all.push_back(shape);
      }
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Adds cheap shapes for the guards that decide fewer than least_inside of them.
void add_inside(Maps& maps, const std::vector<std::vector<spec::Atom>>& guards, int effort,
                std::vector<Shape3>& shapes) {
  const Shape3& top = maps.options().largest;
  std::set<Shape3> known(shapes.begin(), shapes.end());
  std::vector<std::int64_t> missing(guards.size() + 1, effort * least_inside);
  missing.back() = 0;
  for (const Shape3& shape : known) --missing[deciding(guards, shape)];
  for (int turn = 0; turn < most_tries; ++turn) {
    const auto size = [&](std::int64_t most) {
      return turn % 2 == 0 ? maps.pick_log(1, most)
                           : maps.pick(1, std::min<std::int64_t>(most, 99));
    };
    const Shape3 shape{size(top.m), maps.is_gemv() ? 1 : size(top.n), pick_k(maps)};
    if (work(shape) > inside_work || !maps.affordable(shape)) continue;
    std::int64_t& wanted = missing[deciding(guards, shape)];
    if (wanted <= 0 || !known.insert(shape).second) continue;
    --wanted;
    shapes.push_back(shape);
  }
}

// The same for guards that admit large shapes only.
void add_dear(Maps& maps, const std::vector<std::vector<spec::Atom>>& guards, int effort,
              std::vector<Shape3>& shapes) {
  const Shape3& top = maps.options().largest;
  for (std::size_t at = 0; at < guards.size(); ++at) {
    const Shape3 least = least_sizes(guards[at]);
    if (work(least) < inside_work) continue;
    std::int64_t wanted = effort * dear_inside;
    for (int turn = 0; turn < most_tries && wanted > 0; ++turn) {
      const auto size = [&](std::int64_t from, std::int64_t to) {
        const std::int64_t beside = std::min(to, from + 40);
        return turn % 3 == 0 ? maps.pick(from, beside) : maps.pick_log(from, std::max(from, to));
      };
      const Shape3 shape{size(least.m, top.m), size(least.n, top.n), size(least.k, top.k)};
      if (work(shape) > dear_times * work(least) || deciding(guards, shape) != at) continue;
      shapes.push_back(shape);
      --wanted;
    }
  }
}

// Three large sizes at once are rare among random ones.
void add_large(Maps& maps, std::vector<Shape3>& shapes) {
  if (maps.is_gemv()) return;
  constexpr std::int64_t from = 190, to = 420, ks[] = {257, 300};
  for (int tries = 0, added = 0; tries < most_tries && added < all_large; ++tries) {
    const Shape3 shape{maps.pick(from, to), maps.pick(from, to), ks[maps.pick(0, 1)]};
    if (!maps.affordable(shape)) continue;
    shapes.push_back(shape);
    ++added;
  }
}

}  // namespace

std::vector<Shape3> held_out_shapes(Maps& maps, const std::vector<std::vector<spec::Atom>>& guards,
                                    int effort) {
  const RegionOptions& options = maps.options();
  const Shape3& top = options.largest;
  std::vector<Shape3> shapes;
  std::vector<spec::Atom> atoms;
  for (const auto& guard : guards) atoms.insert(atoms.end(), guard.begin(), guard.end());
  for (std::int64_t tries = 0;
       tries < 60 * options.held_out && static_cast<std::int64_t>(shapes.size()) < options.held_out;
       ++tries) {
    const bool is_log = tries % 2 == 0;
    const auto size = [&](std::int64_t most) {
      return is_log ? maps.pick_log(1, most) : maps.pick(1, std::min<std::int64_t>(most, 600));
    };
    Shape3 shape{size(top.m), options.is_gemv ? 1 : size(top.n), pick_k(maps)};
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
    if (!maps.affordable(shape)) continue;
    if (work(shape) > usual_work && maps.pick(1, large_every) > 1) continue;
    shapes.push_back(shape);
  }
  add_inside(maps, guards, effort, shapes);
  if (!guards.empty()) add_large(maps, shapes);
  add_dear(maps, guards, effort, shapes);
  const auto by_outputs = [](const Shape3& a, const Shape3& b) { return a.m * a.n < b.m * b.n; };
  std::sort(shapes.begin(), shapes.end(), by_outputs);
  // The others of their k come first: those are more, and say what is right.
  std::vector<Shape3> last = corners(maps, guards, effort);
  std::stable_sort(last.begin(), last.end(), by_outputs);
  shapes.insert(shapes.end(), last.begin(), last.end());
  return shapes;
}

std::vector<Shape3> neighbours(Maps& maps, std::vector<Shape3> doubts) {
  std::shuffle(doubts.begin(), doubts.end(), maps.random());
  if (doubts.size() > most_doubts) doubts.resize(most_doubts);
  std::vector<Shape3> shapes;
  for (const Shape3& doubt : doubts) {
    if (maps.affordable(doubt)) shapes.push_back(doubt);
    for (int turn = 0; turn < beside_one; ++turn) {
      const auto near = [&](std::int64_t size) {
        const std::int64_t way = maps.pick_log(1, most_away + 1) - 1;
        return std::max<std::int64_t>(1, maps.pick(0, 1) == 0 ? size - way : size + way);
      };
      Shape3 shape{near(doubt.m), maps.is_gemv() ? 1 : near(doubt.n), pick_usual_k(maps)};
      // At the doubt's own k, and at others.
      if (turn % 2 == 0 || work(shape) > usual_work) shape.k = doubt.k;
      if (maps.affordable(shape)) shapes.push_back(shape);
    }
  }
  std::sort(shapes.begin(), shapes.end(),
            [](const Shape3& a, const Shape3& b) { return a.m * a.n < b.m * b.n; });
  return shapes;
}

}  // namespace reprosum::reveal::region
