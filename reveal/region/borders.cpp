#include "reveal/region/borders.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reveal/region/atoms.h"

namespace reprosum::reveal::region {
namespace {

using spec::Shape3;

constexpr std::int64_t scales[] = {2, 4, 9, 17, 31, 60, 120, 240, 480, 960, 1920};
constexpr std::size_t seeds_per_k = 5;
constexpr std::size_t most_homes = 12;
constexpr double home_work = 1e7, dear_work = 3e7;

std::int64_t between(std::int64_t a, std::int64_t b, double t) {
  return std::llround(
      std::exp(std::log(static_cast<double>(a)) * (1 - t) + std::log(static_cast<double>(b)) * t));
}

}  // namespace

// A guard with a lower bound on a product has its safe side at large sizes.
bool Prober::grows_inwards() const {
  if (rule_.is_borrowed) return false;
  const auto lower = [](const spec::Atom& atom) {
    return atom.kind == spec::Atom::Kind::above && atom.use_m + atom.use_n + atom.use_k > 1;
  };
  return std::any_of(rule_.guard.begin(), rule_.guard.end(), lower) ||
         std::any_of(also.begin(), also.end(), lower);
}

std::vector<Shape3> Prober::least_shapes(std::int64_t k) const {
  std::vector<Shape3> least;
  for (const spec::Atom& atom : rule_.guard) {
    if (atom.kind != spec::Atom::Kind::above || !atom.use_m || !atom.use_n || maps_.is_gemv())
      continue;
    const auto area = static_cast<double>(atom.limit / (atom.use_k ? k : 1) + 1);
    for (const double ratio : {1.0, 9.0, 1.0 / 9}) {
      // A little larger, so that shapes with more edges next to it lie inside.
      const auto m = static_cast<std::int64_t>(std::sqrt(area * ratio) * 1.1) + 1;
      const auto n = static_cast<std::int64_t>(area * 1.2 / static_cast<double>(m)) + 1;
      const Shape3 rich = vivid(m, n, k);
      least.push_back(inside(rich) ? rich : Shape3{m, n, k});
    }
  }
  return least;
}

std::int64_t Prober::reach_back(Side side, std::int64_t size) const {
  const spec::Axis& axis = rule_.axes[side];
  return std::min(axis.empty() ? 1 : axis.back().period, size / 6);
}

Shape3 Prober::vivid(std::int64_t m, std::int64_t n, std::int64_t k) const {
  const auto near = [&](Side side, std::int64_t size) {
    return rule_.vivid(side, size, reach_back(side, size));
  };
  return {near(row_side, m), maps_.is_gemv() ? 1 : near(column_side, n), k};
}

Verdict Prober::test(const Shape3& shape) {
  const Verdict verdict = rule_.test(maps_, shape);
  if (verdict == Verdict::right) {
    ++right_;
    right_shapes_.push_back(shape);
  }
  unknown_ += verdict == Verdict::unknown;
  return verdict;
}

void Prober::forget() {
  rule_.forget();
  homes_.clear();
}

const std::vector<Shape3>& Prober::prime(std::int64_t k) {
  if (const auto it = homes_.find(k); it != homes_.end()) return it->second.right;
  Home& home = homes_[k];
  std::vector<Shape3> seeds;
  const auto add = [&](Shape3 shape) {
    if (inside(shape) && std::find(seeds.begin(), seeds.end(), shape) == seeds.end()) {
      seeds.push_back(shape);
    }
  };
  if (rule_.home_low != std::array<std::int64_t, 2>{1, 1}) {
    // Away from the origin small shapes may belong to another regime.
    for (const int quarter : {0, 1, 2, 4}) {
      const auto in_box = [&](Side side) {
        return rule_.home_low[side] + (rule_.home_high[side] - rule_.home_low[side]) * quarter / 4;
      };
      add({in_box(row_side), in_box(column_side), k});
    }
  }
  for (const std::int64_t scale : scales) {
    if (seeds.size() >= (seeds.empty() ? seeds_per_k : 3)) break;
    if (rule_.variety(row_side, scale) == 0) continue;
    if (!maps_.is_gemv() && rule_.variety(column_side, scale) == 0) continue;
    add(vivid(scale, maps_.is_gemv() ? 1 : scale, k));
  }
  if (seeds.size() < 2 && !maps_.is_gemv()) {
    for (const std::int64_t scale : scales) {
      for (const std::int64_t across : {3, 9, 31, 120}) {
        if (seeds.size() >= seeds_per_k) break;
        add(vivid(scale, across, k));
        add(vivid(across, scale, k));
      }
    }
  }
  if (grows_inwards()) {
    std::reverse(seeds.begin(), seeds.end());
    for (const Shape3& shape : least_shapes(k)) add(shape);
  } else {
    const std::vector<Shape3> larger = std::exchange(seeds, {});
    for (const Shape3& shape : least_shapes(k)) add(shape);
    for (const Shape3& shape : larger) add(shape);
  }
  for (const Shape3& seed : seeds) {
    const Verdict verdict = test(seed);
    if (verdict == Verdict::right) home.right.push_back(seed);
    if (verdict == Verdict::wrong) home.wrong.push_back(seed);
  }
  return home.right;
}

bool Prober::fails_at(std::int64_t k) { return prime(k).empty() && !homes_.at(k).wrong.empty(); }

std::vector<Shape3> Prober::wrong_at_reference(std::int64_t failing_k) {
  prime(failing_k);
  std::vector<Shape3> wrong;
  for (const Shape3& shape : homes_.at(failing_k).wrong) {
    const Shape3 there{shape.m, shape.n, rule_.k_ref};
    if (work(there) <= dear_work && inside(there) && test(there) == Verdict::wrong)
      wrong.push_back(there);
  }
  return wrong;
}

std::vector<Shape3> Prober::contradictions(std::int64_t k, int count, double work) {
  prime(k);
  const spec::Shape3& top = maps_.options().largest;
  std::vector<Shape3> shapes;
  const double room = std::min(work, maps_.work_limit()) / static_cast<double>(k);
  for (int i = 0, tries = 0; i < count && tries < 40 * count; ++tries) {
    const bool rows_first = maps_.random()() % 2 == 0;
    const auto cap = [](double x, std::int64_t most) {
      return static_cast<std::int64_t>(std::clamp(x, 1.0, static_cast<double>(most)));
    };
    Shape3 shape{1, 1, k};
    if (maps_.is_gemv()) {
      shape.m = maps_.pick_log(1, cap(room, top.m));
    } else if (rows_first) {
      shape.m = maps_.pick_log(1, cap(room, top.m));
      shape.n = maps_.pick_log(1, cap(room / static_cast<double>(shape.m), top.n));
    } else {
      shape.n = maps_.pick_log(1, cap(room, top.n));
      shape.m = maps_.pick_log(1, cap(room / static_cast<double>(shape.n), top.m));
    }
    const bool is_beside = i % 4 == 1 && move_to_panels(shape, i / 4, room);
    if (i % 3 != 0 && !is_beside) shape = vivid(shape.m, shape.n, k);
    if (!inside(shape)) continue;
    if (rule_.variety(row_side, shape.m) == 0 || rule_.variety(column_side, shape.n) == 0) {
      ++unknown_;  // without a word it contradicts nothing: another one is drawn
      continue;
    }
    shapes.push_back(shape);
    ++i;
  }
  const auto area = [](const Shape3& s) { return s.m * s.n; };
  const bool falling = grows_inwards();
  std::sort(shapes.begin(), shapes.end(), [&](const Shape3& a, const Shape3& b) {
    return falling ? area(a) > area(b) : area(a) < area(b);
  });
  std::vector<Shape3> wrong;
  for (const Shape3& shape : shapes) {
    if (test(shape) == Verdict::wrong) wrong.push_back(shape);
  }
  return wrong;
}

// Whole panels on one side and all but one on the other: only there does it matter whether a
// remainder counts as a panel.
bool Prober::move_to_panels(Shape3& shape, int turn, double most_outputs) const {
  const auto panels = std::find_if(rule_.guard.begin(), rule_.guard.end(),
                                   [](const auto& atom) { return atom.compares_panels(); });
  if (panels == rule_.guard.end()) return false;
  const auto outputs = [](const Shape3& s) {
    return static_cast<double>(s.m) * static_cast<double>(s.n);
  };
  Shape3 moved = beside_panels(*panels, shape, turn % 2 == 0);
  if (outputs(moved) > most_outputs) {
    // A long shape beside the border is a large one: it keeps its place on a scale.
    const double less = std::sqrt(most_outputs / outputs(moved));
    const auto smaller = [&](std::int64_t size) {
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(less * static_cast<double>(size)));
    };
    moved = beside_panels(*panels, {smaller(moved.m), smaller(moved.n), shape.k}, turn % 2 == 0);
    if (outputs(moved) > most_outputs) return false;
  }
  shape = moved;
  return true;
}

