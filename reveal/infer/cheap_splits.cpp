// Contiguous splits found by binary search: about log2 n calls per size and no reveal.
#include <algorithm>
#include <utility>

#include "reveal/infer/cuts.h"
#include "reveal/infer/engine.h"
#include "spec/expand.h"

namespace reprosum::reveal::generalize {
namespace {

constexpr std::int64_t kWholeTree = 700;     // trees up to this size are revealed to learn formats
constexpr std::int64_t kMaxExceptions = 70;  // sizes that a split rule cannot cut, listed instead

void set_children(spec::Rule& rule, const spec::Child& left, const spec::Child& right,
                  spec::NodeFormat format) {
  if (auto* split = std::get_if<spec::Split>(&rule)) {
    split->left = left;
    split->right = right;
    split->format = format;
  } else if (auto* parts = std::get_if<spec::Parts>(&rule)) {
    parts->child = left;
    parts->format = format;
  }
}

}  // namespace

// Where the node [0, m) of T(n) splits, or nullopt if that is no node or its children are not
// contiguous.
std::optional<std::int64_t> Engine::split_at(std::int64_t n, std::int64_t m) {
  Session& session = source_.session();
  return cut_of({[&](std::int64_t i, std::int64_t j) { return source_.pair(n, i, j); },
                 [&](std::int64_t lo, std::int64_t hi) { return session.random(lo, hi); }},
                m);
}

// Lengths of the last pieces of [0, h), which may be blocks of a fold.
std::vector<std::int64_t> Engine::spine(std::int64_t n, std::int64_t h) {
  std::vector<std::int64_t> lengths;
  while (lengths.size() < 24) {
    const auto cut = split_at(n, h);
    if (!cut || h - *cut < 2) break;
    lengths.push_back(h - *cut);
    h = *cut;
  }
  lengths.push_back(h);
  return lengths;
}

std::vector<spec::Rule> Engine::split_rules(std::int64_t base) {
  Session& session = source_.session();
  std::set<std::int64_t> sizes{base, base + 1, base + 2, base + 7};
  for (int k = 0; k < 5; ++k) sizes.insert(session.random(base, std::min(2 * base, longest_)));
  for (int k = 0; k < 4; ++k) sizes.insert(session.random(base, std::min(4 * base, longest_)));
  for (const std::int64_t n : must_fit_)
    if (n >= base) sizes.insert(n);
  points_.clear();
  for (const std::int64_t n : sizes) {
    if (n > longest_ || !source_.has(n)) continue;
    const auto h = split_at(n, n);
    if (!h) {
      points_.clear();
      return {};
    }
    points_.push_back({n, *h});
  }
  const auto count = [&](auto&& test) {
    return 2 * static_cast<std::size_t>(std::count_if(points_.begin(), points_.end(), test));
  };
  // One leaf at a time is a loop's business.
  if (points_.size() < 4 || count([](const auto& p) { return p.n - p.h > 1; }) < points_.size() ||
      count([](const auto& p) { return p.h > 1; }) < points_.size())
    return {};
  std::vector<std::int64_t> lengths;
  for (std::size_t k = points_.size() - 3; k < points_.size(); ++k)
    for (const std::int64_t length : spine(points_[k].n, points_[k].h)) lengths.push_back(length);
  return split_candidates(points_, lengths);
}

// One summand is added to all the others at every point: the first or the last one.
std::optional<spec::Rule> Engine::lone_summand() const {
  const auto all = [&](auto&& test) {
    return points_.size() >= 4 && std::all_of(points_.begin(), points_.end(), test);
  };
  spec::Split split;
  if (all([](const SplitPoint& point) { return point.h == 1; }))
    split.kind = spec::Split::Kind::first;
  else if (all([](const SplitPoint& point) { return point.n - point.h == 1; }))
    split.kind = spec::Split::Kind::last_const;
  else
    return std::nullopt;
  return split;
}

std::optional<Hypothesis> Engine::with_children(spec::Rule rule, const spec::Child& left,
                                                const spec::Child& right, std::int64_t base,
                                                spec::NodeFormat format) {
  set_children(rule, left, right, format);
  std::int64_t last = current_ - 1;  // the last size near the start that the rule cannot cut
  for (std::int64_t n = current_; n < std::min(current_ + 4 * kMaxExceptions, base); ++n)
    if (pieces_of(rule, n).empty()) last = n;
  Hypothesis hypothesis = open_ended(std::move(rule), base);
  if (last < current_) return hypothesis;
  if (last - current_ >= kMaxExceptions || last > 4096) return std::nullopt;
  const spec::Regime open = hypothesis.regime();
  hypothesis.order.regimes.pop_back();
  if (!append_explicit(hypothesis.order, current_, last)) return std::nullopt;
  hypothesis.order.regimes.push_back({last + 1, open.hi, open.rule});
  return hypothesis;
}

bool Engine::fits_points(const Hypothesis& hypothesis) {
  const Trial trial(source_, hypothesis.order, longest_);
  for (const SplitPoint& point : points_)
    if (point.n >= hypothesis.regime().lo && !trial.holds(point.n, 12)) return false;
  // Random masks see neither formats nor leaf kinds. A sum of two narrow values is the same in
  // either format, so the format of the additions needs a tree of three pieces or more.
  for (const SplitPoint& point : points_)
    if (point.n > 2 * current_ && point.n <= kWholeTree) {
      if (!trial.holds_exactly(point.n)) return false;
      break;
    }
  for (const std::size_t k : {std::size_t{0}, points_.size() / 2}) {
    const SplitPoint& point = points_[k];
    const auto tree = predict(hypothesis.order, point.n);
    if (!tree || !source_.window_agrees(point.n, *tree, point.h - 4, point.h + 4)) return false;
  }
  return true;
}

// The rule with pieces that follow an order known from elsewhere: threads cut what one of them
// would do alone.
std::optional<Hypothesis> Engine::with_known(const spec::Rule& rule, const spec::Order& known,
                                             std::int64_t base) {
  const spec::Child child{spec::Child::Kind::sub, static_cast<std::int32_t>(order_.subs.size())};
  for (const spec::NodeFormat format : {spec::NodeFormat::narrow, spec::NodeFormat::wide}) {
    auto hypothesis = with_children(rule, child, child, base, format);
    if (!hypothesis) continue;
    hypothesis->order.subs.push_back(known);
    if (fits_points(*hypothesis)) return hypothesis;
  }
  return std::nullopt;
}

std::vector<Hypothesis> Engine::cheap_splits(std::int64_t base) {
  rules_ = split_rules(base);
  std::vector<spec::Child> children{{}};
  for (std::size_t k = 0; k < order_.regimes.size(); ++k)
    if (!std::holds_alternative<spec::Explicit>(order_.regimes[k].rule))
      children.push_back({spec::Child::Kind::regime, static_cast<std::int32_t>(k)});
  std::vector<Hypothesis> found;
  for (const spec::Rule& rule : rules_) {
    const bool parts = std::holds_alternative<spec::Parts>(rule);
    for (const spec::Child& left : children)
      for (const spec::Child& right : children) {
        if (left != right && (parts || left.kind != spec::Child::Kind::self)) continue;
        for (const spec::NodeFormat format : {spec::NodeFormat::narrow, spec::NodeFormat::wide}) {
          auto hypothesis = with_children(rule, left, right, base, format);
          if (!hypothesis || !fits_points(*hypothesis)) continue;
          found.push_back(std::move(*hypothesis));
          break;
        }
      }
    for (const spec::Order& known : source_.session().options().known)
      if (auto hypothesis = with_known(rule, known, base)) found.push_back(std::move(*hypothesis));
    if (found.size() > 12) break;
  }
  return found;
}

}  // namespace reprosum::reveal::generalize
