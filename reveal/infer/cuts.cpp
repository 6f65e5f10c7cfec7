#include "reveal/infer/cuts.h"

#include <algorithm>
#include <random>
#include <set>
#include <variant>
#include <vector>

#include "reveal/infer.h"
#include "reveal/infer/split_candidates.h"

namespace reprosum::reveal {
namespace generalize {

std::optional<std::int64_t> cut_of(const CutProbes& probes, std::int64_t m) {
  if (m < 2) return std::nullopt;
  const auto size = [&](std::int64_t j) { return probes.pair(0, j); };
  if (size(m - 1) != m) return std::nullopt;
  std::int64_t inside = 0, h = m - 1;  // h shares with 0 only the node itself
  while (h - inside > 1) {
    const std::int64_t middle = inside + (h - inside) / 2;
    (size(middle) == m ? h : inside) = middle;
  }
  if (h > 1 && m - h > 1) {
    for (int k = 0; k < 4; ++k) {
      if (size(probes.random(h, m - 1)) != m) return std::nullopt;
      if (size(probes.random(1, h - 1)) > h) return std::nullopt;
    }
    if (size(h - 1) > h || probes.pair(h, m - 1) > m - h) return std::nullopt;
  }
  return h;
}

}  // namespace generalize

std::vector<spec::Parts> parts_of(Oracle& oracle, std::span<const std::int64_t> sizes,
                                  std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  const auto random = [&](std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(generator);
  };
  std::vector<generalize::SplitPoint> points;
  std::set<std::int64_t> lengths;
  for (const std::int64_t n : sizes) {
    const auto pair = [&](std::int64_t i, std::int64_t j) { return oracle.pair(n, i, j); };
    const auto h = generalize::cut_of({pair, random}, n);
    if (!h || n - *h < 2) return {};
    points.push_back({n, *h});
    lengths.insert(n - *h);
  }
  if (points.empty()) return {};
  std::vector<spec::Parts> found;
  for (const spec::Rule& rule :
       generalize::split_candidates(points, {lengths.begin(), lengths.end()}))
    if (const auto* parts = std::get_if<spec::Parts>(&rule)) found.push_back(*parts);
  return found;
}

}  // namespace reprosum::reveal
