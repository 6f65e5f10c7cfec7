// Rule by rule through a box until all of its shapes have one.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reveal/region/atoms.h"
#include "reveal/region/box.h"
#include "reveal/region/rule.h"

namespace reprosum::reveal::region {
namespace {

using spec::Atom;
using spec::Shape3;

constexpr std::size_t most_rules = 16, most_tables = 48;
// A table of many shapes that is right at few k is no rule.
constexpr std::size_t few_shapes = 16;  // of one k
constexpr double least_ks = 2.5;
// What rules leave out is listed in tables, right at one k alone perhaps, if it is at most that
// part of the box. Every shape was looked at, so they are right.
constexpr double most_left = 0.1;
constexpr std::size_t tried_ks = 8;
constexpr int most_turns = 3;

struct Candidate {
  BoxRule rule;
  std::size_t right = 0;  // shapes that its guard admits: it is right in all of them
};

std::vector<std::size_t> inside(const WholeBox& box, const std::vector<Atom>& guard,
                                const std::vector<std::size_t>& shapes) {
  std::vector<std::size_t> kept;
  std::copy_if(shapes.begin(), shapes.end(), std::back_inserter(kept),
               [&](std::size_t at) { return holds(guard, box.shape(at)); });
  return kept;
}

std::vector<Shape3> shapes_of(const WholeBox& box, const std::vector<std::size_t>& some) {
  std::vector<Shape3> shapes;
  for (const std::size_t at : some) shapes.push_back(box.shape(at));
  return shapes;
}

std::vector<std::size_t> of_k(const WholeBox& box, std::int64_t k,
                              const std::vector<std::size_t>& shapes) {
  std::vector<std::size_t> kept;
  std::copy_if(shapes.begin(), shapes.end(), std::back_inserter(kept),
               [&](std::size_t at) { return box.shape(at).k == k; });
  return kept;
}

// The rule that lists the shapes of one k, under the conditions that it needs at others. Shapes
// beyond them need no types: it is listed again without.
std::optional<Candidate> candidate_at(const WholeBox& box, std::int64_t k,
                                      const std::vector<std::size_t>& left) {
  Candidate found;
  std::vector<std::size_t> shapes = left;
  for (int turn = 0; turn < most_turns; ++turn) {
    auto rule = list_shapes(box, of_k(box, k, shapes));
    if (!rule) return std::nullopt;
    const std::vector<bool> verdict = test_shapes(box, *rule, shapes);
    std::vector<std::size_t> right, wrong;
    for (std::size_t i = 0; i < shapes.size(); ++i)
      (verdict[i] ? right : wrong).push_back(shapes[i]);
    if (wrong.empty() && turn > 0) {
      rule->guard = found.rule.guard;
      found.rule = *std::move(rule);
      found.right = right.size();
      return found;
    }
    const auto atoms = separate(shapes_of(box, right), shapes_of(box, wrong));
    if (!atoms) return std::nullopt;
    found.rule.guard.insert(found.rule.guard.end(), atoms->begin(), atoms->end());
    shapes = inside(box, *atoms, shapes);
  }
  return std::nullopt;
}

std::vector<std::int64_t> some_ks(std::int64_t most) {
  std::vector<std::int64_t> ks{most, most * 3 / 4, most / 2, most / 4, most / 8, most / 16};
  std::erase_if(ks, [](std::int64_t k) { return k < 1; });
  return ks;
}

// Some k that the shapes have. @pre the shapes are in the order of their k
std::vector<std::int64_t> own_ks(const WholeBox& box, const std::vector<std::size_t>& shapes) {
  std::vector<std::int64_t> all, ks;
  for (const std::size_t at : shapes)
    if (all.empty() || all.back() != box.shape(at).k) all.push_back(box.shape(at).k);
  const std::size_t count = std::min(all.size(), tried_ks);
  for (std::size_t i = count; i > 0; --i) ks.push_back(all[all.size() * i / count - 1]);
  return ks;
}

bool is_rule(const WholeBox& box, const Candidate& candidate,
             const std::vector<std::size_t>& left) {
  const auto kept = inside(box, candidate.rule.guard, left);
  const std::size_t at_reference = of_k(box, candidate.rule.k_ref, kept).size();
  return kept.size() >= few_shapes &&
         (at_reference <= few_shapes ||
          static_cast<double>(kept.size()) >= least_ks * static_cast<double>(at_reference));
}

// The one that is right in most shapes.
std::optional<Candidate> best_rule(const WholeBox& box, const std::vector<std::size_t>& left) {
  std::optional<Candidate> best;
  for (const std::int64_t k : some_ks(box.shape(left.back()).k)) {
    auto found = candidate_at(box, k, left);
    if (!found || (best && found->right <= best->right)) continue;
    if (is_rule(box, *found, left)) best = std::move(found);
    if (best && 10 * best->right >= 9 * left.size()) break;
  }
  return best;
}
std::optional<Candidate> best_table(const WholeBox& box, const std::vector<std::size_t>& left) {
  std::optional<Candidate> best;
  for (const std::int64_t k : own_ks(box, left)) {
    auto found = candidate_at(box, k, left);
    if (found && (!best || found->right > best->right)) best = std::move(found);
  }
  return best;
}

spec::Axis axis_of(const std::vector<std::vector<std::int32_t>>& words) {
  spec::Axis axis;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto size = static_cast<std::int64_t>(at + 1);
    if (words[at].empty()) continue;
    if (axis.empty() || axis.back().to + 1 < size)
      axis.push_back({size, size - 1, size, 1, {}, {}});
    axis.back().to = size;
    axis.back().base = size + 1;
    axis.back().words.push_back(compress(run_lengths(words[at])));
  }
  return axis;
}

}  // namespace

