// Regions of a similar context, where they hold in this one: a library with more threads does as
// with one until a product is large.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "reveal/region/look.h"
#include "reveal/region/regime_search.h"

namespace reprosum::reveal::region {
namespace {

using spec::Atom;

constexpr int most_conditions = 2;        // that one regime may need besides its own
constexpr std::int64_t least_right = 40;  // shapes that a rule rests on
constexpr std::int64_t least_per_k = 8;   // of them where few k are inside the guard
constexpr int least_share = 10;           // one of so many shapes that its guard admits elsewhere
constexpr std::int64_t few_k = 3;
constexpr std::int64_t every_size = 12;  // up to here, where a guard leaves few k
constexpr std::int64_t long_sizes[] = {13, 16, 19, 24, 33, 50, 67, 96, 131, 267, 1027};

// A condition on both sizes, or with k: the end of an axis says that its words are others.
bool is_on_products(const Atom& atom) { return atom.use_m + atom.use_n + atom.use_k > 1; }

// The guard of both, if they are the two sides of one comparison of panels and nothing else.
std::optional<std::vector<Atom>> both_sides(const std::vector<Atom>& a,
                                            const std::vector<Atom>& b) {
  const std::set<Atom> in_a(a.begin(), a.end()), in_b(b.begin(), b.end());
  std::vector<Atom> common, alone;
  for (const Atom& atom : a) (in_b.count(atom) > 0 ? common : alone).push_back(atom);
  const bool are_sides = a.size() == b.size() && alone.size() == 1 &&
                         alone.front().compares_panels() && in_b.count(negation(alone.front())) > 0;
  return are_sides ? std::optional(common) : std::nullopt;
}

// Where both sides of a comparison of panels remain, it is likely that others are compared here,
// and that their border cuts both: they are searched as one.
void join_sides(std::vector<RegimeSearch::Task>& rest) {
  for (std::size_t i = 0; i < rest.size(); ++i) {
    for (std::size_t j = i + 1; j < rest.size(); ++j) {
      auto whole = both_sides(rest[i].guard, rest[j].guard);
      if (!whole) continue;
      rest[i].guard = *std::move(whole);
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(j));
      return join_sides(rest);
    }
  }
}

// The last k of a guard that leaves few; else 0.
std::int64_t last_of_few(const std::vector<Atom>& guard) {
  for (const Atom& atom : guard)
    if (atom.kind == Atom::Kind::at_most && atom.use_k && !atom.use_m && !atom.use_n &&
        atom.limit <= few_k)
      return atom.limit;
  return 0;
}

// Samples of few k are few, and orders of few summands differ in few shapes: every small one, and
// long ones of few rows or columns.
bool holds_where_small(Prober& prober, const RegionOptions& options, std::int64_t k) {
  const bool is_gemv = options.is_gemv;
  const auto is_right = [&](std::int64_t m, std::int64_t n) {
    const spec::Shape3 shape{m, n, k};
    if (m > options.largest.m || n > options.largest.n || !prober.inside(shape)) return true;
    return prober.test(shape) != Verdict::wrong;
  };
  for (std::int64_t m = 1; m <= every_size; ++m) {
    for (std::int64_t n = 1; n <= (is_gemv ? 1 : every_size); ++n)
      if (!is_right(m, n)) return false;
    for (const std::int64_t size : long_sizes)
      if (!is_right(size, is_gemv ? 1 : m) || (!is_gemv && !is_right(m, size))) return false;
  }
  return true;
}

}  // namespace

bool keeps_few(const std::vector<Atom>& known, const std::vector<Atom>& guard,
               const RegionOptions& options) {
  const spec::Shape3& top = options.largest;
  int before = 0, after = 0;
  for (std::int64_t m = 1; m <= top.m; m *= 2)
    for (std::int64_t n = 1; n <= (options.is_gemv ? 1 : top.n); n *= 2)
      for (std::int64_t k = 1; k <= top.k; k *= 2) {
        before += holds(known, {m, n, k});
        after += holds(guard, {m, n, k});
      }
  return after * least_share < before;
}

Rule rule_of(const LearnedRegime& regime) {
  Rule rule;
  rule.guard = regime.rule.guard;
  rule.axes = {regime.rule.rows, regime.rule.columns};
  rule.table = regime.rule.table;
  rule.k_ref = regime.k_ref;
  rule.classes = static_cast<int>(regime.rule.classes.size());
  rule.forget_hashes();
  return rule;
}

Rule borrow(const LearnedRegime& regime) {
  Rule rule = rule_of(regime);
  rule.is_borrowed = true;
  rule.witnesses = regime.witnesses;
  std::array<std::set<std::int64_t>, 2> sizes;
  for (const LearnedRegime::Witness& witness : regime.witnesses) {
    sizes[row_side].insert(witness.shape.m);
    sizes[column_side].insert(witness.shape.n);
  }
  for (const Side side : {row_side, column_side})
    rule.anchors[side].assign(sizes[side].begin(), sizes[side].end());
  return rule;
}

