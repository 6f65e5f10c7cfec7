#include "reveal/region/regime_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "reveal/region/divide.h"
#include "reveal/region/listing.h"
#include "reveal/region/look.h"
#include "reveal/region/small_sizes.h"

namespace reprosum::reveal::region {
namespace {

using spec::Atom;
using spec::Shape3;
using Kind = Atom::Kind;

constexpr std::size_t most_regimes = 16;
constexpr int deepest = 6;
constexpr int most_atoms = 8;
constexpr int most_relearned = 6;
constexpr std::int64_t thin_k = 3, thin_outputs = 100000;
constexpr std::int64_t longest_reference = 301;
constexpr double dear_work = 3e7;  // for few shapes that decide much
constexpr std::int64_t few_summands = 16;
constexpr std::size_t enough_at_reference = 6;  // contradictions
constexpr int more_looks = 24;
constexpr int far_looks = 16;
constexpr std::int64_t panels_beside = 12;
constexpr std::int64_t same_edges = 48;  // most tiles divide it

bool is_axis_cap(const Atom& atom) {
  return atom.kind == Kind::at_most && !atom.use_k && atom.use_m != atom.use_n;
}

bool is_on_k_alone(const Atom& atom) {
  return !atom.compares_panels() && atom.use_k && !atom.use_m && !atom.use_n;
}

bool only_one_k(const std::vector<Atom>& guard, std::int64_t k) {
  const auto excludes = [&](std::int64_t other) {
    return std::any_of(guard.begin(), guard.end(), [&](const Atom& atom) {
      return atom.use_k && !atom.use_m && !atom.use_n && !atom.holds({1, 1, other});
    });
  };
  return k > 8 && excludes(k - 1) && excludes(k + 1);
}

// Few k, and so many outputs that each look is dear.
bool is_thin(const std::vector<Atom>& guard) {
  const auto any = [&](const auto& condition) {
    return std::any_of(guard.begin(), guard.end(), condition);
  };
  return any([](const Atom& atom) {
           return atom.kind == Kind::at_most && atom.use_k && !atom.use_m && !atom.use_n &&
                  atom.limit <= thin_k;
         }) &&
         any([](const Atom& atom) {
           return atom.kind == Kind::above && atom.use_m && atom.use_n && atom.limit > thin_outputs;
         });
}

// Where the guard bounds a product of k and sizes, long axes show more at small k: the least at
// which the shapes that the rule began with still show every class.
std::int64_t long_k(Maps& maps, const Rule& rule, const std::vector<Atom>& guard) {
  const bool is_bounded = std::any_of(guard.begin(), guard.end(), [](const Atom& atom) {
    return atom.kind == Kind::at_most && atom.use_k && (atom.use_m || atom.use_n);
  });
  if (!is_bounded) return rule.k_ref;
  for (const std::int64_t k : {2, 3, 4, 5, 7, 9, 12, 18, 27}) {
    std::set<std::uint64_t> hashes;
    if (k >= rule.k_ref) break;
    for (const LearnedRegime::Witness& witness : rule.witnesses) {
      const Shape3 shape{witness.shape.m, witness.shape.n, k};
      if (!holds(guard, shape) || !maps.affordable(shape)) break;
      const auto map = maps.at(shape);
      hashes.insert(map->cell(map->row_kind[static_cast<std::size_t>(witness.i)],
                              map->column_kind[static_cast<std::size_t>(witness.j)]));
    }
    if (static_cast<int>(hashes.size()) == rule.classes) return k;
  }
  return rule.k_ref;
}

// Few contradictions at k_ref say little of their border, and those of few summands, where other
// classes may be told apart, are likely to be of another one: more of the first are looked for,
// with the edges of those that were met, and the second wait.
void settle_on_reference(Maps& maps, Prober& prober, const Rule& rule, std::vector<Shape3>& wrong) {
  std::vector<Shape3> met;
  std::copy_if(wrong.begin(), wrong.end(), std::back_inserter(met),
               [&](const Shape3& shape) { return shape.k == rule.k_ref; });
  for (int turn = 0; !met.empty() && turn < more_looks && met.size() < enough_at_reference;
       ++turn) {
    const Shape3& like = met[static_cast<std::size_t>(turn) % met.size()];
    const auto elsewhere = [&](std::int64_t size) {
      const std::int64_t away = (maps.pick_log(size / 2 + 1, 2 * size) - size) / same_edges;
      return std::max(size % same_edges, size + away * same_edges);
    };
    const Shape3 shape{elsewhere(like.m), maps.is_gemv() ? 1 : elsewhere(like.n), like.k};
    if (std::count(met.begin(), met.end(), shape) > 0 || !prober.inside(shape)) continue;
    if (prober.test(shape) == Verdict::wrong) met.push_back(shape);
  }
  for (const Shape3& shape : met)
    if (std::count(wrong.begin(), wrong.end(), shape) == 0) wrong.insert(wrong.begin(), shape);
  const auto is_small = [&](const Shape3& shape) {
    return shape.k < std::min(few_summands, rule.k_ref);
  };
  if (!std::all_of(wrong.begin(), wrong.end(), is_small)) std::erase_if(wrong, is_small);
}

// Whether the box of the rule lies away from the origin because none there would do.
bool is_chosen_far(const Rule& rule) {
  return rule.home_low != std::array<std::int64_t, 2>{1, 1} &&
         std::none_of(rule.guard.begin(), rule.guard.end(), [](const Atom& atom) {
           return atom.kind == Kind::above && (atom.use_m || atom.use_n);
         });
}

// The first shapes beyond a border may cost more than a usual sample of such a rule does, and to
// learn long axes across a border costs more than all: sizes of the box meet long ones, most of
// them with edges.
void look_far(Maps& maps, Rule& rule, const std::vector<Atom>& limits, Step& step) {
  if (maps.is_gemv()) return;
  Prober prober(maps, rule);
  prober.also = limits;
  prober.prime(rule.k_ref);
  const spec::Shape3& top = maps.options().largest;
  for (int turn = 0; turn < far_looks; ++turn) {
    const auto in_box = [&](Side side) {
      return maps.pick(rule.home_low[side], rule.home_high[side]);
    };
    const auto beyond_box = [&](Side side, std::int64_t most) {
      return maps.pick_log(rule.home_high[side], std::max(rule.home_high[side], most));
    };
    const bool is_wide = turn % 2 == 0;
    Shape3 shape{is_wide ? in_box(row_side) : beyond_box(row_side, top.m),
                 is_wide ? beyond_box(column_side, top.n) : in_box(column_side), rule.k_ref};
    if (turn % 3 != 0) shape = prober.vivid(shape.m, shape.n, shape.k);
    if (prober.inside(shape) && prober.test(shape) == Verdict::wrong) step.wrong.push_back(shape);
  }
  step.holds = step.wrong.empty();
}

// Blocks may depend on numbers of panels that count remainders. They then differ from a comparison
// without remainders only in a few shapes of few panels beside it, which samples seldom meet.
void look_beside_panels(Maps& maps, Rule& rule, Step& step) {
  Prober prober(maps, rule);
  for (const Atom& atom : rule.guard) {
    if (!atom.compares_panels() || maps.is_gemv()) continue;
    for (std::int64_t count = 1; count <= panels_beside; ++count) {
      const Shape3 shape = beside_panels(atom, {count * atom.a, count * atom.b, rule.k_ref}, true);
      if (work(shape) <= sample_work && prober.inside(shape) &&
          prober.test(shape) == Verdict::wrong)
        step.wrong.push_back(shape);
    }
  }
  step.holds = step.wrong.empty();
}

// A limit of k and rows shows best where the rows stay: other numbers of rows may have no edge that
// tells. nullopt unless most of several borders agree with one. Only for a matrix times a vector:
// beside several columns, the limit may be a comparison of panels.
std::optional<Bracket> limit_along_k(const std::vector<Border>& borders) {
  constexpr std::size_t several = 3;
  if (borders.size() < several) return std::nullopt;
  auto bracket = fit_atom(borders, true, several);
  if (!bracket || !bracket->atom.use_k || is_on_k_alone(bracket->atom)) return std::nullopt;
  if (4 * static_cast<std::size_t>(bracket->explains) < 3 * borders.size()) return std::nullopt;
  return bracket;
}

Rule with_caps(Rule rule, const std::vector<Atom>& caps) {
  rule.guard.insert(rule.guard.end(), caps.begin(), caps.end());
  return rule;
}

}  // namespace

std::vector<spec::Atom> with(std::vector<spec::Atom> guard, const std::vector<Bracket>& added) {
  for (const Bracket& bracket : added) guard.push_back(bracket.atom);
  return guard;
}

std::optional<Rule> RegimeSearch::learn(const std::vector<Atom>& guard, std::int64_t k_least,
                                        std::vector<Bracket>& added, std::string& why,
                                        int escalations) {
  Anchors extra;
  std::vector<Bracket> caps;  // ends of an axis so far: they become segments
  auto rule = list_sizes(maps_, guard, k_least, why);
  if (!rule) {
    // Between comparisons of panels: the small sizes are listed, and the others searched apart.
    for (const Atom& atom : bounds_of_list(maps_, guard, k_least))
      added.push_back({atom, atom.limit, atom.limit + 1, 0, 0});
    if (!added.empty()) rule = list_sizes(maps_, with(guard, added), k_least, why);
  }
  if (!rule) {
    added.clear();
    rule = learn_core(maps_, guard, k_least, extra, why);
  }
  if (!rule) return std::nullopt;
  if (auto all = of_one_class(maps_, *rule)) long_rules.push_back(*std::move(all));
  bool is_long = rule->is_listed;
  rule->beyond = !is_long;
  int relearned = 0;
  bool k_moves = false;
  const auto learn_long = [&](const Anchors& more) {
    if (rule->is_listed) return list_sizes(maps_, with(guard, added), rule->k_ref, why);
    Anchors anchors = more;
    for (const Side side : {row_side, column_side}) {
      anchors[side].insert(rule->anchors[side].begin(), rule->anchors[side].end());
    }
    const std::vector<Atom> whole = with(guard, added);
    auto longer = learn_axes(maps_, whole, long_k(maps_, *rule, whole), anchors, more, why);
    if (longer) {
      longer->home_low = rule->home_low;
      longer->home_high = rule->home_high;
    }
    return longer;
  };
  const auto take_long = [&](Rule longer) {
    rule = std::move(longer);
    maps_.log(fmt::format("  long axes: {} x {} types, {} classes, rows{}, columns{}, {} shapes",
                          rule->table.size(), rule->table.front().size(), rule->classes,
                          print(rule->axes[0]), print(rule->axes[1]), maps_.shapes()));
    is_long = true;
  };
  // The same search with more classes told apart; conditions on m and n stay.
  const auto finer_at = [&](std::int64_t k) -> std::optional<Rule> {
    std::vector<Bracket> kept, inner;
    std::copy_if(added.begin(), added.end(), std::back_inserter(kept),
                 [](const Bracket& bracket) { return !bracket.atom.use_k; });
    std::string inner_why;
    auto finer = learn(with(guard, kept), k, inner, inner_why, escalations - 1);
    if (!finer) return std::nullopt;
    added = std::move(kept);
    added.insert(added.end(), inner.begin(), inner.end());
    return finer;
  };
  const auto bound_k = [&](std::int64_t good, bool is_upper) {
    const Atom atom{is_upper ? Kind::at_most : Kind::above,
                    false,
                    false,
                    true,
                    is_upper ? good : good - 1,
                    1,
                    1};
    maps_.log("  border " + print(atom));
    added.push_back({atom, atom.limit, atom.limit + 1, 1, good});
  };
  while (static_cast<int>(added.size() + caps.size()) < most_atoms) {
    if (only_one_k(with(guard, added), rule->k_ref)) {
      why = fmt::format("a rule for k = {} does not hold at its neighbours", rule->k_ref);
      return std::nullopt;
    }
    std::vector<Atom> limits = with({}, is_long ? std::vector<Bracket>{} : caps);
    rule->guard = with(guard, added);
    candidate_ = with_caps(*rule, limits);
    Step step = look(maps_, *rule, limits);
    if (step.holds && !is_long && is_chosen_far(*rule)) look_far(maps_, *rule, limits, step);
    if (step.holds && is_long) look_beside_panels(maps_, *rule, step);
    if (step.holds) {
      if (is_long) {
        extend(*rule);
        extend_down(maps_, *rule);
        return rule;
      }
      auto longer = learn_long(extra);
      if (!longer) {
        maps_.log("  no long axes: " + why);
        // What the caps leave is still a rule, and has axes of its own.
        if (caps.empty()) return rule;
        added.insert(added.end(), caps.begin(), caps.end());
        caps.clear();
        longer = learn_long(extra);
        if (!longer) {
          rule->guard = with(guard, added);
          return rule;
        }
      }
      take_long(*std::move(longer));
      if (has_all_sizes(maps_, *rule)) {
        long_rules.push_back(*rule);
        why = "no more is wanted";
        if (ends_at_long_rule) return std::nullopt;
      }
      continue;
    }
    if (step.failing_k > rule->k_ref && escalations > 0) {
      // Another partition at a larger k: tell the classes apart there, where more shows.
      maps_.log(fmt::format("  k = {} tells more apart than {}", step.failing_k, rule->k_ref));
      if (auto finer = finer_at(step.failing_k)) return finer;
    }
    if (step.failing_k != 0) {
      Prober prober(maps_, *rule);
      prober.also = limits;
      const std::int64_t good = prober.last_good_k(rule->k_ref, step.failing_k, nullptr);
      bound_k(good, step.failing_k > rule->k_ref);
      continue;
    }
    // A shape that fails elsewhere may fail at k_ref as well: then k is not what matters.
    Prober again(maps_, *rule);
    again.also = limits;
    std::vector<Shape3> there;
    for (const Shape3& shape : step.wrong) {
      if (shape.k == rule->k_ref || there.size() >= 6) continue;
      const Shape3 same{shape.m, shape.n, rule->k_ref};
      const double work = static_cast<double>(same.m * same.n) * static_cast<double>(same.k);
      if (work > dear_work || !rule->inside(same) || !holds(limits, same)) continue;
      if (again.test(same) == Verdict::wrong) there.push_back(same);
    }
    step.wrong.insert(step.wrong.begin(), there.begin(), there.end());
    settle_on_reference(maps_, again, *rule, step.wrong);
    // Few sizes in all, and contradictions at large k only: told apart there, each size may have
    // types of its own, whatever the condition is.
    if (there.empty() && escalations > 0 && has_few_sizes(maps_, guard)) {
      std::int64_t k = 0;
      for (const Shape3& shape : step.wrong)
        if (k == 0 || shape.k <= longest_reference) k = std::max(k, shape.k);
      const bool is_above = std::all_of(step.wrong.begin(), step.wrong.end(),
                                        [&](const Shape3& s) { return s.k > rule->k_ref; });
      if (is_above) {
        maps_.log(fmt::format("  few sizes, more apart at k = {}", k));
        if (auto finer = finer_at(k)) return finer;
      }
    }
    const auto highest = std::max_element(step.wrong.begin(), step.wrong.end(),
                                          [](auto& a, auto& b) { return a.k < b.k; });
    if (highest->k < rule->k_ref) {
      // Right wherever k is large: the small k have a map of their own. If that begins beside
      // k_ref, the words change with every k, and sizes that do not are looked for first.
      Prober prober(maps_, *rule);
      prober.also = limits;
      const std::int64_t good = prober.last_good_k(rule->k_ref, highest->k, &*highest);
      if (good < rule->k_ref || k_moves) {
        bound_k(good, false);
        continue;
      }
      k_moves = true;
    }
    const auto at_reference = std::find_if(step.wrong.begin(), step.wrong.end(),
                                           [&](auto& s) { return s.k == rule->k_ref; });
    if (is_long && at_reference != step.wrong.end() && relearned < most_relearned) {
      ++relearned;
      Anchors more = extra;
      int taken = 0;
      for (const Shape3& shape : step.wrong) {
        if (shape.k != rule->k_ref || ++taken > 2) continue;
        more[0].insert(shape.m);
        if (!maps_.is_gemv()) more[1].insert(shape.n);
      }
      maps_.log(fmt::format("  counterexample {}: {}", print(*at_reference), rule->last_error));
      if (auto again = learn_long(more)) {
        extra = more;
        rule = std::move(again);
        continue;
      }
    }
    Prober prober(maps_, *rule);
    prober.also = limits;
    // Numbers of panels are compared first: other conditions are those of one side of that.
    std::vector<Border> borders;
    std::optional<Bracket> bracket, ratio;
    if (!maps_.is_gemv()) {
      borders = trace_at(prober, rule->k_ref, step.wrong);
      bracket = fit_atom(borders, false, 1);
      ratio = fit_ratio(maps_, *rule, limits, borders, bracket ? bracket->explains : 0);
    }
    bool is_settled = ratio.has_value();
    if (maps_.is_gemv()) {
      borders = prober.trace_k(step.wrong, 0);
      bracket = limit_along_k(borders);
      is_settled = bracket.has_value();
    }
    if (!is_settled) {
      borders = trace_some(prober, rule->k_ref, step.wrong);
      bracket = fit_atom(borders, maps_.is_gemv(), borders.size() >= 4 ? 2 : 1);
      if (!maps_.is_gemv())
        ratio = fit_ratio(maps_, *rule, limits, borders, bracket ? bracket->explains : 0);
    }
    if (ratio) {
      maps_.log(fmt::format("  border {}, {} of {} borders", print(ratio->atom), ratio->explains,
                            borders.size()));
      added.push_back(*ratio);
      rule->guard = with(guard, added);
      if (is_long) {
        if (auto again_long = learn_long(extra)) rule = std::move(again_long);
      }
      continue;
    }
    // The words of long blocks go on for longer than a box: many borders that no condition explains
    // are theirs.
    if (maps_.is_gemv() && !is_long &&
        (!bracket || 2 * static_cast<std::size_t>(bracket->explains) < borders.size())) {
      if (auto longer = learn_long(extra)) {
        take_long(*std::move(longer));
        continue;
      }
    }
    if (!bracket) {
      why = fmt::format("{} contradict the rule ({}) and no condition separates them",
                        print(step.wrong.front()), rule->last_error);
      return std::nullopt;
    }
    std::set<std::int64_t> border_ks;
    for (const Border& border : borders) border_ks.insert(border.out.k);
    refine(maps_, *rule, limits, *bracket);
    maps_.log(fmt::format("  border {} in [{}, {}), {} of {} borders", print(bracket->atom),
                          bracket->low, bracket->high, bracket->explains, borders.size()));
    if (is_axis_cap(bracket->atom) && at_reference == step.wrong.end() && escalations > 0) {
      // The largest k that is not dear: a K block may be split further above the first.
      std::int64_t k = 0;
      for (const std::int64_t seen : border_ks) {
        if (seen > rule->k_ref && (k == 0 || seen <= longest_reference)) k = seen;
      }
      maps_.log(fmt::format("  sizes matter at k = {} only", k));
      if (k > 0) {
        if (auto finer = finer_at(k)) return finer;
      }
    }
    (is_axis_cap(bracket->atom) && !is_long ? caps : added).push_back(*bracket);
    if (is_long) {
      rule->guard = with(guard, added);
      if (auto again = learn_long(extra)) rule = std::move(again);
    }
  }
  why = fmt::format("more than {} conditions would be needed", most_atoms);
  return std::nullopt;
}

void RegimeSearch::search_all(const std::vector<Task>& tasks) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    try {
      search(tasks[i]);
    } catch (const OutOfTime&) {
      pending.insert(pending.end(), tasks.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                     tasks.end());
      throw;
    }
  }
}