std::vector<Shape3> Prober::telling(const Shape3& near) const {
  const auto sizes = [&](Side side, std::int64_t size) {
    return rule_.telling(side, size, reach_back(side, size));
  };
  const std::vector<std::int64_t> rows = sizes(row_side, near.m);
  const std::vector<std::int64_t> columns =
      maps_.is_gemv() ? std::vector<std::int64_t>{1} : sizes(column_side, near.n);
  // Each row type meets the columns that have most, and the other way round.
  std::vector<Shape3> shapes;
  for (const std::int64_t m : rows) shapes.push_back({m, columns.front(), near.k});
  for (std::size_t j = 1; j < columns.size(); ++j)
    shapes.push_back({rows.front(), columns[j], near.k});
  return shapes;
}

bool Prober::is_right(const Shape3& near, Border& border) {
  std::vector<Shape3> shapes = telling(near);
  shapes.push_back(near);
  // Without edges here, the rule cannot tell which sizes would show those beyond its border.
  if (std::none_of(shapes.begin(), shapes.end(),
                   [&](const Shape3& shape) { return rule_.has_edges(shape); })) {
    for (const auto& [less_m, less_n] : {std::pair{1, 1}, {3, 2}, {2, 5}}) {
      const std::int64_t n = maps_.is_gemv() ? 1 : near.n - less_n;
      if (near.m > 4 * less_m && n > 0) shapes.push_back({near.m - less_m, n, near.k});
    }
  }
  Shape3 least = near;
  for (const Shape3& shape : shapes) {
    if (!inside(shape)) continue;
    if (test(shape) == Verdict::wrong) {
      border.out = shape;
      return false;
    }
    least.m = std::min(least.m, shape.m);
    least.n = std::min(least.n, shape.n);
  }
  border.in_low = least;
  border.in_high = near;
  return true;
}

