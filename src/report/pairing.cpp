#include "src/report/pairing.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "src/report/address_cells.h"
#include "src/report/entries.h"

namespace reprosum::report {
namespace {

using Entries = std::vector<const spec::Entry*>;
using RoutineKey = std::tuple<spec::Routine, spec::Type, spec::Trans, spec::Trans>;
// Thread count, "not the unit increments", increments.
using PlaceKey = std::tuple<int, bool, spec::Increments>;

// What a call of one place may be besides: with a beta of 1, by rows, which operands are tight, and
// a cell of its addresses.
struct Layouts {
  AddressCells addresses;
  bool has_matrices;  // else all else is at its default, which their guards admit

  static constexpr int kTight = 1 << spec::kLeadingPlaces;
  int count() const { return (has_matrices ? 4 * kTight : 1) * addresses.count(); }
  bool is_beta_one(int cell) const { return cell / (2 * kTight * addresses.count()) == 1; }
  bool by_rows(int cell) const { return cell / (kTight * addresses.count()) % 2 == 1; }
  bool tight(int cell, std::size_t operand) const {
    return (cell / addresses.count() >> operand & 1) == 1;
  }
  int address(int cell) const { return cell % addresses.count(); }
  bool admits(const spec::Guard& guard, int cell) const {
    spec::Tightness tightness{};
    for (std::size_t k = 0; k < tightness.size(); ++k) tightness[k] = tight(cell, k);
    if (guard.beta == (is_beta_one(cell) ? spec::Beta::other : spec::Beta::one)) return false;
    return (!by_rows(cell) || guard.row_major) && addresses.admits(guard, address(cell)) &&
           spec::admits(guard.leading, tightness);
  }
};

struct Sides {
  Entries a, b;
};
using Places = std::map<PlaceKey, Sides>;

RoutineKey key_of(const spec::Entry& entry) {
  return {entry.routine, entry.type, entry.guard.trans_a, entry.guard.trans_b};
}

// Parts of all increments of a routine that no guard of either spec divides.
using Parts = std::map<RoutineKey, std::vector<spec::Increments>>;

Parts parts_of(const spec::Spec& a, const spec::Spec& b) {
  Parts parts;
  for (const spec::Spec* spec : {&a, &b})
    for (const spec::Entry& entry : spec->entries) {
      auto& all = parts[key_of(entry)];
      all.insert(all.end(), entry.guard.increments.begin(), entry.guard.increments.end());
    }
  for (auto& [routine, all] : parts) all = spec::refined(all);
  return parts;
}

void collect(const spec::Spec& spec, int only_threads, const Parts& parts, Entries Sides::*side,
             std::map<RoutineKey, Places>& routines) {
  for (const spec::Entry& entry : spec.entries) {
    const spec::Guard& guard = entry.guard;
    Places& places = routines[key_of(entry)];
    for (const spec::Increments& increments : parts.at(key_of(entry)))
      for (const int threads : guard.threads) {
        if (only_threads > 0 && threads != only_threads) continue;
        if (!spec::admits(guard.increments, increments.x.least, increments.y.least)) continue;
        const bool strided = !increments.admits(1, 1);
        (places[{only_threads > 0 ? 0 : threads, strided, increments}].*side).push_back(&entry);
      }
  }
}

Entries admitted(const Entries& entries, const Layouts& layouts, int cell) {
  Entries out;
  for (const spec::Entry* entry : entries)
    if (layouts.admits(entry->guard, cell)) out.push_back(entry);
  return out;
}

// The cells in words. Cells that differ in one thing only share a phrase. For sum and dot only
// addresses differ.
std::string where_text(const Layouts& layouts, const std::set<int>& cells, bool has_layouts) {
  // Addresses by the layout, what each operand has, and beta: 1 columns, gaps or another beta, 2
  // rows, none or 1, 3 both.
  using Part = std::array<int, 2 + spec::kLeadingPlaces>;
  std::map<Part, std::set<int>> parts;
  for (const int cell : cells) {
    Part part{layouts.by_rows(cell) ? 2 : 1};
    for (std::size_t k = 0; k < spec::kLeadingPlaces; ++k)
      part[1 + k] = layouts.tight(cell, k) ? 2 : 1;
    part.back() = layouts.is_beta_one(cell) ? 2 : 1;
    parts[part].insert(layouts.address(cell));
  }
  const auto merge = [&](std::size_t place) {
    for (const auto& [one, addresses] : std::map(parts)) {
      Part other = one, merged = one;
      other[place] = 2;
      merged[place] = 3;
      const auto second = parts.find(other);
      if (one[place] != 1 || second == parts.end() || second->second != addresses) continue;
      parts[merged] = addresses;
      parts.erase(one);
      parts.erase(other);
    }
  };
  for (std::size_t place = spec::kLeadingPlaces + 2; place-- > 0;) merge(place);
  std::string out;
  for (const auto& [part, addresses] : parts) {
    if (!has_layouts) return layouts.addresses.text(addresses);
    out += out.empty() ? ", " : " or ";
    out += part[0] == 1 ? "by columns" : part[0] == 2 ? "by rows" : "by columns and rows";
    spec::Leadings leadings{};
    for (std::size_t k = 0; k < leadings.size(); ++k)
      if (part[1 + k] != 3)
        leadings[k] = part[1 + k] == 2 ? spec::Leading::tight : spec::Leading::padded;
    if (leadings != spec::Leadings{}) out += ", " + spec::describe(leadings);
    if (part.back() != 3) out += part.back() == 2 ? ", beta = 1" : ", beta other than 1";
    out += layouts.addresses.text(addresses);
  }
  return out;
}

// Places that only their increments tell apart, in few parts, those with the unit ones first.
std::vector<Place> joined(const std::vector<Place>& places) {
  std::vector<std::pair<const Place*, std::vector<spec::Increments>>> groups;
  for (const Place& place : places) {
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return group.first->threads == place.threads && group.first->where == place.where;
    });
    auto& group = found == groups.end() ? groups.emplace_back(&place, 0) : *found;
    group.second.push_back(place.increments);
  }
  std::vector<Place> out;
  for (const auto& [place, all] : groups)
    for (const spec::Increments& increments : spec::merged(all))
      out.push_back({increments, place->threads, place->where});
  std::stable_partition(out.begin(), out.end(),
                        [](const Place& place) { return place.increments.admits(1, 1); });
  return out;
}

}  // namespace

