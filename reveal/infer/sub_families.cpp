// Orders of pieces that follow no known rule, and loops behind large thresholds.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "reveal/infer/engine.h"
#include "reveal/infer/tree_tools.h"

namespace reprosum::reveal::generalize {
namespace {

constexpr int kMaxDepth = 2;
constexpr std::int64_t kPrefix = 2500;  // leaves of one long vector that are looked at
constexpr std::int64_t kPieceLimit = 60'000;

spec::Item leaf_run(spec::Leaf leaf, spec::Linear at, spec::Linear times) {
  spec::Item item;
  item.shape.leaf = leaf;
  item.at = at;
  item.step = {0, 0, 1};
  item.times = times;
  return item;
}

// The loop with remaining summands added one by one to the result, or as a chain of their own.
spec::Loop with_tail(spec::Loop loop, spec::Leaf leaf, bool apart, spec::NodeFormat format) {
  spec::Schema& schema = loop.cases[0].schema;
  loop.cases = {{0, loop.block - 1, schema}};
  loop.pad = false;
  spec::Schema& whole = loop.cases[0].schema;
  const spec::Linear at{loop.block, 0, 0}, times{0, 1, 0};
  if (apart) {
    spec::Item main, tail;
    main.shape.chain = static_cast<std::int32_t>(whole.chains.size()) - 1;
    whole.chains.push_back({format, {leaf_run(leaf, {}, times)}});
    tail.shape.chain = static_cast<std::int32_t>(whole.chains.size()) - 1;
    tail.at = at;
    whole.chains.push_back({format, {main, tail}});
  } else {
    whole.chains.back().items.push_back(leaf_run(leaf, at, times));
  }
  return loop;
}

}  // namespace

// Beyond a large threshold a whole reveal is too dear. The first leaves of one vector follow the
// loop too, with a padded tail; the real tail is one of the usual kinds.
std::vector<Hypothesis> Engine::from_prefix() {
  const std::int64_t n = std::min(longest_, current_ + 1000);
  const auto whole = source_.where(n);
  if (!whole) return {};
  Source prefixes(source_.session(), [&](std::int64_t l) -> std::optional<Place> {
    if (l < 1 || l > std::min(kPrefix, n)) return std::nullopt;
    return Place{whole->n, whole->lo, whole->lo + l};
  });
  source_.session().log("prefixes of n = " + std::to_string(n));
  const Found found = Engine(prefixes, 1, std::min(kPrefix, n), depth_ + 1).run();
  if (found.order.regimes.empty()) return {};
  const auto* loop = std::get_if<spec::Loop>(&found.order.regimes.back().rule);
  if (loop == nullptr) return {};
  std::vector<spec::Loop> loops{*loop};
  if (loop->cases[0].r_lo == 0 && loop->block > 1)
    for (const auto leaf : {spec::Leaf::rounded, spec::Leaf::fused})
      for (const auto format : {spec::NodeFormat::narrow, spec::NodeFormat::wide})
        for (const bool apart : {false, true}) {
          if (!apart && format == spec::NodeFormat::wide) continue;
          loops.push_back(with_tail(*loop, leaf, apart, format));
        }
  std::vector<Hypothesis> hypotheses;
  for (spec::Loop& one : loops) {
    Hypothesis hypothesis = open_ended(std::move(one), current_ + 3);
    const Trial trial(source_, hypothesis.order, longest_);
    bool fits = true;
    for (std::int64_t d = 0; fits && d < 5; ++d) {
      const std::int64_t size = hypothesis.base + d * 7;
      const auto tree = size > longest_ ? std::nullopt : predict(hypothesis.order, size);
      fits = size > longest_ ||
             (tree && trial.holds(size, 8) && source_.window_agrees(size, *tree, size - 40, size));
    }
    if (fits) hypotheses.push_back(std::move(hypothesis));
  }
  return hypotheses;
}

// The rule with pieces that follow an order of their own: length l is looked at inside some n from
// `from` on that has such a piece.
std::optional<Hypothesis> Engine::with_pieces(const spec::Rule& rule, std::int64_t base,
                                              std::int64_t from) {
  std::map<std::int64_t, std::optional<Place>> places;
  const auto find = [&](std::int64_t l) -> std::optional<Place> {
    for (const std::int64_t times : {1, 2, 3, 4, 8})
      for (std::int64_t n = std::max(from, times * l - 70); n <= times * l + 70; ++n) {
        const auto whole = n <= longest_ ? source_.where(n) : std::nullopt;
        if (!whole) continue;
        std::int64_t at = whole->lo;
        for (const std::int64_t length : pieces_of(rule, n)) {
          if (length == l) return Place{whole->n, at, at + l};
          at += length;
        }
      }
    return std::nullopt;
  };
  Source pieces(source_.session(), [&](std::int64_t l) {
    const auto [it, is_new] = places.try_emplace(l);
    if (is_new && l >= 1) it->second = find(l);
    return it->second;
  });
  // The longest piece: the longer one of two; with more than two, at most half of the sum.
  const auto longest_piece = pieces_of(rule, longest_);
  const bool is_whole = std::any_of(longest_piece.begin(), longest_piece.end(),
                                    [&](std::int64_t l) { return l == longest_ - 1; });
  std::int64_t first = 1, top = is_whole ? longest_ - 1 : std::min(longest_ / 2, kPieceLimit);
  while (first < base && !pieces.has(first)) ++first;
  if (first >= base) return std::nullopt;
  while (top > first && !pieces.has(top)) --top;
  source_.session().log("pieces of " + std::to_string(first) + ".." + std::to_string(top));
  const Found found = Engine(pieces, first, top, depth_ + 1).run();
  if (found.reached < top) return std::nullopt;
  spec::Child child{spec::Child::Kind::sub, static_cast<std::int32_t>(order_.subs.size())};
  for (const spec::NodeFormat format : {spec::NodeFormat::narrow, spec::NodeFormat::wide}) {
    auto hypothesis = with_children(rule, child, child, base, format);
    if (!hypothesis) continue;
    hypothesis->order.subs.push_back(found.order);
    hypothesis->order.subs.back().regimes.back().hi = spec::kMaxLeaves;
    if (fits_points(*hypothesis)) return hypothesis;
  }
  return std::nullopt;
}

// The pieces of a split as a family of their own.
std::vector<Hypothesis> Engine::new_pieces(std::int64_t base) {
  if (depth_ >= kMaxDepth) return {};
  std::vector<spec::Rule> rules = rules_;
  if (rules.size() > 4) rules.resize(4);
  for (const spec::Rule& rule : rules)
    if (auto hypothesis = with_pieces(rule, base, base)) return {*std::move(hypothesis)};
  return {};
}

// Whether the first, or the last, of n summands is added to all the others.
bool Engine::stands_alone(std::int64_t n, bool first) {
  const std::int64_t lone = first ? 0 : n - 1;
  std::vector<std::int64_t> others{first ? n - 1 : 0, first ? 1 : n - 2, n / 2};
  std::erase(others, lone);
  if (n < current_) {
    const auto tree = predict(order_, n);
    if (!tree) return false;
    const std::vector<std::int64_t> sizes = common_sizes(*tree, lone, others);
    return std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t size) { return size == n; });
  }
  return std::all_of(others.begin(), others.end(),
                     [&](std::int64_t other) { return source_.pair(n, lone, other) == n; });
}

// One summand, and an order of all the others: NumPy's reduceat adds x[0] and the pairwise sum of
// what comes after it. The pieces have every length from the least size on that begins so.
std::vector<Hypothesis> Engine::beside_one(std::int64_t base) {
  const auto rule = lone_summand();
  if (!rule || depth_ >= kMaxDepth) return {};
  const bool first = std::get<spec::Split>(*rule).kind == spec::Split::Kind::first;
  std::int64_t from = base;
  while (from > 2 && source_.has(from - 1) && stands_alone(from - 1, first)) --from;
  if (auto hypothesis = with_pieces(*rule, base, from)) return {*std::move(hypothesis)};
  return {};
}

}  // namespace reprosum::reveal::generalize