bool RegimeSearch::stands(Rule& rule, std::int64_t* unknown) {
  rule.forget();
  Prober prober(maps_, rule);
  std::int64_t met = 0;
  for (const std::int64_t k : sample_ks(rule, maps_)) {
    if (prober.fails_at(k)) return false;
    if (!prober.contradictions(k, samples_per_k, sample_work).empty()) return false;
    met += !prober.prime(k).empty();
  }
  for (std::int64_t k = 1; k <= last_of_few(rule.guard); ++k)
    if (!holds_where_small(prober, maps_.options(), k)) return false;
  if (unknown != nullptr) *unknown = prober.unknown();
  return prober.right() >= std::min(least_right, std::max<std::int64_t>(1, met) * least_per_k) &&
         prober.unknown() * 10 <= prober.right();
}

// The conditions under which the rule holds, found as for a rule that was learned here. Those that
// another regime needed are tried first.
bool RegimeSearch::confine(Rule& rule, const std::vector<Bracket>& likely,
                           std::vector<Bracket>& added) {
  const std::vector<Atom> guard = rule.guard;
  for (int turn = 0;; ++turn) {
    rule.guard = with(guard, added);
    rule.forget_hashes();
    const Step step = look(maps_, rule, {});
    if (step.holds) return stands(rule);
    if (turn == 0 && !likely.empty()) {
      added = likely;
      continue;
    }
    if (turn == 1) added.clear();
    if (turn > most_conditions) {
      maps_.log(step.failing_k != 0 ? fmt::format("  fails at k = {}", step.failing_k)
                                    : "  contradicted at " + print(step.wrong.front()));
      return false;
    }
    rule.guard = with(guard, added);
    Prober prober(maps_, rule);
    // A limit that k enters shows on the way along k, and there alone where the guard leaves no
    // shape of some k below it. Sizes on other ways may be right because they show nothing.
    std::vector<Border> borders = prober.trace_k(step.wrong, step.failing_k);
    const auto fit = [&] {
      auto best = fit_atom(borders, maps_.is_gemv(), borders.size() >= 4 ? 2 : 1);
      return best && is_on_products(best->atom) ? best : std::nullopt;
    };
    auto bracket = fit();
    if (!bracket || 2 * bracket->explains < static_cast<int>(borders.size())) {
      borders = trace_some(prober, rule.k_ref, step.wrong);
      bracket = fit();
    }
    if (!bracket) {
      maps_.log(fmt::format("  no condition on a product explains {} borders", borders.size()));
      return false;
    }
    refine(maps_, rule, {}, *bracket);
    maps_.log(fmt::format("  similar rule up to a border {} in [{}, {}), {} of {} borders",
                          print(bracket->atom), bracket->low, bracket->high, bracket->explains,
                          borders.size()));
    added.push_back(*bracket);
  }
}

void RegimeSearch::run(const LearnedRegions* similar) {
  std::vector<Task> rest;
  // A context whose search was stopped leaves shapes without a rule, and no guard describes these,
  // so it is not reused.
  if (similar != nullptr && similar->stopped.empty()) rest = reuse(*similar);
  if (found.empty()) rest = {{{}, 0}};
  search_all(rest);
}

std::vector<RegimeSearch::Task> RegimeSearch::reuse(const LearnedRegions& similar) {
  std::vector<Task> rest;
  std::vector<Bracket> likely;
  // Regions of large shapes are found again when the others are known.
  std::size_t first = 0;
  for (std::size_t i = 0; i < similar.regimes.size(); ++i) {
    if (!similar.regimes[i].rule.classes.empty()) continue;
    maps_.reserve(similar.regimes[i].rule.guard);
    first = i + 1;
  }
  for (std::size_t i = first; i < similar.regimes.size(); ++i) {
    const LearnedRegime& regime = similar.regimes[i];
    maps_.log("similar rule in: " + print(regime.rule.guard));
    Rule rule = borrow(regime);
    std::vector<Bracket> added;
    try {
      if (!confine(rule, likely, added) ||
          keeps_few(regime.rule.guard, rule.guard, maps_.options()) ||
          !find_witnesses(maps_, rule)) {
        rest.push_back({regime.rule.guard, 0});
        continue;
      }
    } catch (const OutOfTime&) {
      pending = rest;
      for (; i < similar.regimes.size(); ++i) pending.push_back({similar.regimes[i].rule.guard, 0});
      throw;
    }
    std::vector<Atom> before = regime.rule.guard;
    for (const Bracket& bracket : added) {
      rest.push_back({before, 0});
      rest.back().guard.push_back(negation(bracket.atom));
      before.push_back(bracket.atom);
    }
    maps_.log(fmt::format("  => {} ({} classes, {} shapes, {:.1f} s)", print(rule.guard),
                          rule.classes, maps_.shapes(), maps_.seconds()));
    rule.is_borrowed = false;
    found.push_back({std::move(rule), added});
    if (likely.empty()) likely = added;
  }
  join_sides(rest);
  return rest;
}

}  // namespace reprosum::reveal::region
