#include "reveal/region/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reveal/region/axis_learner.h"

namespace reprosum::reveal::region {
namespace {

constexpr int most_rounds = 10;
constexpr int most_attempts = 12;  // to find a rule in a box
constexpr int box_checks = 24;
constexpr std::size_t many_types = 8;  // of rows and columns
constexpr std::size_t most_anchors = 14;
constexpr double usual_box_work = 6e5, dear_axis_work = 6e6;
constexpr std::int64_t usual_reference = 100;

double box_work(const Box& box) {
  return static_cast<double>(box.high[0] * box.high[1]) * static_cast<double>(box.k);
}

std::int64_t top(const Maps& maps, Side side) {
  return side == row_side ? maps.options().largest.m
                          : (maps.is_gemv() ? 1 : maps.options().largest.n);
}

// Whether the guard admits only sizes that are few enough to be listed one by one. What ends at the
// largest size looked at does not end by a guard.
bool ends_soon(const Maps& maps, const std::vector<spec::Atom>& guard, Side side) {
  const std::int64_t most = std::min(most_listed + 1, top(maps, side));
  for (std::int64_t size = most; size <= top(maps, side); size += 1 + size / 24) {
    for (std::int64_t across = 1; across <= top(maps, other(side)); across += 1 + across / 24) {
      for (const std::int64_t k : {std::int64_t{1}, std::int64_t{37}, maps.options().largest.k}) {
        if (holds(guard,
                  side == row_side ? spec::Shape3{size, across, k} : spec::Shape3{across, size, k}))
          return false;
      }
    }
  }
  return true;
}

// The part of low..high that has experiments; empty if first > second.
std::pair<std::int64_t, std::int64_t> reachable(const Observations& seen, Side side,
                                                std::int64_t low, std::int64_t high,
                                                std::int64_t middle) {
  std::int64_t good = middle, bad = high + 1;
  if (seen.reachable(side, high)) good = high;
  while (good < high && bad - good > 1) {
    const std::int64_t m = good + (bad - good) / 2;
    (seen.reachable(side, m) ? good : bad) = m;
  }
  const std::int64_t last = good;
  good = middle;
  bad = low - 1;
  if (seen.reachable(side, low)) good = low;
  while (good > low && good - bad > 1) {
    const std::int64_t m = bad + (good - bad) / 2;
    (seen.reachable(side, m) ? good : bad) = m;
  }
  return {good, last};
}

spec::Axis learn_axis(Maps& maps, Observations& seen, Side side, const Box& box) {
  const std::int64_t middle = *seen.anchors[side].begin();
  const auto [first, last] = reachable(seen, side, box.low[side], box.high[side], middle);
  AxisLearner learner(
      [&](std::int64_t size) { return seen.word(side, size); },
      [&](std::int64_t size, const Runs& expected) { return seen.fits(side, size, expected); },
      first, last, maps.options().seed);
  spec::Axis axis = learner.learn();
  if (AxisLearner::is_periodic(axis)) seen.period[side] = axis.back().period;
  return axis;
}

// Anchors that show every type, and the middle of a second segment: its types may differ from
// those of the first in few places only.
std::set<std::int64_t> next_anchors(const Observations& seen, Side side, const spec::Axis& axis,
                                    const std::set<std::int64_t>& across,
                                    const std::set<std::int64_t>& extra) {
  std::set<std::int64_t> anchors = seen.cover(side, across);
  anchors.insert(extra.begin(), extra.end());
  if (axis.size() > 1 && AxisLearner::is_periodic({axis[1]})) {
    anchors.insert(std::min(axis[1].to, axis[1].base + axis[1].period - 1));
  }
  return anchors;
}

// False if it is as small as boxes get.
bool shrink(Box& box) {
  if (box.high[0] - box.low[0] < 12 && box.high[1] - box.low[1] < 12) return false;
  for (const Side side : {row_side, column_side}) {
    box.high[side] = box.low[side] + (box.high[side] - box.low[side]) * 8 / 10;
  }
  return true;
}

}  // namespace

bool has_few_sizes(const Maps& maps, const std::vector<spec::Atom>& guard) {
  return !maps.is_gemv() && ends_soon(maps, guard, row_side) && ends_soon(maps, guard, column_side);
}

std::vector<Box> boxes(const Maps& maps, const std::vector<spec::Atom>& guard,
                       std::int64_t k_least) {
  static constexpr std::int64_t usual_lows[] = {1,  2,   3,   5,   9,   17,   26,  40,
                                                65, 110, 200, 400, 700, 1000, 1400};
  static constexpr std::int64_t widths[] = {96, 60, 36, 24, 14, 8, 4, 2, 1, 0};
  static constexpr std::int64_t ks[] = {37, 75, 151, 301, 607, 907, 1511, 2047, 29,
                                        21, 15, 11,  8,   7,   5,   3,    2,    1};
  // Under a lower bound on a product with k, small sizes are only met at a large k: the least at
  // which one row (column) meets it.
  double k_wanted = 0;
  for (const spec::Atom& atom : guard) {
    if (atom.kind != spec::Atom::Kind::above || !atom.use_k || !(atom.use_m || atom.use_n))
      continue;
    std::int64_t across = 1;
    if (atom.use_m && atom.use_n) {
      across = std::min(top(maps, row_side), top(maps, column_side));
    }
    k_wanted =
        std::max(k_wanted, 1.1 * static_cast<double>(atom.limit) / static_cast<double>(across));
  }
  k_wanted = std::min(k_wanted, 2047.0);
  // Above a bound on one size alone no small ones are missed at a small k, and a box at the end of
  // the budget has no room for a period that is longer than it.
  if (std::any_of(guard.begin(), guard.end(), [](const spec::Atom& atom) {
        return atom.kind == spec::Atom::Kind::above && !atom.use_k && atom.use_m != atom.use_n;
      }))
    k_wanted = 0;
  const spec::Shape3 least = least_sizes(guard);
  std::array<std::vector<std::int64_t>, 2> lows;
  for (const Side side : {row_side, column_side}) {
    lows[side].assign(std::begin(usual_lows), std::end(usual_lows));
    // Beyond limits of all sizes the cheapest box begins at them.
    const std::int64_t own = side == row_side ? least.m : least.n;
    if (least.k > 1 && std::count(lows[side].begin(), lows[side].end(), own) == 0)
      lows[side].push_back(own);
  }
  std::vector<std::pair<double, Box>> found;
  for (const std::int64_t k : ks) {
    if (k > maps.options().largest.k || k < k_least) continue;
    for (const std::int64_t low_m : lows[row_side]) {
      for (const std::int64_t low_n : lows[column_side]) {
        if (maps.is_gemv() && low_n > 1) break;
        for (const std::int64_t wide_m : widths) {
          for (const std::int64_t wide_n : widths) {
            if (maps.is_gemv() && wide_n > 0) continue;
            const Box box{k, {low_m, low_n}, {low_m + wide_m, low_n + wide_n}};
            if (box.high[0] > top(maps, row_side) || box.high[1] > top(maps, column_side)) continue;
            const auto corner = [&](int a, int b) {
              return holds(guard, {a ? box.high[0] : box.low[0], b ? box.high[1] : box.low[1], k});
            };
            if (!corner(0, 0) || !corner(1, 1) || !corner(0, 1) || !corner(1, 0)) continue;
            if (!maps.affordable({box.high[0], box.high[1], k})) continue;
            const double wanted = std::max(37.0, k_wanted), ratio = static_cast<double>(k) / wanted;
            const double score =
                std::log2(1.0 + static_cast<double>(wide_m)) +
                std::log2(1.0 + static_cast<double>(wide_n)) -
                (k_wanted > 0 ? 0.8 : 0.3) * std::log2(static_cast<double>(low_m * low_n)) +
                (ratio < 1      ? 2.0
                 : k_wanted > 0 ? -1.5
                                : -0.8) *
                    std::log2(ratio) -
                // Where only a large k tells the classes apart, each shape of a wide box is dear.
                (k_least > 1 ? std::log2(std::max(1.0, box_work(box) / usual_box_work)) : 0.0);
            found.push_back({score, box});
          }
        }
      }
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Box> best;
  for (const auto& [score, box] : found) {
    if (best.size() >= 1) break;
    best.push_back(box);
  }
  // Lying and standing boxes for regimes on one side of a diagonal.
  for (const bool standing : {true, false}) {
    for (const auto& [score, box] : found) {
      const int a = standing ? 0 : 1;
      if (box.low[a] >= 2 * box.high[1 - a] && box.high[a] - box.low[a] >= 60 &&
          box.high[1 - a] - box.low[1 - a] >= 24) {
        best.push_back(box);
        break;
      }
    }
  }
  return best;
}

std::optional<Rule> learn_in(Maps& maps, const std::vector<spec::Atom>& guard, const Box& box,
                             const Anchors& anchors, const Anchors& extra, std::string& why) {
  // Smaller sizes than the box has may lie beyond a border that it was chosen to lie beside.
  Observations seen(maps, box.k, [&](std::int64_t m, std::int64_t n) {
    return m >= box.low[row_side] && n >= box.low[column_side] && holds(guard, {m, n, box.k});
  });
  seen.anchors = anchors;
  for (const Side side : {row_side, column_side}) {
    seen.anchors[side].insert(extra[side].begin(), extra[side].end());
  }
  Rule rule;
  std::array<int, 2> types{-1, -1};
  Anchors kept = extra;
  try {
    for (int round = 0;; ++round) {
      if (round == most_rounds) throw NoRule("the types of rows and columns do not settle");
      try {
        seen.begin();
        rule.axes[column_side] = learn_axis(maps, seen, column_side, box);
        rule.axes[row_side] = learn_axis(maps, seen, row_side, box);
      } catch (const Conflict& conflict) {
        bool is_new = kept[conflict.side].insert(conflict.size).second;
        if (kept[conflict.side].size() > most_anchors) throw NoRule(conflict.what());
        seen.decisive[conflict.side].insert(conflict.size);
        // Told apart by these sizes together, wherever other anchors do not go with them.
        for (const std::int64_t size : conflict.across) {
          is_new |= seen.decisive[other(conflict.side)].insert(size).second;
        }
        if (!is_new) throw NoRule(conflict.what());
        for (const Side side : {row_side, column_side}) {
          seen.anchors[side].insert(seen.decisive[side].begin(), seen.decisive[side].end());
        }
        continue;
      }
      const std::array<int, 2> now{seen.types(row_side), seen.types(column_side)};
      if (now == types) break;
      types = now;
      const Anchors before = seen.anchors;
      // Rows are chosen to go with the new columns: the grid must lie inside the guard.
      const auto columns = next_anchors(seen, column_side, rule.axes[column_side],
                                        seen.anchors[row_side], kept[column_side]);
      seen.anchors[row_side] =
          next_anchors(seen, row_side, rule.axes[row_side], columns, kept[row_side]);
      seen.anchors[column_side] = columns;
      // Under a lower bound the smallest sizes that show every type may not go with each other.
      if (!seen.has_grid()) seen.anchors = before;
    }
  } catch (const NoRule& e) {
    why = e.what();
    return std::nullopt;
  }
  rule.guard = guard;
  rule.home_low = box.low;
  rule.home_high = box.high;
  rule.k_ref = box.k;
  rule.classes = seen.classes();
  rule.witnesses = seen.witnesses();
  rule.hashes = seen.hashes();
  for (int row = 0; row < seen.types(row_side); ++row) {
    auto& line = rule.table.emplace_back();
    for (int column = 0; column < seen.types(column_side); ++column) {
      line.push_back(seen.entry(row, column));
    }
  }
  for (const Side side : {row_side, column_side}) {
    rule.anchors[side].assign(seen.anchors[side].begin(), seen.anchors[side].end());
  }
  return rule;
}

std::optional<Rule> learn_axes(Maps& maps, const std::vector<spec::Atom>& guard, std::int64_t k,
                               const Anchors& anchors, const Anchors& extra, std::string& why) {
  const bool has_lower_bound = std::any_of(guard.begin(), guard.end(), [](const spec::Atom& atom) {
    return atom.kind == spec::Atom::Kind::above && (atom.use_m || atom.use_n);
  });
  const Maps::WorkLimit limit(
      maps, k > usual_reference && !has_lower_bound ? dear_axis_work : maps.options().largest_work);
  const Box everything{k, {1, 1}, {top(maps, row_side), top(maps, column_side)}};
  return learn_in(maps, guard, everything, anchors, extra, why);
}

std::optional<Rule> learn_core(Maps& maps, const std::vector<spec::Atom>& guard,
                               std::int64_t k_least, Anchors& extra, std::string& why) {
  why = "no box of shapes lies inside the guard";
  std::optional<Rule> fallback;
  const auto size = [](const Rule& rule) { return rule.table.size() + rule.table.front().size(); };
  for (const Box& first : boxes(maps, guard, k_least)) {
    if (fallback && first.low == std::array<std::int64_t, 2>{1, 1}) continue;
    Box box = first;
    bool has_shrunk = false;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      Anchors start;
      for (const Side side : {row_side, column_side}) {
        for (const std::int64_t step : {29, 8, 3}) {
          start[side].insert(std::min(box.high[side], box.low[side] + step));
        }
      }
      auto rule = learn_in(maps, guard, box, start, extra, why);
      Anchors added = extra;
      for (int round = 0; rule && round < 4; ++round) {
        int wrong = 0;
        for (int i = 0; i < box_checks; ++i) {
          const spec::Shape3 shape{maps.pick(box.low[0], box.high[0]),
                                   maps.pick(box.low[1], box.high[1]), box.k};
          if (rule->test(maps, shape) != Verdict::wrong) continue;
          if (++wrong <= 2) {
            added[0].insert(shape.m);
            if (!maps.is_gemv()) added[1].insert(shape.n);
          }
        }
        if (wrong == 0) break;
        why = "random shapes of the box contradict the rule";
        if (round == 2 || wrong > box_checks / 2) {
          rule.reset();
        } else {
          rule = learn_in(maps, guard, box, start, added, why);
        }
      }
      if (rule) {
        // A period that does not show needs a larger box, if the guard has room.
        Box larger = box;
        for (const Side side : {row_side, column_side}) {
          const std::int64_t shows = AxisLearner::size_that_shows_blocks(rule->axes[side]);
          if (AxisLearner::is_periodic(rule->axes[side]) && shows <= box.high[side]) continue;
          larger.high[side] =
              std::min(top(maps, side), std::max(2 * box.high[side] * (shows == 0), shows));
        }
        const auto fits = [&](const Box& wide) {
          return wide.high != box.high && maps.affordable({wide.high[0], wide.high[1], box.k}) &&
                 holds(guard, {wide.high[0], wide.high[1], box.k});
        };
        // Both axes, or the one that the guard and the budget have room for.
        for (const int kept_side : {row_side, column_side}) {
          Box one = larger;
          one.high[kept_side] = box.high[kept_side];
          if (!fits(larger) && fits(one)) larger = one;
        }
        const bool grows = !has_shrunk && fits(larger);
        // A list of words is a rule only where the guard leaves no other sizes, or few.
        const auto has_more = [&](Side side) {
          return !AxisLearner::is_periodic(rule->axes[side]) && box.high[side] < top(maps, side) &&
                 !ends_soon(maps, guard, side) &&
                 holds(guard, side == row_side ? spec::Shape3{box.high[0] + 1, box.low[1], box.k}
                                               : spec::Shape3{box.low[0], box.high[1] + 1, box.k});
        };
        const bool is_open = has_more(row_side) || has_more(column_side);
        if (!grows && is_open) {
          why = "the words of rows or columns show no period";
          maps.log(fmt::format("  no period in m {}..{}, n {}..{}, k {}", box.low[0], box.high[0],
                               box.low[1], box.high[1], box.k));
          if (!has_shrunk || !shrink(box)) break;
          continue;
        }
        if (!grows) {
          maps.log(fmt::format(
              "  core m {}..{}, n {}..{}, k {}: {} x {} types, {} classes, rows{}, columns{}",
              box.low[0], box.high[0], box.low[1], box.high[1], box.k, rule->table.size(),
              rule->table.front().size(), rule->classes, print(rule->axes[0]),
              print(rule->axes[1])));
          // Many types: a border may run through the box as a staircase. A smaller box inside it
          // shows fewer, and so does one beside a diagonal; where neither does, they are the
          // rule's.
          const bool is_fewer = !fallback || size(*rule) < size(*fallback);
          if (is_fewer && size(*rule) > many_types &&
              box.low == std::array<std::int64_t, 2>{1, 1}) {
            fallback = std::move(rule);
            has_shrunk = true;
            if (!shrink(box)) break;
            continue;
          }
          if (fallback && size(*rule) >= size(*fallback)) break;
          return rule;
        }
        box = larger;
        continue;
      }
      maps.log(fmt::format("  no core in m {}..{}, n {}..{}, k {}: {}", box.low[0], box.high[0],
                           box.low[1], box.high[1], box.k, why));
      has_shrunk = true;
      if (!shrink(box)) break;
    }
  }
  return fallback;
}

}  // namespace reprosum::reveal::region
