#include "reveal/region/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "reveal/region/closest.h"
#include "reveal/region/core.h"

namespace reprosum::reveal::region {
namespace {

using spec::Shape3;

constexpr std::size_t most_shapes = 1600;
constexpr std::size_t least_shapes = 12;
constexpr std::int64_t box_width = 8;  // less shows no period
constexpr std::size_t looks_per_k = 24;
constexpr std::int64_t ks[] = {37, 75, 151, 301, 607, 1511, 2047, 21, 11, 7, 5, 3, 2, 1};
constexpr std::int64_t usual_k = 301;  // no larger one if a smaller one will do

// All shapes of one k that the guard admits, if they are few.
std::vector<Shape3> shapes_of(const Maps& maps, const std::vector<spec::Atom>& guard,
                              std::int64_t k) {
  std::vector<Shape3> shapes;
  const std::int64_t top_m = std::min(most_listed, maps.options().largest.m);
  const std::int64_t top_n = std::min(most_listed, maps.options().largest.n);
  for (std::int64_t m = 1; m <= top_m; ++m)
    for (std::int64_t n = 1; n <= top_n; ++n)
      if (holds(guard, {m, n, k}) && maps.affordable({m, n, k})) shapes.push_back({m, n, k});
  return shapes;
}

// Whether a box of some width lies inside the guard among the sizes that may be listed.
bool has_room(const std::vector<spec::Atom>& guard, std::int64_t k) {
  for (std::int64_t m = 1; m + box_width <= most_listed; ++m) {
    for (std::int64_t n = 1; n + box_width <= most_listed; ++n) {
      if (holds(guard, {m, n, k}) && holds(guard, {m + box_width, n, k}) &&
          holds(guard, {m, n + box_width, k}) && holds(guard, {m + box_width, n + box_width, k}))
        return true;
    }
  }
  return false;
}

// How many orders there are in some of the shapes, at this k.
std::size_t orders(Maps& maps, const std::vector<Shape3>& some, std::int64_t k) {
  std::set<std::uint64_t> hashes;
  for (const Shape3& shape : some) {
    const auto map = maps.at({shape.m, shape.n, k});
    hashes.insert(map->cells.begin(), map->cells.end());
  }
  return hashes.size();
}

// A row (a column) as a function from columns (rows) to what is there. It may be known in part.
template <class Value>
using Function = std::map<std::int64_t, Value>;

// Numbers functions such that those of one number agree wherever both are known, and somewhere.
template <class Value>
class Types {
 public:
  std::int32_t number(const Function<Value>& function) {
    const std::size_t best =
        closest(types_, [&](const auto& type) { return agreement(type, function); });
    if (best == types_.size()) types_.emplace_back();
    types_[best].insert(function.begin(), function.end());
    return static_cast<std::int32_t>(best);
  }
  const std::vector<Function<Value>>& all() const { return types_; }

 private:
  // At how many places both are known; -1 if they differ in one.
  static std::ptrdiff_t agreement(const Function<Value>& type, const Function<Value>& function) {
    std::ptrdiff_t common = 0;
    for (const auto& [place, value] : function) {
      const auto known = type.find(place);
      if (known == type.end()) continue;
      if (known->second != value) return -1;
      ++common;
    }
    return common;
  }

  std::vector<Function<Value>> types_;
};

class Listing {
 public:
  Listing(Maps& maps, std::vector<Shape3> shapes) : maps_(maps), shapes_(std::move(shapes)) {}

  // Rows first, by what all of them shows; columns as functions of these, so that a type of rows
  // and one of columns have one class wherever they meet.
  Rule learn(const std::vector<spec::Atom>& guard) {
    Rule rule;
    rule.guard = guard;
    rule.k_ref = shapes_.front().k;
    rule.is_listed = true;
    const auto rows = number_rows();
    const auto columns = number_columns(rows);
    rule.axes = {axis(rows), axis(columns)};
    rule.table.assign(row_types_.all().size(),
                      std::vector<std::int32_t>(column_types_.all().size(), -1));
    fill(rule, rows, columns);
    const spec::Shape3 low = shapes_.front(), high = shapes_.back();
    for (const Side side : {row_side, column_side}) {
      rule.anchors[side] = {side == row_side ? low.m : low.n, side == row_side ? high.m : high.n};
    }
    return rule;
  }

 private:
  using Words = std::map<std::int64_t, std::vector<std::int32_t>>;  // types of all places of a size

  Words number_rows() {
    std::map<std::int64_t, std::vector<Function<std::uint64_t>>> seen;
    for (const Shape3& shape : shapes_) {
      const auto map = maps_.at(shape);
      auto& rows = seen[shape.m];
      rows.resize(static_cast<std::size_t>(shape.m));
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].emplace(shape.n, map->row_digest[static_cast<std::size_t>(map->row_kind[i])]);
    }
    return number(seen, row_types_);
  }

  Words number_columns(const Words& rows) {
    std::map<std::int64_t, std::vector<Function<std::uint64_t>>> seen;
    for (const Shape3& shape : shapes_) {
      const auto map = maps_.at(shape);
      const auto& types = rows.at(shape.m);
      auto& columns = seen[shape.n];
      columns.resize(static_cast<std::size_t>(shape.n));
      for (std::size_t j = 0; j < columns.size(); ++j)
        for (std::size_t i = 0; i < types.size(); ++i)
          columns[j].emplace(types[i], map->cell(map->row_kind[i], map->column_kind[j]));
    }
    return number(seen, column_types_);
  }

