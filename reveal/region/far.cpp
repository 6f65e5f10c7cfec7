// Shapes whose sizes are all large, which hardly any other look can afford: a library may do
// otherwise where m, n and k pass a limit each.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "reveal/region/regime_search.h"

namespace reprosum::reveal::region {
namespace {

using spec::Atom;
using spec::Shape3;
using Sizes = std::array<std::int64_t, 3>;  // m, n, k

constexpr Sizes far_sizes[] = {
    {310, 300, 301}, {530, 220, 263}, {290, 310, 283}, {220, 530, 263}, {250, 240, 520}};
constexpr int looks_beside = 8;  // of the outer side of each limit
constexpr int most_widenings = 6;
// m*n*k of one shape beyond the limits: enough for the most rows and columns beside the least k.
constexpr double far_work = 1.3e8;

Sizes sizes_of(const Shape3& s) { return {s.m, s.n, s.k}; }
Shape3 shape_of(const Sizes& s) { return {s[0], s[1], s[2]}; }

// What all rules found say together: the first whose guard holds decides.
class Verdicts {
 public:
  Verdicts(Maps& maps, std::vector<Found>& found) : maps_(maps) {
    for (Found& regime : found) {
      regime.rule.forget();
      regimes_.push_back({&regime.rule, std::make_unique<Prober>(maps, regime.rule)});
    }
  }

  Verdict operator()(const Shape3& shape) {
    if (!maps_.affordable(shape)) return Verdict::unknown;
    Regime* regime = deciding(shape);
    if (regime == nullptr) return Verdict::unknown;
    // The hashes of this k are those of smaller shapes.
    if (regime->prober->prime(shape.k).empty()) return Verdict::unknown;
    return regime->prober->test(shape);
  }

  // The shape beside this one that shows most.
  Shape3 vivid(const Shape3& shape) {
    const Regime* regime = deciding(shape);
    if (regime == nullptr) return shape;
    return {regime->rule->vivid(row_side, shape.m, 16),
            regime->rule->vivid(column_side, shape.n, 16), shape.k};
  }

 private:
  struct Regime {
    Rule* rule;
    std::unique_ptr<Prober> prober;
  };
  Regime* deciding(const Shape3& shape) {
    const auto first = std::find_if(regimes_.begin(), regimes_.end(), [&](const Regime& regime) {
      return regime.rule->inside(shape);
    });
    return first == regimes_.end() ? nullptr : &*first;
  }

  Maps& maps_;
  std::vector<Regime> regimes_;
};

// The least size along one axis, the others unchanged, from which on the verdict is wrong; 1 if it
// never is anything else.
std::int64_t first_wrong(Verdicts& verdict, const Shape3& wrong, int axis) {
  Sizes sizes = sizes_of(wrong);
  const auto at = [&](std::int64_t size) {
    sizes[static_cast<std::size_t>(axis)] = size;
    return verdict(shape_of(sizes));
  };
  std::int64_t bad = sizes[static_cast<std::size_t>(axis)], good = 0;
  for (std::int64_t size = bad * 3 / 4; size >= 1; size = size * 3 / 4) {
    const Verdict seen = at(size);
    if (seen == Verdict::wrong) bad = size;
    if (seen != Verdict::right) continue;
    good = size;
    break;
  }
  if (good == 0) return 1;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (at(middle) == Verdict::wrong ? bad : good) = middle;
  }
  return bad;
}

// Shapes just below the limit of one axis, the other sizes above theirs.
std::vector<Shape3> beside(Maps& maps, const Sizes& first, int axis) {
  std::vector<Shape3> shapes;
  for (int turn = 0; turn < looks_beside; ++turn) {
    Sizes sizes{};
    for (std::size_t i = 0; i < 3; ++i)
      sizes[i] = first[i] + maps.pick(0, std::max<std::int64_t>(8, first[i] / 2));
    const auto own = static_cast<std::size_t>(axis);
    sizes[own] = first[own] - (turn % 2 == 0 ? 1 : maps.pick_log(1, first[own]));
    if (sizes[own] >= 1 && maps.affordable(shape_of(sizes))) shapes.push_back(shape_of(sizes));
  }
  return shapes;
}

// The least sizes from which on the rules are wrong, wherever a wrong shape was met.
std::optional<Sizes> far_corner(Maps& maps, Verdicts& verdict) {
  std::optional<Sizes> first;
  const auto widen = [&](const Shape3& wrong) {
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t size = first_wrong(verdict, wrong, axis);
      auto& own = (*first)[static_cast<std::size_t>(axis)];
      own = std::min(own, size);
    }
  };
  for (const Sizes& sizes : far_sizes) {
    const Shape3 shape = verdict.vivid(shape_of(sizes));
    if (verdict(shape) != Verdict::wrong) continue;
    if (!first) first = sizes_of(shape);
    widen(shape);
  }
  if (!first) return std::nullopt;
  // A shape that shows no difference is taken for a right one, so shapes beside it are asked as
  // well.
  for (int turn = 0; turn < most_widenings; ++turn) {
    bool is_wider = false;
    for (int axis = 0; axis < 3; ++axis) {
      if ((*first)[static_cast<std::size_t>(axis)] == 1) continue;
      for (const Shape3& near : beside(maps, *first, axis)) {
        const Shape3 shape = verdict.vivid(near);
        if (verdict(shape) != Verdict::wrong) continue;
        const Sizes before = *first;
        widen(shape);
        is_wider |= before != *first;
      }
    }
    if (!is_wider) break;
  }
  return first;
}

std::vector<Atom> conditions(const Sizes& first) {
  std::vector<Atom> guard;
  for (std::size_t i = 0; i < 3; ++i)
    if (first[i] > 1)
      guard.push_back({Atom::Kind::above, i == 0, i == 1, i == 2, first[i] - 1, 1, 1});
  return guard;
}

}  // namespace

void RegimeSearch::search_far() {
  if (maps_.is_gemv() || found.empty()) return;
  maps_.reserve({});
  Verdicts verdict(maps_, found);
  const auto first = far_corner(maps_, verdict);
  if (!first) return;
  const std::vector<Atom> guard = conditions(*first);
  // Conditions on all three sizes: fewer leave too much out to be a region of large shapes.
  if (guard.size() < 3) return;
  maps_.log("rules are wrong where " + print(guard));
  std::vector<Found> others = std::exchange(found, {});
  const std::vector<Task> unfinished = std::exchange(pending, {});
  try {
    const Maps::WorkLimit limit(maps_, far_work, true);
    search_all({{guard, 0}});
  } catch (const OutOfTime& e) {
    maps_.log(e.what());
    for (const Task& task : pending) failures.push_back(print(task.guard) + ": " + e.what());
  }
  pending = unfinished;
  // What is not known there must not fall to the rules of smaller shapes.
  Found nothing;
  nothing.rule.guard = guard;
  nothing.covers_nothing = true;
  found.push_back(std::move(nothing));
  found.insert(found.end(), std::make_move_iterator(others.begin()),
               std::make_move_iterator(others.end()));
  maps_.reserve(guard);
}

}  // namespace reprosum::reveal::region