void RegimeSearch::search(const Task& task) {
  std::vector<Bracket> added;
  try {
    if (!settle(task, added)) return;
  } catch (const OutOfTime&) {
    // A candidate that was still being mended is wrong at more shapes than a sample shows.
    pending.push_back(task);
    throw;
  }
  // Other k may have other classes, on both sides of any comparison of panels.
  const auto panels = std::find_if(added.begin(), added.end(), [](const Bracket& bracket) {
    return bracket.atom.compares_panels();
  });
  std::stable_partition(panels, added.end(),
                        [](const Bracket& bracket) { return is_on_k_alone(bracket.atom); });
  // What a condition on k alone excludes is least: a few k.
  std::vector<Task> rest;
  for (const bool is_k_alone : {false, true}) {
    std::vector<Atom> before = task.guard;
    for (const Bracket& bracket : added) {
      const Atom& atom = bracket.atom;
      if (is_on_k_alone(atom) == is_k_alone) {
        rest.push_back({before, task.depth + 1});
        rest.back().guard.push_back(negation(atom));
      }
      before.push_back(atom);
    }
  }
  search_all(rest);
}

bool RegimeSearch::settle(const Task& task, std::vector<Bracket>& added) {
  const std::vector<Atom>& guard = task.guard;
  if (found.size() >= most_regimes || task.depth > deepest) {
    failures.push_back("too many regimes: nothing is known for " + print(guard));
    return false;
  }
  maps_.log("regime in: " + print(guard));
  if (is_thin(guard)) {
    failures.push_back(print(guard) + ": shapes of so few k and so many outputs are not looked at");
    return false;
  }
  // A sample says less of few sizes than all of them.
  if (!can_list(maps_, guard) && adopt(guard, added)) return !added.empty();
  candidate_.reset();
  std::string why;
  std::optional<Rule> rule = learn(guard, 1, added, why, 2);
  if (!rule) {
    maps_.log("  no rule: " + why);
    added.clear();
    if (candidate_ && !(ends_at_long_rule && !long_rules.empty())) {
      for (std::size_t i = guard.size(); i < candidate_->guard.size(); ++i) {
        const Atom& atom = candidate_->guard[i];
        added.push_back({atom, atom.limit, atom.limit + 1, 0, 0});
      }
      if (salvage(*candidate_, added)) rule = candidate_;
    }
    if (!rule) {
      failures.push_back(fmt::format("{}: {}", print(guard), why));
      return false;
    }
  }
  rule->beyond = false;
  if (!find_witnesses(maps_, *rule)) {
    failures.push_back(print(rule->guard) + ": no shape shows a class of the rule");
    return false;
  }
  found.push_back({*rule, added});
  maps_.log(fmt::format("  => {} ({} classes, {} shapes, {:.1f} s)", print(rule->guard),
                        rule->classes, maps_.shapes(), maps_.seconds()));
  return true;
}

}  // namespace reprosum::reveal::region