  static Words number(const std::map<std::int64_t, std::vector<Function<std::uint64_t>>>& functions,
                      Types<std::uint64_t>& types) {
    Words words;
    for (const auto& [size, places] : functions)
      for (const auto& function : places) words[size].push_back(types.number(function));
    return words;
  }

  // Neighbouring sizes share a segment; a size without shapes is in none.
  static spec::Axis axis(const Words& words) {
    spec::Axis axis;
    for (const auto& [size, types] : words) {
      if (axis.empty() || axis.back().to + 1 < size)
        axis.push_back({size, size - 1, size, 1, {}, {}});
      spec::Segment& segment = axis.back();
      segment.to = size;
      segment.base = size + 1;
      segment.words.push_back(compress(run_lengths(types)));
    }
    return axis;
  }

  void fill(Rule& rule, const Words& rows, const Words& columns) {
    std::map<std::uint64_t, std::int32_t> number;
    for (const Shape3& shape : shapes_) {
      const auto map = maps_.at(shape);
      const auto &down = rows.at(shape.m), &across = columns.at(shape.n);
      for (std::size_t i = 0; i < down.size(); ++i) {
        for (std::size_t j = 0; j < across.size(); ++j) {
          std::int32_t& entry =
              rule.table[static_cast<std::size_t>(down[i])][static_cast<std::size_t>(across[j])];
          if (entry >= 0) continue;
          const std::uint64_t hash = map->cell(map->row_kind[i], map->column_kind[j]);
          const auto [it, is_new] = number.emplace(hash, rule.classes);
          entry = it->second;
          if (!is_new) continue;
          ++rule.classes;
          rule.hashes.push_back(hash);
          rule.witnesses.push_back(
              {shape, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
        }
      }
    }
  }

  Maps& maps_;
  const std::vector<Shape3> shapes_;
  Types<std::uint64_t> row_types_, column_types_;
};

}  // namespace

bool can_list(const Maps& maps, const std::vector<spec::Atom>& guard) {
  const bool k_matters = std::any_of(guard.begin(), guard.end(), [](const spec::Atom& atom) {
    return !atom.compares_panels() && atom.use_k && (atom.use_m || atom.use_n);
  });
  return !k_matters && has_few_sizes(maps, guard);
}

std::vector<spec::Atom> bounds_of_list(const Maps& maps, const std::vector<spec::Atom>& guard,
                                       std::int64_t k_least) {
  using Kind = spec::Atom::Kind;
  const auto compares = [&](Kind first, Kind second) {
    return std::any_of(guard.begin(), guard.end(), [&](const spec::Atom& atom) {
      return atom.kind == first || atom.kind == second;
    });
  };
  if (!compares(Kind::taller, Kind::not_wider) || !compares(Kind::wider, Kind::not_taller))
    return {};
  if (has_room(guard, std::max(k_least, ks[0]))) return {};
  for (const std::int64_t last : {most_listed, 2 * most_listed / 3, most_listed / 2}) {
    std::vector<spec::Atom> bounds;
    // What one side leaves to the other may need no bound of its own.
    for (const bool is_row : {true, false}) {
      bounds.push_back({Kind::at_most, is_row, !is_row, false, last, 1, 1});
      std::vector<spec::Atom> part = guard;
      part.insert(part.end(), bounds.begin(), bounds.end());
      if (!can_list(maps, part)) continue;
      const std::size_t count = shapes_of(maps, part, usual_k).size();
      if (count >= least_shapes && count <= most_shapes) return bounds;
      break;
    }
  }
  return {};
}

std::optional<Rule> list_sizes(Maps& maps, const std::vector<spec::Atom>& guard,
                               std::int64_t k_least, std::string& why) {
  why = "more sizes than can be listed";
  if (!can_list(maps, guard)) return std::nullopt;
  std::vector<Shape3> best, some;
  std::size_t most = 0;
  for (const std::int64_t k : ks) {
    if (k < k_least || k > maps.options().largest.k) continue;
    // Smaller ones merge classes.
    if (!best.empty() && (k > usual_k || k < best.front().k)) break;
    std::vector<Shape3> shapes = shapes_of(maps, guard, k);
    if (shapes.empty()) continue;
    if (shapes.size() > most_shapes) return std::nullopt;
    if (some.empty()) {
      some = shapes;
      std::shuffle(some.begin(), some.end(), maps.random());
      if (some.size() > looks_per_k) some.resize(looks_per_k);
    }
    const std::size_t apart = orders(maps, some, k);
    if (apart <= most) continue;
    most = apart;
    best = std::move(shapes);
  }
  if (best.empty()) return std::nullopt;
  Rule rule = Listing(maps, best).learn(guard);
  maps.log(fmt::format("  listed {} shapes, k {}: {} x {} types, {} classes, rows{}, columns{}",
                       best.size(), rule.k_ref, rule.table.size(), rule.table.front().size(),
                       rule.classes, print(rule.axes[0]), print(rule.axes[1])));
  return rule;
}

}  // namespace reprosum::reveal::region
