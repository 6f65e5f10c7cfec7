#include "src/cli/pairing.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace reprosum::cli {
namespace {

using RoutineType = std::pair<spec::Routine, spec::Type>;
// Everything that selects an entry but the addresses.
using Place = std::tuple<RoutineType, spec::Increments, int>;

constexpr int kLine = 64;  // addresses matter modulo this
// Entry by (x, y) address modulo kLine; -1 where none.
using Owners = std::vector<int>;

// Parts of all increments of a routine that no guard of either spec divides.
using Parts = std::map<RoutineType, std::vector<spec::Increments>>;

Parts parts_of(const spec::Spec& a, const spec::Spec& b) {
  Parts parts;
  for (const spec::Spec* spec : {&a, &b})
    for (const spec::Entry& entry : spec->entries) {
      auto& all = parts[{entry.routine, entry.type}];
      all.insert(all.end(), entry.guard.increments.begin(), entry.guard.increments.end());
    }
  for (auto& [routine, all] : parts) all = spec::refined(all);
  return parts;
}

// only_threads: 0 for all thread counts, else the one to look at, which is kept as 0.
void collect(const spec::Spec& spec, int only_threads, const Parts& parts,
             std::map<Place, std::array<Owners, 2>>& places, int side) {
  for (std::size_t e = 0; e < spec.entries.size(); ++e) {
    const spec::Entry& entry = spec.entries[e];
    const spec::Guard& guard = entry.guard;
    const bool is_any = guard.addresses.is_any();
    std::vector<char> residues(static_cast<std::size_t>(kLine * kLine), is_any);
    for (int x = 0; x < kLine && !is_any; ++x)
      for (int y = 0; y < kLine; ++y)
        residues[static_cast<std::size_t>(x * kLine + y)] = guard.addresses.admits({x, y});
    for (const spec::Increments& increments : parts.at({entry.routine, entry.type}))
      for (const int threads : guard.threads) {
        if (only_threads > 0 && threads != only_threads) continue;
        if (!spec::admits(guard.increments, increments.x.least, increments.y.least)) continue;
        auto& sides =
            places[{{entry.routine, entry.type}, increments, only_threads > 0 ? 0 : threads}];
        for (Owners& owners : sides)
          if (owners.empty()) owners.assign(residues.size(), -1);
        Owners& owners = sides[static_cast<std::size_t>(side)];
        for (std::size_t i = 0; i < residues.size(); ++i)
          if (residues[i] && owners[i] < 0) owners[i] = static_cast<int>(e);
      }
  }
}

std::string text_of(const RoutineType& routine, const spec::Increments& increments, int threads,
                    const ThreadPair& pair) {
  const std::string inc = spec::text_of(increments, routine.first != spec::Routine::sum);
  return pair ? fmt::format("inc {} threads {}:{}", inc, pair->first, pair->second)
              : fmt::format("inc {} threads {}", inc, threads);
}

}  // namespace

std::vector<Pairing> pair_entries(const spec::Spec& a, const spec::Spec& b,
                                  const ThreadPair& threads) {
  std::map<Place, std::array<Owners, 2>> places;
  const Parts parts = parts_of(a, b);
  collect(a, threads ? threads->first : 0, parts, places, 0);
  collect(b, threads ? threads->second : 0, parts, places, 1);
  // By thread count and what is said of addresses: which increments.
  using Contexts = std::map<std::pair<int, std::string>, std::vector<spec::Increments>>;
  std::map<std::tuple<RoutineType, int, int>, Contexts> groups;
  for (const auto& [place, sides] : places) {
    // The pairs met at this place, each with the first address at which it is met.
    std::map<std::pair<int, int>, std::size_t> met;
    for (std::size_t i = 0; i < sides[0].size(); ++i)
      if (sides[0][i] >= 0 || sides[1][i] >= 0) met.try_emplace({sides[0][i], sides[1][i]}, i);
    for (const auto& [pair, first] : met) {
      const auto& [routine, increments, count] = place;
      std::string where;
      if (met.size() > 1)
        where =
            fmt::format(" at addresses such as {}:{} mod {}", first / kLine, first % kLine, kLine);
      groups[{routine, pair.first, pair.second}][{count, where}].push_back(increments);
    }
  }
  std::vector<Pairing> out;
  for (const auto& [key, contexts] : groups) {
    const auto& [routine, in_a, in_b] = key;
    std::vector<std::tuple<spec::Increments, int, std::string>> ordered;
    for (const auto& [place, increments] : contexts)
      for (const spec::Increments& one : spec::merged(increments))
        ordered.emplace_back(one, place.first, place.second);
    std::sort(ordered.begin(), ordered.end());
    std::vector<std::string> texts;
    for (const auto& [increments, count, where] : ordered)
      texts.push_back(text_of(routine, increments, count, threads) + where);
    out.push_back({routine.first, routine.second, in_a, in_b, std::move(texts)});
  }
  return out;
}

}  // namespace reprosum::cli
