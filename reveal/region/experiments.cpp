// Which sizes of the other side show the types of one size, at what cost.
#include <algorithm>
#include <numeric>

#include "reveal/region/observations.h"

namespace reprosum::reveal::region {
namespace {

constexpr int deepest = 3;
constexpr std::int64_t longest = 4096;
constexpr double dear_work = 2e6;
// Most tiles divide it: sizes that differ by it have the same edges even where no period is known.
constexpr std::int64_t common_period = 24;
constexpr std::int64_t shortest = 12;

}  // namespace

// Steps of the period keep the residue, and so most types: upwards into a guard with a lower bound,
// downwards below an upper bound or what the purse allows.
std::int64_t Observations::nearest(Side side, std::int64_t size, std::int64_t across) const {
  const std::int64_t own = period[other(side)];
  for (const std::int64_t step : {std::lcm(own, common_period), own}) {
    for (std::int64_t o = across; o <= longest; o += step) {
      if (inside(side, size, o)) return o;
    }
    for (std::int64_t o = across - step; o >= 1; o -= step) {
      if (inside(side, size, o)) return o;
    }
  }
  return 0;
}

bool Observations::reachable(Side side, std::int64_t size) const {
  if (words_[side].count(size) > 0) return true;
  for (const auto& [across, types] : words_[other(side)]) {
    if (inside(side, size, across)) return true;
  }
  for (const std::int64_t across : anchors[other(side)]) {
    if (nearest(side, size, across) != 0) return true;
  }
  return false;
}

// Anchors that lie inside; then known sizes, then larger sizes of the same residue, until every
// type of the other side is met.
std::vector<std::int64_t> Observations::experiments(Side side, std::int64_t size, int depth) {
  const Side across = other(side);
  std::vector<std::int64_t> chosen;
  std::set<std::int32_t> missing;
  for (std::int32_t type = 0; type < types_[across]; ++type) missing.insert(type);
  const auto take = [&](std::int64_t o) {
    chosen.push_back(o);
    for (const std::int32_t type : words_[across].at(o)) missing.erase(type);
  };
  for (const std::int64_t anchor : anchors[across]) {
    if (words_[across].count(anchor) == 0 || !inside(side, size, anchor)) continue;
    const std::int64_t o = cheaper(side, size, anchor, depth);
    if (std::count(chosen.begin(), chosen.end(), o) == 0) take(o);
  }
  if (missing.empty()) return chosen;
  for (const auto& [o, types] : words_[across]) {
    if (missing.empty() || chosen.size() > 8) break;
    const bool helps = std::any_of(types.begin(), types.end(),
                                   [&](std::int32_t t) { return missing.count(t) > 0; });
    if (helps && inside(side, size, o)) take(o);
  }
  if (missing.empty() || depth >= deepest) return chosen;
  for (const std::int64_t o : anchors[across]) {
    if (missing.empty()) break;
    const std::int64_t near = nearest(side, size, o);
    if (near == 0 || std::count(chosen.begin(), chosen.end(), near) > 0) continue;
    try {
      types_at(across, near, depth + 1);
    } catch (const NoRule&) {
      continue;  // no experiment of its own is left at this depth
    }
    take(near);
  }
  return chosen;
}

// Instead of an anchor that would cost much: a smaller size that shows the same edges.
std::int64_t Observations::cheaper(Side side, std::int64_t size, std::int64_t anchor, int depth) {
  const std::int64_t step = std::lcm(period[other(side)], common_period);
  const double line = static_cast<double>(size) * static_cast<double>(k_);
  std::int64_t best = anchor;
  for (std::int64_t o = anchor - step; o > shortest; o -= step) {
    if (line * static_cast<double>(best) < dear_work || !inside(side, size, o)) break;
    if (!shows_as_much(other(side), o, anchor, depth)) break;
    best = o;
  }
  return best;
}

bool Observations::shows_as_much(Side side, std::int64_t size, std::int64_t than, int depth) {
  if (words_[side].count(size) == 0) {
    if (depth >= deepest) return false;
    try {
      types_at(side, size, depth + 1);
    } catch (const NoRule&) {
      return false;
    }
  }
  const auto& shown = words_[side].at(size);
  const auto& wanted = words_[side].at(than);
  const std::set<std::int32_t> types(shown.begin(), shown.end());
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](std::int32_t type) { return types.count(type) > 0; });
}

}  // namespace reprosum::reveal::region
