// Orders that cut off what a whole number of groups leaves over, and then do something else with
// the whole groups.
#include <algorithm>
#include <numeric>
#include <utility>

#include "reveal/infer/engine.h"
#include "reveal/infer/trial.h"

namespace reprosum::reveal::generalize {
namespace {

constexpr int kMaxDepth = 2;
constexpr std::int64_t kLargestGroup = 64;

// m of F(n) = left(floor(n/m)*m) + right(n mod m), or 0. Sizes that m divides say nothing about it.
std::int64_t group_of(const std::vector<SplitPoint>& points) {
  std::int64_t m = 0;
  for (const SplitPoint& point : points)
    if (point.n - point.h < kLargestGroup) m = std::gcd(m, point.h);
  for (; m > 1; --m) {
    std::int64_t cut = 0, whole = 0;
    const bool fits = std::all_of(points.begin(), points.end(), [&](const SplitPoint& point) {
      ++(point.n % m == 0 ? whole : cut);
      return point.n % m == 0 || point.h == point.n / m * m;
    });
    if (fits && cut >= 4 && whole >= 1) return m;
    if (m > kLargestGroup) return 0;
  }
  return 0;
}

}  // namespace

// Whether the remaining summands are added as the rule says, at every remainder. A single summand
// that is fused with the addition is not: the result of a piece is a rounded value.
bool Engine::rests_agree(const Hypothesis& hypothesis, std::int64_t base, std::int64_t m) {
  for (std::int64_t r = 1; r < m; ++r) {
    const std::int64_t n = base / m * m + m + r;
    const auto tree = n <= longest_ ? predict(hypothesis.order, n) : std::nullopt;
    if (!tree || !source_.window_agrees(n, *tree, n - r - 2, n)) return false;
  }
  return true;
}

// The whole groups as a family of every length: l is looked at as the first l summands of the next
// multiple of m. It is only ever asked for multiples.
std::vector<Hypothesis> Engine::remainders(std::int64_t base) {
  std::vector<Hypothesis> hypotheses;
  if (depth_ >= kMaxDepth || points_.empty()) return hypotheses;
  const std::int64_t m = group_of(points_);
  if (m < 2) return hypotheses;
  Source wholes(source_.session(), [&](std::int64_t l) -> std::optional<Place> {
    const std::int64_t padded = (l + m - 1) / m * m;
    if (l < 1 || padded > longest_) return std::nullopt;
    const auto place = source_.where(padded);
    if (!place) return std::nullopt;
    return Place{place->n, place->lo, place->lo + l};
  });
  Source rests(source_.session(), [&](std::int64_t l) -> std::optional<Place> {
    if (l < 1 || l >= m) return std::nullopt;
    const auto place = source_.where(base / m * m + m + l);
    if (!place) return std::nullopt;
    return Place{place->n, place->hi - l, place->hi};
  });
  source_.session().log("groups of " + std::to_string(m) + " and what they leave over");
  const std::int64_t top = longest_ / m * m;
  const Found whole = Engine(wholes, 1, top, depth_ + 1).run();
  if (whole.reached < std::min(top, 2 * base)) return hypotheses;
  const Found rest = Engine(rests, 1, m - 1, depth_ + 1).run();
  if (rest.reached < m - 1) return hypotheses;
  spec::Split split;
  split.kind = spec::Split::Kind::remainder;
  split.m = m;
  const auto first = static_cast<std::int32_t>(order_.subs.size());
  for (const spec::NodeFormat format : {spec::NodeFormat::narrow, spec::NodeFormat::wide}) {
    auto hypothesis = with_children(split, {spec::Child::Kind::sub, first},
                                    {spec::Child::Kind::sub, first + 1}, base, format);
    if (!hypothesis) continue;
    hypothesis->order.subs.push_back(whole.order);
    hypothesis->order.subs.push_back(rest.order);
    if (!fits_points(*hypothesis) || !rests_agree(*hypothesis, base, m)) continue;
    hypotheses.push_back(std::move(*hypothesis));
    break;
  }
  return hypotheses;
}

}  // namespace reprosum::reveal::generalize