void Prober::bisect(Shape3 good, Shape3 bad, std::vector<Border>& borders) {
  Border border;
  if (!is_right(good, border)) return;
  if (test(bad) != Verdict::wrong) return;
  border.out = bad;
  double low = 0, high = 1;
  for (int step = 0; step < 12; ++step) {
    const double t = (low + high) / 2;
    const Shape3 shape{between(good.m, bad.m, t), between(good.n, bad.n, t), good.k};
    const Shape3 before{between(good.m, bad.m, low), between(good.n, bad.n, low), good.k};
    const Shape3 after{between(good.m, bad.m, high), between(good.n, bad.n, high), good.k};
    if (shape == before || shape == after) break;
    (is_right(shape, border) ? low : high) = t;
  }
  borders.push_back(border);
}

std::optional<Shape3> Prober::home_for(const Shape3& wrong) {
  std::vector<Shape3> homes = prime(wrong.k);
  if (homes.empty()) return std::nullopt;
  if (homes.size() > 2) std::swap(homes.front(), homes[homes.size() / 2]);
  for (const Shape3& shape : right_shapes_) {
    if (shape.k == wrong.k && homes.size() < most_homes) homes.push_back(shape);
  }
  // Where those that are primed lie beyond the border themselves, and just do not show it.
  const spec::Shape3& top = maps_.options().largest;
  for (int tries = 0; tries < 400 && homes.size() < 2 * most_homes; ++tries) {
    const Shape3 shape{maps_.pick_log(1, top.m), maps_.is_gemv() ? 1 : maps_.pick_log(1, top.n),
                       wrong.k};
    const double work = static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k);
    if (inside(shape) && work < home_work) homes.push_back(shape);
  }
  for (const Shape3& home : homes) {
    Border border;
    if (is_right(home, border)) return home;
  }
  return std::nullopt;
}

