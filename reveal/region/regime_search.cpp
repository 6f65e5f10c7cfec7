#include "reveal/region/regime_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "reveal/region/certify.h"

namespace reprosum::reveal::region {
namespace {

using spec::Atom;
using spec::Shape3;
using Kind = Atom::Kind;

constexpr std::size_t most_regimes = 16;
constexpr int deepest = 6;
constexpr int most_atoms = 8;
constexpr int most_relearned = 6;
constexpr double sample_work = 4e6;
constexpr int samples_per_k = 9, samples_at_reference = 40;
constexpr int dear_looks = 5;
constexpr std::int64_t thin_k = 3, thin_outputs = 100000;
constexpr std::int64_t longest_reference = 607;
constexpr int salvage_rounds = 6;
constexpr std::size_t salvage_least = 40;
constexpr double witness_share = 0.7;  // of the time, when the search used up its own
constexpr double dear_work = 3e7;      // for few shapes that decide much

// k at which a rule is looked at: all small ones by turns, the K blocks of usual libraries, the
// end.
std::vector<std::int64_t> sample_ks(const Rule& rule, const Maps& maps) {
  // k_ref and three far from it first: one k cannot tell products with k from those without.
  std::vector<std::int64_t> ks{rule.k_ref, 151, 907, 1511, 37, 1,   2,   3,   5,
                               8,          13,  21,  49,   75, 301, 607, 2047};
  ks.push_back(maps.options().largest.k);
  std::vector<std::int64_t> kept;
  for (const std::int64_t k : ks) {
    if (k <= maps.options().largest.k && std::count(kept.begin(), kept.end(), k) == 0) {
      kept.push_back(k);
    }
  }
  return kept;
}

bool is_axis_cap(const Atom& atom) {
  return atom.kind == Kind::at_most && !atom.use_k && atom.use_m != atom.use_n;
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

std::vector<Atom> with(std::vector<Atom> guard, const std::vector<Bracket>& added) {
  for (const Bracket& bracket : added) guard.push_back(bracket.atom);
  return guard;
}

Rule with_caps(Rule rule, const std::vector<Atom>& caps) {
  rule.guard.insert(rule.guard.end(), caps.begin(), caps.end());
  return rule;
}

// Borders of contradictions that were met at one k only, at other k: one k cannot tell products
// with k from those without.
std::vector<Border> at_other_k(Prober& prober, const std::vector<Shape3>& wrong) {
  std::vector<Border> borders;
  const std::int64_t k = wrong.front().k;
  for (const std::int64_t other : {3 * k / 4, k / 2, 5 * k / 4}) {
    int traced = 0;
    for (const Shape3& shape : wrong) {
      if (traced >= 2) break;
      for (const Shape3& there :
           {Shape3{shape.m, shape.n, other},
            Shape3{shape.m * k / std::max<std::int64_t>(1, other), shape.n, other}}) {
        if (other < 1 || !prober.inside(there) || prober.prime(other).empty()) continue;
        if (prober.test(there) != Verdict::wrong) continue;
        ++traced;
        for (const Border& border : prober.trace(there)) borders.push_back(border);
        break;
      }
    }
  }
  return borders;
}

}  // namespace

// What one look over all k says about a rule.
struct RegimeSearch::Step {
  bool holds = true;
  std::int64_t failing_k = 0;  // the rule fails at this k for every shape
  std::vector<Shape3> wrong;   // other contradictions, k_ref first
  static Step look(Maps& maps, Rule& rule, const std::vector<Atom>& caps) {
    Step step;
    rule.forget();
    Prober prober(maps, rule);
    prober.also = caps;
    int looked = 0;
    for (const std::int64_t k : sample_ks(rule, maps)) {
      if (k != rule.k_ref && prober.fails_at(k)) {
        step.holds = false;
        step.failing_k = k;
        return step;
      }
      // Where the rule begins at large sizes, shapes cost more.
      const double home = static_cast<double>(rule.home_high[0] * rule.home_high[1]) *
                          static_cast<double>(rule.k_ref);
      const double work = looked < dear_looks ? std::max(sample_work, 2 * home) : sample_work;
      for (const Shape3& shape :
           prober.contradictions(k, k == rule.k_ref ? samples_at_reference : samples_per_k, work)) {
        step.wrong.push_back(shape);
      }
      // Small k come last: classes merge there, and hide where the borders are.
      if (++looked >= 4 && step.wrong.size() >= (looked < dear_looks ? 12 : 4)) break;
    }
    step.holds = step.wrong.empty();
    return step;
  }
};

std::optional<Rule> RegimeSearch::learn(const std::vector<Atom>& guard, std::int64_t k_least,
                                        std::vector<Bracket>& added, std::string& why,
                                        int escalations) {
  Anchors extra;
  std::vector<Bracket> caps;  // ends of an axis so far: they become segments
  auto rule = learn_core(maps_, guard, k_least, extra, why);
  if (!rule) return std::nullopt;
  rule->beyond = true;
  bool is_long = false;
  int relearned = 0;
  bool k_moves = false;
  const auto learn_long = [&](const Anchors& more) {
    Anchors anchors = more;
    for (const Side side : {row_side, column_side}) {
      anchors[side].insert(rule->anchors[side].begin(), rule->anchors[side].end());
    }
    const Box everything{
        rule->k_ref,
        {1, 1},
        {maps_.options().largest.m, maps_.is_gemv() ? 1 : maps_.options().largest.n}};
    auto longer = learn_in(maps_, with(guard, added), everything, anchors, more, why);
    if (longer) {
      longer->home_low = rule->home_low;
      longer->home_high = rule->home_high;
    }
    return longer;
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
    Step step = Step::look(maps_, *rule, limits);
    if (step.holds) {
      if (is_long) {
        extend(*rule);
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
      rule = std::move(longer);
      maps_.log(fmt::format("  long axes: {} x {} types, {} classes, rows{}, columns{}, {} shapes",
                            rule->table.size(), rule->table.front().size(), rule->classes,
                            print(rule->axes[0]), print(rule->axes[1]), maps_.shapes()));
      is_long = true;
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
    // Borders from the cheapest contradictions, at several k.
    std::vector<Border> borders;
    std::map<std::int64_t, int> traced;
    Prober prober(maps_, *rule);
    prober.also = limits;
    for (const Shape3& shape : step.wrong) {
      if (++traced[shape.k] > 2 || borders.size() > 22) continue;
      for (const Border& border : prober.trace(shape)) borders.push_back(border);
    }
    const bool is_one_k =
        !traced.empty() && traced.rbegin()->first * 9 <= traced.begin()->first * 10;
    if (is_one_k && traced.count(rule->k_ref) == 0) {
      for (const Border& border : at_other_k(prober, step.wrong)) borders.push_back(border);
    }
    auto bracket = fit_atom(borders, maps_.is_gemv(), borders.size() >= 4 ? 2 : 1);
    if (!maps_.is_gemv()) {
      const auto ratio = fit_ratio(maps_, *rule, limits, borders, bracket ? bracket->explains : 0);
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

bool RegimeSearch::repair(Found& regime, const std::vector<Shape3>& wrong) {
  const Rule& old = regime.rule;
  Anchors anchors, extra;
  for (const Side side : {row_side, column_side}) {
    anchors[side].insert(old.anchors[side].begin(), old.anchors[side].end());
  }
  for (const Shape3& shape : wrong) {
    if (extra[row_side].size() >= 3) break;
    extra[row_side].insert(shape.m);
    extra[column_side].insert(shape.n);
  }
  const Box everything{
      old.k_ref,
      {1, 1},
      {maps_.options().largest.m, maps_.is_gemv() ? 1 : maps_.options().largest.n}};
  std::string why;
  auto rule = learn_in(maps_, old.guard, everything, anchors, extra, why);
  if (!rule) return false;
  rule->home_low = old.home_low;
  rule->home_high = old.home_high;
  if (!find_witnesses(maps_, *rule)) return false;
  regime.rule = std::move(*rule);
  return true;
}

// Neighbouring conditions often exclude shapes that one and the same rule covers.
bool RegimeSearch::adopt(const std::vector<Atom>& guard) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    Rule rule = found[i].rule;
    rule.guard = guard;
    rule.forget();
    Prober prober(maps_, rule);
    std::int64_t wrong = 0;
    for (const std::int64_t k : sample_ks(rule, maps_)) {
      if (prober.fails_at(k)) ++wrong;
      if (wrong == 0) {
        wrong +=
            static_cast<std::int64_t>(prober.contradictions(k, samples_per_k, sample_work).size());
      }
      if (wrong > 0) break;
    }
    if (wrong > 0 || prober.right() < 40 || prober.unknown() * 10 > prober.right()) continue;
    if (!find_witnesses(maps_, rule)) continue;
    rule.beyond = false;
    maps_.log("  the rule of " + print(found[i].rule.guard) + " holds here too");
    found.push_back({rule, {}});
    return true;
  }
  return false;
}

// Under an upper bound large sizes are met at small k only, where classes may be merged: there the
// last segment is followed, not learned.
void RegimeSearch::extend(Rule& rule) {
  for (const Side side : {row_side, column_side}) {
    const Shape3& largest = maps_.options().largest;
    const std::int64_t top = side == row_side ? largest.m : maps_.is_gemv() ? 1 : largest.n;
    spec::Segment& last = rule.axes[side].back();
    if (last.to >= top || last.schemas.empty()) continue;
    const std::int64_t learned = last.to;
    std::int64_t right = 0, reached = learned;
    bool is_wrong = false;
    rule.beyond = true;
    for (const std::int64_t k : {29, 23, 19, 15, 12, 9, 7, 5, 3, 2, 1}) {
      for (int i = 0; i < 8 && !is_wrong; ++i) {
        const std::int64_t size = i == 0 ? top : maps_.pick_log(learned + 1, top);
        const std::int64_t across = maps_.is_gemv() ? 1 : maps_.pick_log(1, 24);
        const Shape3 shape = side == row_side ? Shape3{size, across, k} : Shape3{across, size, k};
        if (k == rule.k_ref || !rule.inside(shape) || !maps_.affordable(shape)) continue;
        const Verdict verdict = rule.test(maps_, shape);
        is_wrong = verdict == Verdict::wrong;
        right += verdict == Verdict::right;
        if (verdict == Verdict::right) reached = std::max(reached, size);
      }
    }
    if (!is_wrong && right >= 12) last.to = reached;
  }
}

bool RegimeSearch::salvage(Rule& rule, std::vector<Bracket>& added) {
  rule.beyond = false;
  for (int round = 0; round < salvage_rounds; ++round) {
    rule.forget();
    Prober prober(maps_, rule);
    std::vector<Shape3> wrong;
    for (const std::int64_t k : sample_ks(rule, maps_)) {
      const auto more = prober.contradictions(k, samples_per_k, sample_work);
      wrong.insert(wrong.end(), more.begin(), more.end());
    }
    if (wrong.empty()) return prober.right_shapes().size() >= salvage_least;
    const auto atom = cut(prober.right_shapes(), wrong, salvage_least);
    if (!atom) return false;
    maps_.log("  cut " + print(*atom));
    added.push_back({*atom, atom->limit, atom->limit + 1, 0, 0});
    rule.guard.push_back(*atom);
  }
  return false;
}

void RegimeSearch::search(const std::vector<Atom>& guard, int depth) {
  if (found.size() >= most_regimes || depth > deepest) {
    failures.push_back("too many regimes: nothing is known for " + print(guard));
    return;
  }
  maps_.log("regime in: " + print(guard));
  if (is_thin(guard)) {
    failures.push_back(print(guard) + ": shapes of so few k and so many outputs are not looked at");
    return;
  }
  std::vector<Bracket> added;
  std::string why;
  std::optional<Rule> rule;
  if (adopt(guard)) return;
  candidate_.reset();
  try {
    rule = learn(guard, 1, added, why, 2);
  } catch (const OutOfTime& e) {
    failures.push_back(fmt::format("{}: {}", print(guard), e.what()));
    // What there is may still be certified in part.
    maps_.set_deadline(witness_share * maps_.options().time_limit_s);
    if (candidate_ && find_witnesses(maps_, *candidate_)) {
      candidate_->beyond = false;
      found.push_back({*candidate_, {}});
    }
    throw;
  }
  if (!rule) {
    maps_.log("  no rule: " + why);
    added.clear();
    if (candidate_) {
      for (std::size_t i = guard.size(); i < candidate_->guard.size(); ++i) {
        const Atom& atom = candidate_->guard[i];
        added.push_back({atom, atom.limit, atom.limit + 1, 0, 0});
      }
      if (salvage(*candidate_, added)) rule = candidate_;
    }
    if (!rule) {
      failures.push_back(fmt::format("{}: {}", print(guard), why));
      return;
    }
  }
  rule->beyond = false;
  if (!find_witnesses(maps_, *rule)) {
    failures.push_back(print(rule->guard) + ": no shape shows a class of the rule");
    return;
  }
  found.push_back({*rule, added});
  maps_.log(fmt::format("  => {} ({} classes, {} shapes, {:.1f} s)", print(rule->guard),
                        rule->classes, maps_.shapes(), maps_.seconds()));
  // What a condition on k alone excludes is least: a few k.
  for (const bool is_k_alone : {false, true}) {
    std::vector<Atom> before = guard;
    for (const Bracket& bracket : added) {
      const Atom& atom = bracket.atom;
      std::vector<Atom> rest = before;
      rest.push_back(negation(atom));
      before.push_back(atom);
      if ((atom.use_k && !atom.use_m && !atom.use_n) == is_k_alone) search(rest, depth + 1);
    }
  }
}

}  // namespace reprosum::reveal::region