std::vector<BoxRule> rules_of_box(const WholeBox& box,
                                  const std::function<void(const std::string&)>& log) {
  std::vector<std::size_t> left(box.count());
  for (std::size_t at = 0; at < left.size(); ++at) left[at] = at;
  std::vector<BoxRule> rules;
  std::vector<Atom> beyond;  // what a rule with one condition leaves to the rules after it
  std::size_t tables = 0;
  bool has_rules = true;
  while (!left.empty() && tables < most_tables) {
    std::optional<Candidate> best;
    has_rules = has_rules && rules.size() < most_rules;
    if (has_rules) best = best_rule(box, left);
    has_rules = best.has_value();
    if (!has_rules) {
      if (static_cast<double>(left.size()) > most_left * static_cast<double>(box.count())) break;
      best = best_table(box, left);
      ++tables;
    }
    if (!best) break;
    const auto kept = inside(box, best->rule.guard, left);
    if (log)
      log(fmt::format("  box: {}: {} x {} types, {} classes, {} of {} shapes at k = {}",
                      print(best->rule.guard), best->rule.table.size(),
                      best->rule.table.front().size(), best->rule.witnesses.size(), kept.size(),
                      left.size(), best->rule.k_ref));
    std::erase_if(left, [&](std::size_t at) { return holds(best->rule.guard, box.shape(at)); });
    const std::optional<Atom> only =
        best->rule.guard.size() == 1 ? std::optional(best->rule.guard.front()) : std::nullopt;
    best->rule.guard.insert(best->rule.guard.end(), beyond.begin(), beyond.end());
    if (only) beyond.push_back(negation(*only));
    rules.push_back(std::move(best->rule));
  }
  return rules;
}

LearnedRegime regime_of(const BoxRule& rule, const Shape3& sizes) {
  LearnedRegime regime;
  regime.rule.guard = rule.guard;
  std::sort(regime.rule.guard.begin(), regime.rule.guard.end());
  regime.rule.rows = axis_of(rule.rows);
  regime.rule.columns = axis_of(rule.columns);
  regime.rule.table = rule.table;
  regime.rule.classes.resize(rule.witnesses.size());
  for (std::size_t c = 0; c < rule.witnesses.size(); ++c) regime.rule.classes[c].order = c;
  regime.rule.k_max = sizes.k;
  regime.k_ref = rule.k_ref;
  regime.witnesses = rule.witnesses;
  return regime;
}

}  // namespace reprosum::reveal::region
