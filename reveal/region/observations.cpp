#include "reveal/region/observations.h"

#include <algorithm>

namespace reprosum::reveal::region {
namespace {

constexpr int most_types = 64;
// Sizes whose words are always known: under an upper bound they are the experiments for large
// sizes.
constexpr std::int64_t small_sizes[] = {1, 2, 3, 5, 8};

using KindAndType = std::pair<std::int32_t, std::int32_t>;

std::set<KindAndType> meetings(const std::vector<std::int32_t>& kinds,
                               const std::vector<std::int32_t>& types) {
  std::set<KindAndType> met;
  for (std::size_t i = 0; i < kinds.size(); ++i) met.insert({kinds[i], types[i]});
  return met;
}

}  // namespace

bool Observations::inside(Side side, std::int64_t own, std::int64_t across) const {
  const std::int64_t m = side == row_side ? own : across, n = side == row_side ? across : own;
  return maps_.affordable({m, n, k_}) && inside_(m, n);
}

std::shared_ptr<const ClassMap> Observations::map(Side side, std::int64_t own,
                                                  std::int64_t across) {
  return maps_.at(side == row_side ? spec::Shape3{own, across, k_} : spec::Shape3{across, own, k_});
}

std::int32_t Observations::find_class(std::uint64_t hash) const {
  const auto it = class_number_.find(hash);
  return it == class_number_.end() ? -1 : it->second;
}

std::int32_t Observations::class_of(const ClassMap& map, const spec::Shape3& shape,
                                    std::int32_t row, std::int32_t column) {
  const std::uint64_t hash = map.cell(row, column);
  const auto [it, is_new] = class_number_.emplace(hash, classes());
  if (is_new) {
    const auto place = [](const std::vector<std::int32_t>& kinds, std::int32_t kind) {
      return std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
    };
    hashes_.push_back(hash);
    witnesses_.push_back({shape, place(map.row_kind, row), place(map.column_kind, column)});
  }
  return it->second;
}

std::int32_t& Observations::at(Side side, std::int32_t type, std::int32_t across) {
  return side == row_side ? table_[type][across] : table_[across][type];
}

std::int32_t Observations::entry(std::int32_t row, std::int32_t column) const {
  return table_[row][column];
}

void Observations::set_entry(std::int32_t row, std::int32_t column, std::int32_t value) {
  table_[row][column] = value;
}

int Observations::new_type(Side side) {
  if (types_[side] >= most_types) throw NoRule("more than 64 types of rows or columns");
  if (side == row_side) {
    table_.emplace_back(types_[column_side], -1);
  } else {
    for (auto& row : table_) row.push_back(-1);
  }
  return types_[side]++;
}

std::array<std::vector<std::int64_t>, 2> Observations::best_grid() const {
  std::array<std::vector<std::int64_t>, 2> grid;
  for (const int way : {0, 1, 2, 3}) {
    const bool is_decided = way < 2, upwards = way % 2 == 0;
    if (!is_decided && !grid[0].empty() && !grid[1].empty()) break;
    std::vector<std::pair<std::int64_t, Side>> first, order;
    for (const Side side : {row_side, column_side}) {
      for (const std::int64_t size : anchors[side]) {
        const bool is_first = is_decided && decisive[side].count(size) > 0;
        (is_first ? first : order).push_back({size, side});
      }
    }
    std::sort(order.begin(), order.end());
    if (!upwards) std::reverse(order.begin(), order.end());
    order.insert(order.begin(), first.begin(), first.end());
    std::array<std::vector<std::int64_t>, 2> chosen;
    for (const auto& [size, side] : order) {
      const auto& across = chosen[other(side)];
      const bool fits = std::all_of(across.begin(), across.end(),
                                    [&, s = size, d = side](auto o) { return inside(d, s, o); });
      if (fits) chosen[side].push_back(size);
    }
    if (chosen[0].size() * chosen[1].size() > grid[0].size() * grid[1].size()) grid = chosen;
  }
  return grid;
}

bool Observations::has_grid() const {
  const auto grid = best_grid();
  return !grid[0].empty() && !grid[1].empty();
}

// On the largest grid of anchors that lies inside, equal rows over all columns of the grid are one
// type; the table is then free of contradictions by construction. Anchors off the grid follow.
void Observations::begin() {
  table_.clear();
  types_ = {0, 0};
  words_ = {};
  evidence_ = {};
  class_number_.clear();
  hashes_.clear();
  witnesses_.clear();
  const std::array<std::vector<std::int64_t>, 2> grid = best_grid();
  if (grid[0].empty() || grid[1].empty()) throw NoRule("no shape of the regime can be looked at");
  for (const Side side : {row_side, column_side}) {
    std::map<std::vector<std::uint64_t>, std::int32_t> numbers;
    for (const std::int64_t size : grid[side]) {
      std::vector<std::vector<std::uint64_t>> seen(size);
      for (const std::int64_t across : grid[other(side)]) {
        const auto m = map(side, size, across);
        const auto& kinds = side == row_side ? m->row_kind : m->column_kind;
        const auto& digests = side == row_side ? m->row_digest : m->column_digest;
        for (std::int64_t i = 0; i < size; ++i) seen[i].push_back(digests[kinds[i]]);
      }
      std::vector<std::int32_t>& types = words_[side][size];
      for (const auto& key : seen) {
        auto it = numbers.find(key);
        if (it == numbers.end()) it = numbers.emplace(key, new_type(side)).first;
        types.push_back(it->second);
      }
    }
  }
  for (const std::int64_t rows : grid[row_side]) {
    for (const std::int64_t columns : grid[column_side]) {
      const auto m = map(row_side, rows, columns);
      const auto& row_types = words_[row_side][rows];
      const auto& column_types = words_[column_side][columns];
      // Equal rows of this map may still have two types, so pairs of kind and type are met.
      for (const auto& [row_kind, row_type] : meetings(m->row_kind, row_types)) {
        for (const auto& [column_kind, column_type] : meetings(m->column_kind, column_types)) {
          table_[row_type][column_type] = class_of(*m, {rows, columns, k_}, row_kind, column_kind);
        }
      }
    }
  }
  for (const Side side : {row_side, column_side}) {
    // An anchor from before the guard grew may have no shape left.
    std::erase_if(anchors[side], [&](std::int64_t size) { return !reachable(side, size); });
    for (const std::int64_t size : anchors[side]) types_at(side, size, 0);
  }
  for (const Side side : {row_side, column_side}) {
    if (side == column_side && maps_.is_gemv()) continue;
    for (const std::int64_t size : small_sizes) {
      const auto& across = anchors[other(side)];
      if (std::any_of(across.begin(), across.end(),
                      [&](std::int64_t o) { return inside(side, size, o); })) {
        types_at(side, size, 0);
      }
    }
  }
}

// The type that agrees with everything seen, the one with most agreement first; else a new one.
std::int32_t Observations::match(Side side, const Function& function) {
  std::int32_t best = -1;
  int best_agreement = -1;
  for (std::int32_t type = 0; type < types_[side]; ++type) {
    int agreement = 0;
    for (const auto& [across, value] : function) {
      const std::int32_t known = at(side, type, across);
      if (known >= 0 && known != value) {
        agreement = -1;
        break;
      }
      agreement += known == value;
    }
    if (agreement > best_agreement) {
      best = type;
      best_agreement = agreement;
    }
  }
  if (best < 0 || best_agreement == 0) best = new_type(side);
  for (const auto& [across, value] : function) at(side, best, across) = value;
  return best;
}

bool Observations::admits(Side side, std::int32_t type, const Function& function) const {
  return type < types_[side] &&
         std::none_of(function.begin(), function.end(), [&](const auto& pair) {
           const std::int32_t known =
               side == row_side ? table_[type][pair.first] : table_[pair.first][type];
           return known >= 0 && known != pair.second;
         });
}

bool Observations::fits(Side side, std::int64_t size, const Runs& expected) {
  const std::vector<std::int32_t>& types = types_at(side, size, 0);
  const auto evidence = evidence_[side].find(size);
  std::set<std::pair<std::int32_t, std::int32_t>> settled;  // group and type that agree
  std::size_t at = 0;
  for (const Run& run : expected) {
    for (std::int64_t i = 0; i < run.count; ++i, ++at) {
      if (at >= types.size()) return false;
      if (types[at] == run.type) continue;
      if (evidence == evidence_[side].end()) return false;
      const std::int32_t group = evidence->second.group[at];
      if (settled.count({group, run.type}) > 0) continue;
      const auto& functions = evidence->second.functions;
      if (!admits(side, run.type, functions[static_cast<std::size_t>(group)])) return false;
      settled.insert({group, run.type});
    }
  }
  return at == types.size();
}

const std::vector<std::int32_t>& Observations::types_at(Side side, std::int64_t size, int depth) {
  if (const auto it = words_[side].find(size); it != words_[side].end()) return it->second;
  const std::vector<std::int64_t> looks = experiments(side, size, depth);
  if (looks.empty()) {
    throw NoRule(std::string(side == row_side ? "m = " : "n = ") + std::to_string(size) +
                 " has no shape within the guard and the budget");
  }
  // Places that are equal in every experiment share one key.
  std::vector<std::shared_ptr<const ClassMap>> maps;
  std::vector<std::set<KindAndType>> pairs;  // of the other side
  std::vector<std::vector<std::int32_t>> keys(size);
  for (const std::int64_t across : looks) {
    maps.push_back(map(side, size, across));
    const ClassMap& m = *maps.back();
    const auto& own = side == row_side ? m.row_kind : m.column_kind;
    const auto& kinds = side == row_side ? m.column_kind : m.row_kind;
    const auto& types = words_[other(side)].at(across);
    pairs.push_back(meetings(kinds, types));
    for (std::int64_t i = 0; i < size; ++i) keys[i].push_back(own[i]);
  }
  std::map<std::vector<std::int32_t>, std::int32_t> groups;
  std::vector<std::int32_t> types, word;
  Evidence& evidence = evidence_[side][size];
  for (const auto& key : keys) {
    auto it = groups.find(key);
    if (it == groups.end()) {
      std::map<std::int32_t, std::int32_t> function;
      for (std::size_t e = 0; e < looks.size(); ++e) {
        const spec::Shape3 shape =
            side == row_side ? spec::Shape3{size, looks[e], k_} : spec::Shape3{looks[e], size, k_};
        for (const auto& [kind, type] : pairs[e]) {
          const std::int32_t value = side == row_side ? class_of(*maps[e], shape, key[e], kind)
                                                      : class_of(*maps[e], shape, kind, key[e]);
          if (function.emplace(type, value).first->second != value)
            throw Conflict(side, size, looks);
        }
      }
      it = groups.emplace(key, static_cast<std::int32_t>(types.size())).first;
      evidence.functions.emplace_back(function.begin(), function.end());
      types.push_back(match(side, evidence.functions.back()));
    }
    evidence.group.push_back(it->second);
    word.push_back(types[static_cast<std::size_t>(it->second)]);
  }
  return words_[side].emplace(size, std::move(word)).first->second;
}

Runs Observations::word(Side side, std::int64_t size) {
  return run_lengths(types_at(side, size, 0));
}

std::set<std::int64_t> Observations::cover(Side side, const std::set<std::int64_t>& across) const {
  std::set<std::int32_t> missing;
  for (std::int32_t type = 0; type < types_[side]; ++type) missing.insert(type);
  std::map<std::int64_t, std::set<std::int32_t>> fitting, all;
  for (const auto& [size, types] : words_[side]) {
    all[size].insert(types.begin(), types.end());
    if (std::all_of(across.begin(), across.end(),
                    [&, s = size](std::int64_t o) { return inside(side, s, o); })) {
      fitting[size] = all[size];
    }
  }
  std::set<std::int64_t> chosen;
  for (const auto* kinds : {&fitting, &all}) {
    while (!missing.empty()) {
      std::int64_t best = 0;
      double best_score = 0;
      for (const auto& [size, types] : *kinds) {
        const auto gain = std::count_if(types.begin(), types.end(),
                                        [&](std::int32_t t) { return missing.count(t) > 0; });
        // Sizes already looked at cost nothing.
        const double cost = static_cast<double>(30 + size) / (anchors[side].count(size) ? 4 : 1);
        const double score = static_cast<double>(gain) / cost;
        if (score > best_score) {
          best_score = score;
          best = size;
        }
      }
      if (best == 0) break;
      for (const std::int32_t type : kinds->at(best)) missing.erase(type);
      chosen.insert(best);
    }
  }
  return chosen;
}

}  // namespace reprosum::reveal::region
