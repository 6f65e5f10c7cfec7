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
using Place = std::tuple<RoutineType, std::pair<std::int64_t, std::int64_t>, int>;

constexpr int kLine = 64;  // addresses matter modulo this
// Entry by (x, y) address modulo kLine; -1 where none.
using Owners = std::vector<int>;

// only_threads: 0 for all thread counts, else the one to look at, which is kept as 0.
void collect(const spec::Spec& spec, int only_threads,
             std::map<Place, std::array<Owners, 2>>& places, int side) {
  for (std::size_t e = 0; e < spec.entries.size(); ++e) {
    const spec::Entry& entry = spec.entries[e];
    const spec::Guard& guard = entry.guard;
    std::vector<char> residues(static_cast<std::size_t>(kLine * kLine), guard.modulus <= 1);
    if (guard.modulus > 1)
      for (int x = 0; x < kLine; ++x)
        for (int y = 0; y < kLine; ++y) {
          const std::pair<int, int> residue{x % guard.modulus, y % guard.modulus};
          residues[static_cast<std::size_t>(x * kLine + y)] =
              std::binary_search(guard.residues.begin(), guard.residues.end(), residue);
        }
    for (const auto& increments : guard.increments)
      for (const int threads : guard.threads) {
        if (only_threads > 0 && threads != only_threads) continue;
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

std::string place_text(const Place& place, const ThreadPair& pair) {
  const auto& [routine, increments, threads] = place;
  const std::string inc = routine.first == spec::Routine::sum
                              ? fmt::format("{}", increments.first)
                              : fmt::format("{}:{}", increments.first, increments.second);
  return pair ? fmt::format("inc {} threads {}:{}", inc, pair->first, pair->second)
              : fmt::format("inc {} threads {}", inc, threads);
}

}  // namespace

std::vector<Pairing> pair_entries(const spec::Spec& a, const spec::Spec& b,
                                  const ThreadPair& threads) {
  std::map<Place, std::array<Owners, 2>> places;
  collect(a, threads ? threads->first : 0, places, 0);
  collect(b, threads ? threads->second : 0, places, 1);
  std::map<std::tuple<RoutineType, int, int>, std::vector<std::string>> groups;
  for (const auto& [place, sides] : places) {
    // The pairs met at this place, each with the first address at which it is met.
    std::map<std::pair<int, int>, std::size_t> met;
    for (std::size_t i = 0; i < sides[0].size(); ++i)
      if (sides[0][i] >= 0 || sides[1][i] >= 0) met.try_emplace({sides[0][i], sides[1][i]}, i);
    for (const auto& [pair, first] : met) {
      std::string text = place_text(place, threads);
      if (met.size() > 1)
        text +=
            fmt::format(" at addresses such as {}:{} mod {}", first / kLine, first % kLine, kLine);
      groups[{std::get<0>(place), pair.first, pair.second}].push_back(text);
    }
  }
  std::vector<Pairing> out;
  for (auto& [key, contexts] : groups) {
    const auto& [routine, in_a, in_b] = key;
    out.push_back({routine.first, routine.second, in_a, in_b, std::move(contexts)});
  }
  return out;
}

}  // namespace reprosum::cli
