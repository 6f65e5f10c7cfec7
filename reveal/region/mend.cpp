// Repair, lengthen or reuse a rule.
#include <algorithm>
#include <utility>

#include "reveal/region/certify.h"
#include "reveal/region/listing.h"
#include "reveal/region/look.h"
#include "reveal/region/regime_search.h"
#include "reveal/region/small_sizes.h"

namespace reprosum::reveal::region {
namespace {

constexpr int salvage_rounds = 6;
constexpr std::size_t salvage_least = 40;
constexpr int few_looks = 3, many_looks = 8;  // at shapes of one k beyond the end of an axis
constexpr std::int64_t enough_to_follow = 12;

}  // namespace

using spec::Shape3;

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
  std::string why;
  std::optional<Rule> rule;
  if (old.is_listed) {
    // All its shapes were looked at: only a larger k can tell more apart.
    const auto highest =
        std::max_element(wrong.begin(), wrong.end(), [](auto& a, auto& b) { return a.k < b.k; });
    if (highest->k <= old.k_ref) return false;
    rule = list_sizes(maps_, old.guard, highest->k, why);
  } else {
    rule = learn_axes(maps_, old.guard, old.k_ref, anchors, extra, why);
  }
  if (!rule) return false;
  rule->home_low = old.home_low;
  rule->home_high = old.home_high;
  extend(*rule);
  extend_down(maps_, *rule);
  rule->beyond = false;
  if (!find_witnesses(maps_, *rule)) return false;
  regime.rule = std::move(*rule);
  return true;
}

// Shapes that one and the same rule covers are often excluded by neighbouring conditions.
bool RegimeSearch::adopt(const std::vector<spec::Atom>& guard, std::vector<Bracket>& added) {
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!found[i].covers_nothing && adopt(found[i].rule, guard, added)) return true;
  std::vector<const spec::MatrixRegime*> tried;
  for (const LearnedRegions* regions : maps_.options().others) {
    for (const LearnedRegime& regime : regions->regimes) {
      if (regime.rule.classes.empty()) continue;
      const bool is_known = std::any_of(tried.begin(), tried.end(), [&](const auto* one) {
        return one->rows == regime.rule.rows && one->columns == regime.rule.columns &&
               one->table == regime.rule.table;
      });
      if (is_known) continue;
      tried.push_back(&regime.rule);
      if (adopt(borrow(regime), guard, added)) return true;
    }
  }
  return false;
}

bool RegimeSearch::adopt(Rule rule, const std::vector<spec::Atom>& guard,
                         std::vector<Bracket>& added) {
  const std::vector<spec::Atom> before = std::exchange(rule.guard, guard);
  std::int64_t unknown = 0;
  if (!stands(rule, &unknown)) return false;
  // Few samples are larger than the last size of the axes. So such sizes are looked at here; if
  // some contradict the rule, it ends before them and they are searched apart.
  for (const Side side : {row_side, column_side}) {
    if (unknown == 0 || follow(rule, side, {301, 151, 75, 37, 19, 9, 5, 3, 2, 1}, few_looks))
      continue;
    const std::int64_t last = rule.axes[side].back().to;
    const spec::Atom cap{
        spec::Atom::Kind::at_most, side == row_side, side == column_side, false, last, 1, 1};
    added.push_back({cap, last, last + 1, 0, 0});
    rule.guard.push_back(cap);
  }
  rule.beyond = false;
  if (!find_witnesses(maps_, rule)) {
    added.clear();
    return false;
  }
  rule.is_borrowed = false;
  maps_.log("  the rule of " + print(before) + " holds here too");
  found.push_back({std::move(rule), added});
  return true;
}

bool RegimeSearch::follow(Rule& rule, Side side, const std::vector<std::int64_t>& ks,
                          int looks_per_k) {
  const Shape3 least = least_sizes(rule.guard);
  const Shape3& largest = maps_.options().largest;
  const std::int64_t top = side == row_side ? largest.m : maps_.is_gemv() ? 1 : largest.n;
  spec::Segment& last = rule.axes[side].back();
  if (last.to >= top || last.schemas.empty()) return true;
  const std::int64_t learned = last.to;
  std::int64_t right = 0, reached = learned;
  rule.beyond = true;
  for (const std::int64_t k : ks) {
    // Beside a diagonal, large sizes go with large ones only.
    const std::int64_t other_top = maps_.is_gemv() ? 1 : side == row_side ? largest.n : largest.m;
    for (int looked = 0, tries = 0; looked < looks_per_k && tries < 200; ++tries) {
      const std::int64_t size = tries % 8 == 0 ? top : maps_.pick_log(learned + 1, top);
      const std::int64_t other_least = side == row_side ? least.n : least.m;
      const std::int64_t across = maps_.pick_log(
          other_least, std::min<std::int64_t>(other_top, tries % 2 == 0 ? other_least + 23 : 2048));
      const Shape3 shape = side == row_side ? Shape3{size, across, k} : Shape3{across, size, k};
      if (k == rule.k_ref || !rule.inside(shape) || !maps_.affordable(shape)) continue;
      ++looked;
      const Verdict verdict = rule.test(maps_, shape);
      if (verdict == Verdict::wrong) return false;
      right += verdict == Verdict::right;
      if (verdict == Verdict::right) reached = std::max(reached, size);
    }
  }
  if (right >= enough_to_follow) last.to = reached;
  return true;
}

// Under an upper bound large sizes are met at small k only, where classes may be merged: there the
// last segment is followed, not learned.
void RegimeSearch::extend(Rule& rule) {
  const Shape3 least = least_sizes(rule.guard);
  std::vector<std::int64_t> ks{29, 23, 19, 15, 12, 9, 7, 5, 3, 2, 1};
  if (least.k > ks.front()) ks = {least.k, least.k + 3};
  for (const Side side : {row_side, column_side}) follow(rule, side, ks, many_looks);
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

}  // namespace reprosum::reveal::region
