// The whole way to one size: regimes, held-out shapes, and the form that a spec keeps.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reveal/region/certify.h"
#include "reveal/region/divide.h"
#include "reveal/region/small_box.h"

namespace reprosum::reveal::region {
namespace {

using spec::Shape3;

// The parts of the time limit at which the search of each start ends. A further part is kept for
// the certification of the rules found.
constexpr double search_shares[] = {0.25, 0.5, 0.8}, certify_share = 0.1, cut_off_share = 0.1;
// Besides, once: for a rule of large products, and for conditions between the rules found.
constexpr double large_share = 0.35, divide_share = 0.35;
constexpr double few_covered = 0.5;
constexpr std::int64_t large_product = 140'000;

LearnedRegime finish(const Found& found, const Maps& maps) {
  LearnedRegime regime;
  const Rule& rule = found.rule;
  regime.rule.guard = rule.guard;
  std::sort(regime.rule.guard.begin(), regime.rule.guard.end());
  regime.rule.rows = rule.axes[row_side];
  regime.rule.columns = rule.axes[column_side];
  regime.rule.table = rule.table;
  for (int c = 0; c < rule.classes; ++c) {
    spec::MatrixClass of;
    of.order = static_cast<std::size_t>(c);
    regime.rule.classes.push_back(of);
  }
  regime.rule.k_max = maps.options().largest.k;
  regime.k_ref = rule.k_ref;
  regime.witnesses = rule.witnesses;
  return regime;
}

// The share of random shapes that the regimes cover.
double coverage(const std::vector<Found>& regimes, const std::vector<Shape3>& shapes) {
  const auto is_covered = [&](const Shape3& shape) {
    const auto first = std::find_if(regimes.begin(), regimes.end(),
                                    [&](const Found& regime) { return regime.rule.inside(shape); });
    return first != regimes.end() && first->rule.variety(row_side, shape.m) > 0 &&
           first->rule.variety(column_side, shape.n) > 0;
  };
  return static_cast<double>(std::count_if(shapes.begin(), shapes.end(), is_covered)) /
         static_cast<double>(std::max<std::size_t>(1, shapes.size()));
}

// Where a search was when its time was over.
struct Unfinished {
  std::vector<Found> found;
  std::vector<std::string> failures;
  std::vector<RegimeSearch::Task> pending;  // none: the search came to its end
  bool is_short = false;
  std::vector<Rule> long_rules;  // of all searches
};

// A rule was cut by a condition that excludes the contradicting shapes with a wide margin. Beyond
// the condition there are rules as well, mostly the same one. Or full signatures tell more outputs
// apart.
void search_cut_off(Maps& maps, Certified& certified, double limit) {
  if (certified.cut_off.empty()) return;
  RegimeSearch search(maps);
  search.found = certified.kept;
  search.doubts = certified.doubts;
  const std::size_t before = search.found.size();
  maps.set_limit(limit);
  try {
    search.search_all(certified.cut_off);
  } catch (const OutOfTime& e) {
    maps.log(e.what());
  }
  maps.set_limit(limit * 1.1);
  const auto first = search.found.begin() + static_cast<std::ptrdiff_t>(before);
  for (auto it = first; it != search.found.end(); ++it) it->rule.forget_hashes();
  const Certified more = certify(maps, search, {first, search.found.end()}, false, false);
  certified.kept.insert(certified.kept.end(), more.kept.begin(), more.kept.end());
  certified.checked += more.checked;
  const auto note = [&](const std::string& why) { certified.left.push_back(why); };
  for (const std::string& why : search.failures) note(why);
  for (const std::string& why : more.left) note(why);
  for (const RegimeSearch::Task& task : search.pending)
    note(print(task.guard) + ": the time limit was reached");
  for (const RegimeSearch::Task& task : more.cut_off)
    note(print(task.guard) + ": held-out shapes contradict the rule");
}

// One search, from the beginning or from where the last one was, and what the certificate leaves of
// it.
Certified start(Maps& maps, const LearnedRegions* similar, Unfinished& last, double search_limit,
                double limit) {
  Certified certified;
  const Unfinished before = std::exchange(last, {});
  last.long_rules = before.long_rules;
  // Short signatures tell nearly all classes apart; the certificate is for the full ones, and where
  // these contradict, the search begins again with them.
  for (const bool is_short : {true, false}) {
    maps.set_limit(limit);
    const bool goes_on = !before.pending.empty() && before.is_short == is_short;
    if (!before.pending.empty() && !before.is_short && is_short) continue;
    if (is_short && !(goes_on ? maps.set_short(true) : maps.shorten())) continue;
    RegimeSearch search(maps);
    maps.set_limit(search_limit);
    try {
      if (goes_on) {
        search.found = before.found;
        search.failures = before.failures;
        search.search_all(before.pending);
      } else {
        search.run(similar);
      }
    } catch (const OutOfTime& e) {
      maps.log(e.what());
    }
    last.long_rules.insert(last.long_rules.end(), search.long_rules.begin(),
                           search.long_rules.end());
    maps.log(fmt::format("search: {} shapes, {} calls, {:.3g} products, {:.1f} s", maps.shapes(),
                         maps.calls(), maps.asked_work(), maps.spent()));
    maps.set_limit(limit);
    try {
      search.search_far();
    } catch (const OutOfTime& e) {
      maps.log(e.what());
    }
    maps.set_short(false);
    for (Found& regime : search.found) regime.rule.forget_hashes();
    const bool may_give_up = is_short && maps.spent() < search_limit / 2;
    certified = certify(maps, search, search.found, is_short, may_give_up);
    if (certified.is_hopeless) {
      maps.log("full signatures tell more apart");
      continue;
    }
    search_cut_off(maps, certified, maps.spent() + cut_off_share * maps.options().time_limit_s);
    certified.left.insert(certified.left.begin(), search.failures.begin(), search.failures.end());
    for (const RegimeSearch::Task& task : search.pending)
      certified.left.push_back(print(task.guard) + ": the time limit was reached");
    last = {search.found, search.failures, search.pending, is_short, std::move(last.long_rules)};
    break;
  }
  return certified;
}

// A rule of large products, unless there is one among these.
void add_large(Maps& maps, std::vector<Rule>& rules) {
  const auto is_lower = [](const spec::Atom& atom) {
    return atom.kind == spec::Atom::Kind::above && atom.use_m + atom.use_n + atom.use_k > 1;
  };
  if (maps.is_gemv() || std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
        return std::any_of(rule.guard.begin(), rule.guard.end(), is_lower);
      }))
    return;
  RegimeSearch search(maps);
  search.ends_at_long_rule = true;
  maps.set_limit(maps.spent() + large_share * maps.options().time_limit_s);
  try {
    search.search_all({{{{spec::Atom::Kind::above, true, true, true, large_product, 1, 1}}, 1}});
  } catch (const OutOfTime& e) {
    maps.log(e.what());
  }
  rules.insert(rules.end(), search.long_rules.begin(), search.long_rules.end());
}