std::vector<Pairing> pair_entries(const spec::Spec& a, const spec::Spec& b,
                                  const ThreadPair& threads) {
  std::map<RoutineKey, Places> routines;
  const Parts parts = parts_of(a, b);
  collect(a, threads ? threads->first : 0, parts, &Sides::a, routines);
  collect(b, threads ? threads->second : 0, parts, &Sides::b, routines);
  std::vector<Pairing> out;
  for (const auto& [key, places] : routines) {
    std::map<std::pair<Entries, Entries>, std::size_t> groups;
    for (const auto& [place, sides] : places) {
      std::map<std::pair<Entries, Entries>, std::set<int>> met;
      Entries all = sides.a;
      all.insert(all.end(), sides.b.begin(), sides.b.end());
      const Layouts layouts{AddressCells(all), spec::has_matrices(all.front()->routine)};
      for (int cell = 0; cell < layouts.count(); ++cell) {
        std::pair pair{admitted(sides.a, layouts, cell), admitted(sides.b, layouts, cell)};
        if (!pair.first.empty() || !pair.second.empty()) met[std::move(pair)].insert(cell);
      }
      // By the first cell, so that the result does not depend on addresses of entries.
      std::map<int, const decltype(met)::value_type*> ordered;
      for (const auto& group : met) ordered[*group.second.begin()] = &group;
      for (const auto& [cell, group] : ordered) {
        const auto [found, added] = groups.try_emplace(group->first, out.size());
        if (added) {
          const auto& [in_a, in_b] = group->first;
          const spec::Entry& entry = in_a.empty() ? *in_b.front() : *in_a.front();
          out.push_back({routine_name(entry), entry.routine, in_a, in_b, {}});
        }
        const auto& [count, strided, increments] = place;
        const std::string label =
            threads ? fmt::format("{}:{}", threads->first, threads->second) : std::to_string(count);
        out[found->second].places.push_back(
            {increments, label,
             where_text(layouts, group->second, spec::has_matrices(std::get<0>(key)))});
      }
    }
  }
  for (Pairing& pairing : out) pairing.places = joined(pairing.places);
  return out;
}

std::string text_of(const Pairing& pairing) {
  // Increments that have the same thread counts, and places said alike, are said once.
  std::vector<std::array<std::string, 3>> by_threads, merged;  // increments, threads, where
  const auto add = [](auto& groups, const std::array<std::string, 3>& one, std::size_t joined) {
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return group[1 - joined] == one[1 - joined] && group[2] == one[2];
    });
    if (found == groups.end())
      groups.push_back(one);
    else
      (*found)[joined] += " " + one[joined];
  };
  for (const Place& place : pairing.places)
    add(by_threads,
        {increments_text({place.increments}, pairing.routine), place.threads, place.where}, 1);
  for (const auto& group : by_threads) add(merged, group, 0);
  std::string out;
  for (const auto& [increments, threads, where] : merged) {
    if (!out.empty()) out += "; ";
    if (!increments.empty()) out += "inc " + increments + ", ";
    out += "threads " + threads + where;
  }
  return out;
}

std::vector<std::string> contexts_of(const Pairing& pairing) {
  std::vector<std::string> out;
  for (const Place& place : pairing.places) {
    const std::string increments = increments_text({place.increments}, pairing.routine);
    out.push_back((increments.empty() ? "" : "inc " + increments + " ") + "threads " +
                  place.threads + place.where);
  }
  return out;
}

}  // namespace reprosum::report