std::vector<Border> Prober::trace(const Shape3& wrong) {
  std::vector<Border> borders;
  const auto found = home_for(wrong);
  if (!found) return borders;
  const Shape3 home = *found;
  bisect(home, wrong, borders);
  if (maps_.is_gemv()) return borders;
  const Shape3 a{wrong.m, home.n, wrong.k}, b{home.m, wrong.n, wrong.k};
  for (const Shape3& corner : {a, b}) {
    if (!inside(corner)) continue;
    if (test(corner) == Verdict::wrong) {
      bisect(home, corner, borders);
    } else {
      bisect(corner, wrong, borders);
    }
  }
  return borders;
}

std::optional<Border> Prober::trace_k(const Shape3& wrong) {
  // A shape that shows two orders in one class needs no other one to say what is right.
  Rule alone = rule_;
  const auto verdict_alone = [&](const Shape3& shape) {
    alone.forget_hashes();
    return alone.test(maps_, shape);
  };
  const bool is_telling = verdict_alone(wrong) == Verdict::wrong;
  const auto verdict = [&](std::int64_t k) {
    const Shape3 shape{wrong.m, wrong.n, k};
    if (!inside(shape)) return Verdict::unknown;
    if (is_telling) return verdict_alone(shape);
    if (prime(k).empty()) return fails_at(k) ? Verdict::wrong : Verdict::unknown;
    return test(shape);
  };
  for (const bool down : {true, false}) {
    std::int64_t bad = wrong.k, good = bad;
    Verdict seen = Verdict::wrong;
    while (seen == Verdict::wrong && good > 1 && good < maps_.options().largest.k) {
      bad = good;
      good = down ? good / 2 : std::min(2 * good, maps_.options().largest.k);
      seen = verdict(good);
    }
    // Beyond where the guard ends.
    if (seen != Verdict::right) continue;
    while (std::llabs(bad - good) > 1 && seen != Verdict::unknown) {
      const std::int64_t middle = (good + bad) / 2;
      seen = verdict(middle);
      (seen == Verdict::wrong ? bad : good) = middle;
    }
    if (seen == Verdict::unknown) continue;
    const Shape3 in{wrong.m, wrong.n, good};
    return Border{in, in, {wrong.m, wrong.n, bad}};
  }
  return std::nullopt;
}

std::vector<Border> Prober::trace_k(const std::vector<Shape3>& wrong, std::int64_t failing_k) {
  constexpr std::size_t most = 10, most_per_k = 4;
  constexpr int most_tries = 60;
  std::vector<Shape3> shapes;
  std::map<std::int64_t, std::size_t> per_k;
  for (const Shape3& shape : wrong)
    if (++per_k[shape.k] <= most_per_k) shapes.push_back(shape);
  const spec::Shape3& top = maps_.options().largest;
  for (int tries = 0; failing_k > 0 && tries < most_tries && shapes.size() < most; ++tries) {
    const Shape3 shape =
        vivid(maps_.pick_log(1, top.m), maps_.is_gemv() ? 1 : maps_.pick_log(1, top.n), failing_k);
    if (inside(shape) && test(shape) == Verdict::wrong) shapes.push_back(shape);
  }
  // Few summands merge classes, and then a shape is right for that reason alone.
  constexpr std::int64_t few_summands = 16;
  constexpr std::size_t enough = 4;
  std::vector<Border> borders, merged;
  for (const Shape3& shape : shapes) {
    if (borders.size() == most) break;
    if (const auto border = trace_k(shape))
      (border->in_low.k < few_summands ? merged : borders).push_back(*border);
  }
  if (borders.size() < enough) borders.insert(borders.end(), merged.begin(), merged.end());
  return borders;
}

std::int64_t Prober::last_good_k(std::int64_t good, std::int64_t bad, const Shape3* shape) {
  while (std::llabs(bad - good) > 1) {
    const std::int64_t middle = (good + bad) / 2;
    bool fails = fails_at(middle);
    if (!fails && shape != nullptr) fails = test({shape->m, shape->n, middle}) == Verdict::wrong;
    (fails ? bad : good) = middle;
  }
  return good;
}

}  // namespace reprosum::reveal::region