// The rules of these searches under other conditions. Nothing where none are found.
Certified divide_all(Maps& maps, std::vector<Rule> rules) {
  const double seconds = maps.options().time_limit_s;
  bool is_short = false;
  RegimeSearch search(maps);
  try {
    maps.set_limit(maps.spent() + large_share * seconds);
    is_short = maps.shorten();
    if (!maps.is_gemv()) rules.push_back(of_smallest(maps));
    add_large(maps, rules);
    maps.set_limit(maps.spent() + divide_share * seconds);
    search.found = divide(maps, std::move(rules));
  } catch (const OutOfTime& e) {
    maps.log(e.what());
  }
  if (search.found.empty()) {
    maps.set_short(false);  // what is looked at next must tell everything apart
    return {};
  }
  // What no rule was right about may have rules of its own.
  const auto known = static_cast<std::ptrdiff_t>(search.found.size());
  std::vector<RegimeSearch::Task> tasks;
  for (const Found& piece : search.found)
    if (piece.covers_nothing) tasks.push_back({piece.rule.guard, 1});
  try {
    maps.set_limit(maps.spent() + search_shares[0] * seconds);
    search.search_all(tasks);
  } catch (const OutOfTime& e) {
    maps.log(e.what());
  }
  std::rotate(search.found.begin(), search.found.begin() + known, search.found.end());
  maps.set_short(false);
  maps.set_limit(maps.spent() + certify_share * seconds);
  for (Found& regime : search.found) regime.rule.forget_hashes();
  Certified certified = certify(maps, search, search.found, is_short, false);
  search_cut_off(maps, certified, maps.spent() + cut_off_share * seconds);
  return certified;
}

}  // namespace

LearnedRegions learn_to_largest(SignatureSource& source, const RegionOptions& options) {
  Maps maps(source, options);
  LearnedRegions result;
  // What a search comes upon first decides where it looks: another start may find what one missed.
  // A search that ran out of time goes on where it was.
  const std::vector<Shape3> sample = held_out_shapes(maps, {});
  Certified certified;
  Unfinished unfinished;
  const LearnedRegions* similar = options.similar;
  double most = -1;
  bool is_divided = false;
  for (const double share : search_shares) {
    const double limit = share * options.time_limit_s;
    if (maps.spent() > limit) continue;
    Certified next =
        start(maps, similar, unfinished, limit, limit + certify_share * options.time_limit_s);
    similar = nullptr;  // a new start goes without what may have been misleading
    const double covered = coverage(next.kept, sample);
    maps.log(fmt::format("covered: {:.3f}", covered));
    if (covered > most) {
      most = covered;
      certified = std::move(next);
    }
    if (most >= enough_covered && unfinished.pending.empty()) break;
    const bool is_last = share == std::end(search_shares)[-1];
    if (!is_divided && most < (is_last ? enough_covered : few_covered)) {
      is_divided = true;
      next = divide_all(maps, unfinished.long_rules);
      const double after = coverage(next.kept, sample);
      maps.log(fmt::format("divided, covered: {:.3f}", after));
      if (after > most) {
        most = after;
        certified = std::move(next);
      }
      if (most >= enough_covered) break;
    }
    if (options.patience < 1 || (options.small > 0 && most < kHardlyAny)) break;
  }
  for (const std::string& why : certified.left) {
    if (!result.stopped.empty()) result.stopped += "; ";
    result.stopped += why;
  }
  result.checked = certified.checked;
  result.covered = result.covered_by_all_sizes = std::max(0.0, most);
  for (const Found& regime : certified.kept) {
    result.regimes.push_back(finish(regime, maps));
    for (const Bracket& bracket : regime.brackets) {
      if (bracket.high - bracket.low <= 1) continue;
      result.not_checked.push_back(
          fmt::format("the limit of {} lies in [{}, {}); the roundest number of it was taken",
                      print(bracket.atom), bracket.low, bracket.high));
    }
  }
  result.shapes = maps.shapes();
  result.calls = maps.calls();
  return result;
}

}  // namespace reprosum::reveal::region
